/* Copies, conversions, fills and permutations. */
#include "aclnnop/aclnn_cast.h"
#include "aclnnop/aclnn_copy.h"
#include "aclnnop/aclnn_fill_scalar.h"
#include "aclnnop/aclnn_permute.h"
#include "aclnnop/aclnn_zero.h"
#include "kernel.h"

/* Moves operand 0 into operand 1; between equal types bit by bit. */
static void runMove(const struct simPlan *plan)
{
    const struct simView *from = &plan->operand[0].walked, *to = &plan->operand[1].walked;
    int64_t count = simCountElements(&plan->shape), read[SIM_BLOCK], write[SIM_BLOCK];
    size_t width = aclDataTypeSize(to->type);
    for (int64_t start = 0; start < count; start += SIM_BLOCK) {
        int n = count - start < SIM_BLOCK ? (int)(count - start) : SIM_BLOCK;
        if (from->type == to->type) {
            simPositions(from, start, n, read);
            simPositions(to, start, n, write);
            for (int k = 0; k < n; k++)
                memmove(to->data + write[k] * (int64_t)width, from->data + read[k] * (int64_t)width, width);
        } else {
            double block[SIM_BLOCK];
            simLoad(from, start, n, block);
            simStore(to, start, n, block);
        }
    }
}

aclnnStatus aclnnInplaceCopyGetWorkspaceSize(aclTensor *selfRef, const aclTensor *src, uint64_t *workspaceSize,
                                             aclOpExecutor **executor)
{
    struct simPlanner p;
    simBegin(&p, "aclnnInplaceCopy", workspaceSize, executor);
    simInput(&p, "src", src);
    simOutput(&p, "selfRef", selfRef);
    p.plan.operand[0].parameter = 1; /* selfRef comes first in the C function, and is only written */
    p.plan.operand[1].parameter = 0;
    simCheckTypes(&p, SIM_ALL);
    simCheckRanks(&p);
    p.plan.shape = p.plan.operand[1].view.shape;
    struct simShape shape = p.plan.shape;
    if (p.status == 0 &&
        !(simBroadcast(&shape, &p.plan.operand[0].view.shape) && simSameShape(&shape, &p.plan.shape))) {
        char a[SIM_SHAPE_TEXT], b[SIM_SHAPE_TEXT];
        simRefuse(&p, "src", "the shape %s does not broadcast to %s", simShapeText(&p.plan.operand[0].view.shape, a),
                  simShapeText(&p.plan.shape, b));
    }
    simWalk(&p);
    return simFinish(&p, runMove);
}
PHASE_TWO(aclnnInplaceCopy)

aclnnStatus aclnnCastGetWorkspaceSize(const aclTensor *self, const aclDataType dtype, aclTensor *out,
                                      uint64_t *workspaceSize, aclOpExecutor **executor)
{
    struct simPlanner p;
    simBegin(&p, "aclnnCast", workspaceSize, executor);
    simInput(&p, "self", self);
    simOutput(&p, "out", out);
    simCheckTypes(&p, SIM_ALL);
    if (dtype != p.plan.operand[1].view.type)
        simRefuse(&p, "dtype", "%s is not %s, out's", simTypeName(dtype), simTypeName(p.plan.operand[1].view.type));
    simCheckRanks(&p);
    p.plan.shape = p.plan.operand[0].view.shape;
    simCheckShape(&p, 1, &p.plan.shape);
    simWalk(&p);
    return simFinish(&p, runMove);
}
PHASE_TWO(aclnnCast)

static bool isPermutation(const int64_t *dims, uint64_t n, int rank, int order[SIM_MAX_RANK])
{
    bool seen[SIM_MAX_RANK] = {false};
    if (n != (uint64_t)rank) return false;
    for (int i = 0; i < rank; i++) {
        int64_t d = dims[i] < 0 ? dims[i] + rank : dims[i];
        if (d < 0 || d >= rank || seen[d]) return false;
        seen[d] = true;
        order[i] = (int)d;
    }
    return true;
}

aclnnStatus aclnnPermuteGetWorkspaceSize(const aclTensor *self, const aclIntArray *dims, aclTensor *out,
                                         uint64_t *workspaceSize, aclOpExecutor **executor)
{
    struct simPlanner p;
    simBegin(&p, "aclnnPermute", workspaceSize, executor);
    simInput(&p, "self", self);
    if (p.status == 0 && dims == NULL) p.status = simFail(ACLNN_ERR_PARAM_NULLPTR, "aclnnPermute: dims is NULL");
    simOutput(&p, "out", out);
    simCheckTypes(&p, SIM_ALL);
    if (p.status == 0 && p.plan.operand[0].view.type != p.plan.operand[1].view.type)
        simRefuse(&p, "out", "its data type is not self's");
    simCheckRanks(&p);
    if (p.status != 0) return p.status;

    int64_t listed[SIM_MAX_RANK];
    uint64_t n = 0;
    int order[SIM_MAX_RANK];
    struct simView self_ = p.plan.operand[0].view, permuted = self_;
    if (!simReadIntArray(dims, listed, SIM_MAX_RANK, &n) || !isPermutation(listed, n, self_.shape.rank, order)) {
        simRefuse(&p, "dims", "it is no permutation of self's %d dimensions", self_.shape.rank);
        return p.status;
    }
    for (int i = 0; i < self_.shape.rank; i++) {
        permuted.shape.dims[i] = self_.shape.dims[order[i]];
        permuted.strides[i] = self_.strides[order[i]];
    }
    p.plan.shape = permuted.shape;
    simCheckShape(&p, 1, &p.plan.shape);
    p.plan.operand[0].walked = permuted;
    p.plan.empty = simCountElements(&p.plan.shape) == 0;
    return simFinish(&p, runMove);
}
PHASE_TWO(aclnnPermute)

static void loopFill(const struct simPlan *plan, int n, double *const x[])
{
    for (int i = 0; i < n; i++) x[0][i] = plan->number[0];
}

static aclnnStatus planFill(struct simPlanner *p, const aclTensor *selfRef)
{
    simOutput(p, "selfRef", selfRef);
    simCheckTypes(p, SIM_ALL);
    p->plan.shape = p->plan.operand[0].view.shape;
    if (p->plan.shape.rank > SIM_MAX_RANK)
        simRefuse(p, "selfRef", "%d dimensions are more than %d", p->plan.shape.rank, SIM_MAX_RANK);
    simWalk(p);
    p->plan.loop = loopFill;
    return simFinish(p, simRunElementwise);
}

aclnnStatus aclnnInplaceFillScalarGetWorkspaceSize(aclTensor *selfRef, const aclScalar *value, uint64_t *workspaceSize,
                                                   aclOpExecutor **executor)
{
    struct simPlanner p;
    simBegin(&p, "aclnnInplaceFillScalar", workspaceSize, executor);
    simNumber(&p, "value", value);
    return planFill(&p, selfRef);
}
PHASE_TWO(aclnnInplaceFillScalar)

aclnnStatus aclnnInplaceZeroGetWorkspaceSize(aclTensor *selfRef, uint64_t *workspaceSize, aclOpExecutor **executor)
{
    struct simPlanner p;
    simBegin(&p, "aclnnInplaceZero", workspaceSize, executor);
    return planFill(&p, selfRef);
}
PHASE_TWO(aclnnInplaceZero)
