/* Sums, means and the largest element, accumulated in double and in row-major order. */
#include "aclnnop/aclnn_max.h"
#include "aclnnop/aclnn_mean.h"
#include "aclnnop/aclnn_reduce_sum.h"
#include "kernel.h"

struct simShape simReducedShape(const struct simPlan *plan, bool keep)
{
    struct simShape left = {.rank = 0};
    for (int i = 0; i < plan->shape.rank; i++) {
        if (!plan->reduced[i]) left.dims[left.rank++] = plan->shape.dims[i];
        else if (keep) left.dims[left.rank++] = 1;
    }
    return left;
}

/* ---- losses ---- */

void simRunLoss(const struct simPlan *plan)
{
    double blocks[SIM_MAX_OPERANDS][SIM_BLOCK];
    double *x[SIM_MAX_OPERANDS];
    int64_t count = simCountElements(&plan->shape);
    double sum = 0;
    for (int64_t start = 0; start < count; start += SIM_BLOCK) {
        int n = count - start < SIM_BLOCK ? (int)(count - start) : SIM_BLOCK;
        for (int i = 0; i < plan->operands; i++) {
            const struct simOperand *o = &plan->operand[i];
            x[i] = o->tensor == NULL ? NULL : blocks[i];
            if (o->tensor != NULL && !o->output) simLoad(&o->walked, start, n, blocks[i]);
        }
        plan->loop(plan, n, x);
        for (int k = 0; k < n; k++) sum += x[plan->inputs][k];
    }
    simStoreOne(&plan->operand[plan->inputs].view, 0, plan->reduction == 1 ? sum / (double)count : sum);
}

aclnnStatus simPlanLoss(struct simPlanner *p, int output, int64_t reduction, simLoop loop)
{
    struct simShape whole = p->plan.shape, none = {.rank = 0};
    p->plan.reduction = reduction;
    p->plan.loop = loop;
    simCheckShape(p, output, reduction == 0 ? &whole : &none);
    if (reduction == 0) {
        simWalk(p);
        return simFinish(p, simRunElementwise);
    }
    if (p->status != 0) return p->status;
    for (int i = 0; i < p->plan.inputs; i++) {
        struct simOperand *o = &p->plan.operand[i];
        if (o->tensor != NULL) o->walked = simExpand(&o->view, &whole);
    }
    p->scratch = (uint64_t)simCountElements(&whole) * sizeof(float);
    p->plan.empty = simCountElements(&whole) == 0 && reduction != 1 && reduction != 2;
    return simFinish(p, simRunLoss);
}

/* ---- ReduceSum, Mean, Max ---- */

/* Operand 0 with the dimensions that stay in front, and operand 1 with the dimensions that stay. */
static void runReduce(const struct simPlan *plan)
{
    struct simView kept = plan->operand[0].view, summed = kept, out = plan->operand[1].view;
    kept.shape.rank = summed.shape.rank = 0;
    for (int i = 0; i < plan->shape.rank; i++) {
        struct simView *to = plan->reduced[i] ? &summed : &kept;
        to->shape.dims[to->shape.rank] = plan->shape.dims[i];
        to->strides[to->shape.rank++] = plan->operand[0].view.strides[i];
    }
    int64_t results = simCountElements(&out.shape), count = simCountElements(&summed.shape);
    double block[SIM_BLOCK];
    for (int64_t r = 0; r < results; r++) {
        simPositions(&kept, r, 1, &summed.offset);
        double sum = 0;
        for (int64_t start = 0; start < count; start += SIM_BLOCK) {
            int n = count - start < SIM_BLOCK ? (int)(count - start) : SIM_BLOCK;
            simLoad(&summed, start, n, block);
            for (int k = 0; k < n; k++) sum += block[k];
        }
        simStoreOne(&out, r, plan->reduction == 1 ? sum / (double)count : sum);
    }
}

/* Marks the dimensions to reduce: those listed, each once and from -rank to rank-1, or all if there are none. */
static void markDims(struct simPlanner *p, const aclIntArray *dims)
{
    int64_t listed[SIM_MAX_DIMS];
    uint64_t n = 0;
    if (p->status != 0) return;
    int rank = p->plan.operand[0].view.shape.rank;
    if (!simReadIntArray(dims, listed, SIM_MAX_DIMS, &n)) {
        simRefuse(p, "dim", "%p is no live array of integers", (const void *)dims);
        return;
    }
    for (uint64_t i = 0; i < n; i++) {
        int64_t limit = rank == 0 ? 1 : rank, d = i < SIM_MAX_DIMS ? listed[i] : limit;
        if (d < -limit || d >= limit) {
            simRefuse(p, "dim", "%lld is not in [%lld, %lld]", (long long)d, (long long)-limit, (long long)limit - 1);
            return;
        }
        if (rank == 0) continue;
        d = d < 0 ? d + rank : d;
        if (p->plan.reduced[d]) simRefuse(p, "dim", "dimension %lld is listed twice", (long long)d);
        p->plan.reduced[d] = true;
    }
    for (int i = 0; i < rank && n == 0; i++) p->plan.reduced[i] = true;
}

