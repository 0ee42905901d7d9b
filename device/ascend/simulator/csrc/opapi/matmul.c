/* Matrix products, accumulated in double in the order of the inner dimension. */
#include "aclnnop/aclnn_addmm.h"
#include "aclnnop/aclnn_matmul.h"
#include "aclnnop/aclnn_mm.h"
#include "kernel.h"

enum { ROWS = 8 }; /* of the result that are computed together */

/* A matrix within a view: the view's offset is where it starts. */
struct matrix {
    struct simView row; /* one row, as a vector; its offset is set for each use */
    int64_t offset, rows, columns, rowStride;
};

static struct matrix matrixOf(const struct simView *view, int64_t offset, int64_t rows, int64_t columns,
                              int64_t rowStride, int64_t columnStride)
{
    struct matrix m = {.row = *view, .offset = offset, .rows = rows, .columns = columns, .rowStride = rowStride};
    m.row.shape.rank = 1;
    m.row.shape.dims[0] = columns;
    m.row.strides[0] = columnStride;
    return m;
}

static const struct simView *rowOf(struct matrix *m, int64_t i)
{
    m->row.offset = m->offset + i * m->rowStride;
    return &m->row;
}

/* out = alpha·a·b + beta·added; without added if it is NULL or beta is 0. */
static void multiply(struct matrix *a, struct matrix *b, struct matrix *out, struct matrix *added, double alpha,
                     double beta)
{
    double sums[ROWS][SIM_BLOCK], left[ROWS][SIM_BLOCK], right[SIM_BLOCK];
    for (int64_t i = 0; i < out->rows; i += ROWS) {
        int rows = out->rows - i < ROWS ? (int)(out->rows - i) : ROWS;
        for (int64_t j = 0; j < out->columns; j += SIM_BLOCK) {
            int columns = out->columns - j < SIM_BLOCK ? (int)(out->columns - j) : SIM_BLOCK;
            memset(sums, 0, sizeof sums);
            for (int64_t k = 0; k < a->columns; k += SIM_BLOCK) {
                int inner = a->columns - k < SIM_BLOCK ? (int)(a->columns - k) : SIM_BLOCK;
                for (int r = 0; r < rows; r++) simLoad(rowOf(a, i + r), k, inner, left[r]);
                for (int p = 0; p < inner; p++) {
                    simLoad(rowOf(b, k + p), j, columns, right);
                    for (int r = 0; r < rows; r++) {
                        double factor = left[r][p];
                        for (int c = 0; c < columns; c++) sums[r][c] += factor * right[c];
                    }
                }
            }
            for (int r = 0; r < rows; r++) {
                for (int c = 0; c < columns; c++) sums[r][c] *= alpha;
                if (added != NULL && beta != 0) {
                    simLoad(rowOf(added, i + r), j, columns, right);
                    for (int c = 0; c < columns; c++) sums[r][c] += beta * right[c];
                }
                simStore(rowOf(out, i + r), j, columns, sums[r]);
            }
        }
    }
}

/* ---- aclnnMm and aclnnMatmul ---- */

/* A view as a stack of matrices: vectors get a second dimension, in front of self's and behind mat2's. */
static struct simView stackOf(const struct simView *view, bool left)
{
    struct simView stack = *view;
    if (view->shape.rank != 1) return stack;
    int kept = left ? 1 : 0;
    stack.shape.rank = 2;
    stack.shape.dims[kept] = view->shape.dims[0];
    stack.strides[kept] = view->strides[0];
    stack.shape.dims[1 - kept] = 1;
    stack.strides[1 - kept] = 0;
    return stack;
}

/* The shape of the stack, without the matrices. */
static struct simShape batchOf(const struct simView *stack)
{
    struct simShape batch = stack->shape;
    batch.rank -= 2;
    return batch;
}

/* The positions of a stack's matrices, broadcast to batch. */
static struct simView batchView(const struct simView *stack, const struct simShape *batch)
{
    struct simView view = *stack;
    view.shape.rank -= 2;
    return simExpand(&view, batch);
}

static struct matrix matrixAt(const struct simView *stack, const struct simView *positions, int64_t t)
{
    int r = stack->shape.rank;
    int64_t offset;
    simPositions(positions, t, 1, &offset);
    return matrixOf(stack, offset, stack->shape.dims[r - 2], stack->shape.dims[r - 1], stack->strides[r - 2],
                    stack->strides[r - 1]);
}