/* type is the one in which to sum, which must be out's; NULL if the function has no such argument. */
static aclnnStatus plan(const char *name, const aclTensor *self, const aclIntArray *dims, bool keep,
                        const aclDataType *type, bool noop, int64_t reduction, const aclTensor *out, int types,
                        uint64_t *workspaceSize, aclOpExecutor **executor)
{
    struct simPlanner p;
    simBegin(&p, name, workspaceSize, executor);
    simInput(&p, "self", self);
    if (p.status == 0 && dims == NULL) p.status = simFail(ACLNN_ERR_PARAM_NULLPTR, "%s: dim is NULL", name);
    simOutput(&p, "out", out);
    simCheckTypes(&p, types);
    if (type != NULL && *type != p.plan.operand[1].view.type)
        simRefuse(&p, "dtype", "%s is not %s, out's", simTypeName(*type), simTypeName(p.plan.operand[1].view.type));
    simCheckStorable(&p, 1, simPromoted(&p));
    simCheckRanks(&p);
    p.plan.shape = p.plan.operand[0].view.shape;
    markDims(&p, dims);
    uint64_t listed = 0;
    if (p.status == 0 && noop && simReadIntArray(dims, NULL, 0, &listed) && listed == 0)
        memset(p.plan.reduced, 0, sizeof p.plan.reduced);
    p.plan.reduction = reduction;
    if (p.status == 0) {
        struct simShape left = simReducedShape(&p.plan, keep);
        simCheckShape(&p, 1, &left);
        p.plan.empty = simCountElements(&left) == 0;
    }
    return simFinish(&p, runReduce);
}

aclnnStatus aclnnReduceSumGetWorkspaceSize(const aclTensor *self, const aclIntArray *dims, bool keepDims,
                                           aclDataType dtype, aclTensor *out, uint64_t *workspaceSize,
                                           aclOpExecutor **executor)
{
    return plan("aclnnReduceSum", self, dims, keepDims, &dtype, false, 2, out, SIM_NUMBERS, workspaceSize, executor);
}
PHASE_TWO(aclnnReduceSum)

aclnnStatus aclnnMeanGetWorkspaceSize(const aclTensor *self, const aclIntArray *dim, bool keepDim, aclDataType dtype,
                                      aclTensor *out, uint64_t *workspaceSize, aclOpExecutor **executor)
{
    return plan("aclnnMean", self, dim, keepDim, &dtype, false, 1, out, SIM_FLOATS, workspaceSize, executor);
}
PHASE_TWO(aclnnMean)

aclnnStatus aclnnMeanV2GetWorkspaceSize(const aclTensor *self, const aclIntArray *dim, bool keepDim,
                                        bool noopWithEmptyAxes, aclTensor *out, uint64_t *workspaceSize,
                                        aclOpExecutor **executor)
{
    return plan("aclnnMeanV2", self, dim, keepDim, NULL, noopWithEmptyAxes, 1, out, SIM_FLOATS, workspaceSize,
                executor);
}
PHASE_TWO(aclnnMeanV2)

static void runMax(const struct simPlan *plan)
{
    const struct simView *self = &plan->operand[0].view;
    int64_t count = simCountElements(&self->shape);
    double block[SIM_BLOCK], largest = simLoadOne(self, 0);
    for (int64_t start = 0; start < count; start += SIM_BLOCK) {
        int n = count - start < SIM_BLOCK ? (int)(count - start) : SIM_BLOCK;
        simLoad(self, start, n, block);
        for (int k = 0; k < n; k++) {
            if (block[k] > largest || isnan(block[k])) largest = block[k]; /* nothing exceeds a NaN */
        }
    }
    simStoreOne(&plan->operand[1].view, 0, largest);
}

aclnnStatus aclnnMaxGetWorkspaceSize(const aclTensor *self, aclTensor *out, uint64_t *workspaceSize,
                                     aclOpExecutor **executor)
{
    struct simPlanner p;
    simBegin(&p, "aclnnMax", workspaceSize, executor);
    simInput(&p, "self", self);
    simOutput(&p, "out", out);
    simCheckTypes(&p, SIM_NUMBERS);
    simCheckStorable(&p, 1, simPromoted(&p));
    simCheckRanks(&p);
    struct simShape none = {.rank = 0};
    simCheckShape(&p, 1, &none);
    if (p.status == 0 && simCountElements(&p.plan.operand[0].view.shape) == 0)
        simRefuse(&p, "self", "there is no largest of no elements");
    return simFinish(&p, runMax);
}
PHASE_TWO(aclnnMax)