static void runMatmul(const struct simPlan *plan)
{
    struct simView a = stackOf(&plan->operand[0].view, true), b = stackOf(&plan->operand[1].view, false);
    /* plan->shape is out's shape before the dimensions of vectors were taken away. */
    struct simView out = plan->operand[2].view;
    struct simView full = out;
    full.shape = plan->shape;
    int from = 0;
    for (int i = 0; i < full.shape.rank; i++) {
        bool missing = (i == full.shape.rank - 2 && plan->operand[0].view.shape.rank == 1) ||
                       (i == full.shape.rank - 1 && plan->operand[1].view.shape.rank == 1);
        full.strides[i] = missing ? 0 : out.strides[from++];
    }
    struct simShape batch = batchOf(&full);
    struct simView as = batchView(&a, &batch), bs = batchView(&b, &batch), outs = batchView(&full, &batch);
    int64_t count = simCountElements(&batch);
    for (int64_t t = 0; t < count; t++) {
        struct matrix ma = matrixAt(&a, &as, t), mb = matrixAt(&b, &bs, t), mo = matrixAt(&full, &outs, t);
        multiply(&ma, &mb, &mo, NULL, 1, 0);
    }
}

/* How the cube unit may round is of no matter here: products are exact and sums in double. */
static void checkMathType(struct simPlanner *p, int8_t cubeMathType)
{
    if (cubeMathType < 0 || cubeMathType > 4) simRefuse(p, "cubeMathType", "%d is not in [0, 4]", (int)cubeMathType);
    for (int i = 0; i < p->plan.inputs && cubeMathType == 2; i++) {
        if (p->plan.operand[i].view.type == ACL_BF16)
            simRefuse(p, "cubeMathType", "2 computes in FLOAT16, which %s of BFLOAT16 does not allow",
                      p->plan.operand[i].name);
    }
}

static aclnnStatus plan(const char *name, const aclTensor *self, const aclTensor *mat2, const aclTensor *out,
                        int8_t cubeMathType, bool matricesOnly, uint64_t *workspaceSize, aclOpExecutor **executor)
{
    struct simPlanner p;
    simBegin(&p, name, workspaceSize, executor);
    simInput(&p, "self", self);
    simInput(&p, "mat2", mat2);
    simOutput(&p, "out", out);
    simCheckTypes(&p, SIM_FLOATS);
    simCheckRanks(&p);
    for (int i = 0; i < 2; i++) {
        int rank = p.plan.operand[i].view.shape.rank;
        if (matricesOnly ? rank != 2 : rank == 0)
            simRefuse(&p, p.plan.operand[i].name, "%d dimensions where %s needed", rank,
                      matricesOnly ? "2 are" : "at least 1 is");
    }
    checkMathType(&p, cubeMathType);
    if (p.status != 0) return p.status;

    struct simView a = stackOf(&p.plan.operand[0].view, true), b = stackOf(&p.plan.operand[1].view, false);
    int ra = a.shape.rank, rb = b.shape.rank;
    int64_t inner = a.shape.dims[ra - 1];
    if (b.shape.dims[rb - 2] != inner)
        simRefuse(&p, "mat2", "the inner dimension is %lld, self's is %lld", (long long)b.shape.dims[rb - 2],
                  (long long)inner);
    struct simShape full = batchOf(&a), other = batchOf(&b);
    if (!simBroadcast(&full, &other)) simRefuse(&p, "mat2", "its batch dimensions do not broadcast with self's");
    full.dims[full.rank++] = a.shape.dims[ra - 2];
    full.dims[full.rank++] = b.shape.dims[rb - 1];
    p.plan.shape = full;

    struct simShape left = full;
    if (p.plan.operand[1].view.shape.rank == 1) left.rank--;
    if (p.plan.operand[0].view.shape.rank == 1) {
        if (p.plan.operand[1].view.shape.rank != 1) left.dims[left.rank - 2] = left.dims[left.rank - 1];
        left.rank--;
    }
    simCheckShape(&p, 2, &left);
    p.plan.empty = simCountElements(&full) == 0;
    return simFinish(&p, runMatmul);
}

aclnnStatus aclnnMmGetWorkspaceSize(const aclTensor *self, const aclTensor *mat2, aclTensor *out, int8_t cubeMathType,
                                    uint64_t *workspaceSize, aclOpExecutor **executor)
{
    return plan("aclnnMm", self, mat2, out, cubeMathType, true, workspaceSize, executor);
}
PHASE_TWO(aclnnMm)

aclnnStatus aclnnMatmulGetWorkspaceSize(const aclTensor *self, const aclTensor *mat2, aclTensor *out,
                                        int8_t cubeMathType, uint64_t *workspaceSize, aclOpExecutor **executor)
{
    return plan("aclnnMatmul", self, mat2, out, cubeMathType, false, workspaceSize, executor);
}
PHASE_TWO(aclnnMatmul)

/* ---- aclnnAddmm ---- */

static struct matrix whole(const struct simView *view)
{
    return matrixOf(view, view->offset, view->shape.dims[0], view->shape.dims[1], view->strides[0], view->strides[1]);
}

static void runAddmm(const struct simPlan *plan)
{
    struct simView self = simExpand(&plan->operand[0].view, &plan->shape);
    struct matrix added = whole(&self), a = whole(&plan->operand[1].view), b = whole(&plan->operand[2].view),
                  out = whole(&plan->operand[3].view);
    multiply(&a, &b, &out, &added, plan->number[1], plan->number[0]);
}

static aclnnStatus planAddmm(const char *name, const aclTensor *self, const aclTensor *mat1, const aclTensor *mat2,
                             const aclScalar *beta, const aclScalar *alpha, const aclTensor *out, int8_t cubeMathType,
                             uint64_t *workspaceSize, aclOpExecutor **executor)
{
    struct simPlanner p;
    simBegin(&p, name, workspaceSize, executor);
    simInput(&p, "self", self);
    simInput(&p, "mat1", mat1);
    simInput(&p, "mat2", mat2);
    simNumber(&p, "beta", beta);
    simNumber(&p, "alpha", alpha);
    simOutput(&p, "out", out);
    simCheckTypes(&p, SIM_FLOATS);
    simCheckRanks(&p);
    for (int i = 1; i < 3; i++) {
        if (p.plan.operand[i].view.shape.rank != 2)
            simRefuse(&p, p.plan.operand[i].name, "%d dimensions where 2 are needed",
                      p.plan.operand[i].view.shape.rank);
    }
    checkMathType(&p, cubeMathType);
    if (p.status != 0) return p.status;

    const struct simShape *a = &p.plan.operand[1].view.shape, *b = &p.plan.operand[2].view.shape;
    if (a->dims[1] != b->dims[0])
        simRefuse(&p, "mat2", "the inner dimension is %lld, mat1's is %lld", (long long)b->dims[0],
                  (long long)a->dims[1]);
    struct simShape shape = {.rank = 2, .dims = {a->dims[0], b->dims[1]}}, with = shape;
    if (!simBroadcast(&with, &p.plan.operand[0].view.shape) || !simSameShape(&with, &shape))
        simRefuse(&p, "self", "its shape does not broadcast to the product's");
    p.plan.shape = shape;
    simCheckShape(&p, 3, &shape);
    p.plan.empty = simCountElements(&shape) == 0;
    return simFinish(&p, runAddmm);
}

aclnnStatus aclnnAddmmGetWorkspaceSize(const aclTensor *self, const aclTensor *mat1, const aclTensor *mat2,
                                       const aclScalar *beta, const aclScalar *alpha, aclTensor *out,
                                       int8_t cubeMathType, uint64_t *workspaceSize, aclOpExecutor **executor)
{
    return planAddmm("aclnnAddmm", self, mat1, mat2, beta, alpha, out, cubeMathType, workspaceSize, executor);
}
PHASE_TWO(aclnnAddmm)

aclnnStatus aclnnInplaceAddmmGetWorkspaceSize(aclTensor *selfRef, const aclTensor *mat1, const aclTensor *mat2,
                                              const aclScalar *beta, const aclScalar *alpha, int8_t cubeMathType,
                                              uint64_t *workspaceSize, aclOpExecutor **executor)
{
    return planAddmm("aclnnInplaceAddmm", selfRef, mat1, mat2, beta, alpha, selfRef, cubeMathType, workspaceSize,
                     executor);
}
PHASE_TWO(aclnnInplaceAddmm)
