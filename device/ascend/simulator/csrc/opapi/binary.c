/* Element-wise arithmetic of two tensors, or of a tensor and a number. */
#include "aclnnop/aclnn_add.h"
#include "aclnnop/aclnn_div.h"
#include "aclnnop/aclnn_maximum.h"
#include "aclnnop/aclnn_mul.h"
#include "aclnnop/aclnn_sub.h"
#include "kernel.h"

/* Plans a loop over self, other (or a number in its place) and out, with alpha as a last number if it has one. */
static aclnnStatus plan(const char *name, const aclTensor *self, const aclTensor *other, const aclScalar *number,
                        bool tensor, const aclScalar *alpha, bool scaled, const aclTensor *out, int types, simLoop loop,
                        uint64_t *workspaceSize, aclOpExecutor **executor)
{
    struct simPlanner p;
    simBegin(&p, name, workspaceSize, executor);
    simInput(&p, "self", self);
    if (tensor) simInput(&p, "other", other);
    else simNumber(&p, "other", number);
    if (scaled) simNumber(&p, "alpha", alpha);
    simOutput(&p, "out", out);
    return simElementwise(&p, types, loop);
}

/* expression is of a, b and alpha; a number is other's, or alpha, in the order in which they were given. */
#define LOOPS(Op, expression)                                                      \
    static void loop##Op(const struct simPlan *plan_, int n, double *const x[])    \
    {                                                                              \
        double alpha = plan_->number[0];                                           \
        (void)alpha;                                                               \
        for (int i = 0; i < n; i++) {                                              \
            double a = x[0][i], b = x[1][i];                                       \
            x[2][i] = (expression);                                                \
        }                                                                          \
    }                                                                              \
    static void loop##Op##s(const struct simPlan *plan_, int n, double *const x[]) \
    {                                                                              \
        double b = plan_->number[0], alpha = plan_->number[1];                     \
        (void)alpha;                                                               \
        for (int i = 0; i < n; i++) {                                              \
            double a = x[0][i];                                                    \
            x[1][i] = (expression);                                                \
        }                                                                          \
    }

/* The four forms of an operator with alpha. */
#define SCALED(Op, types)                                                                                              \
    aclnnStatus aclnn##Op##GetWorkspaceSize(const aclTensor *self, const aclTensor *other, const aclScalar *alpha,     \
                                            aclTensor *out, uint64_t *workspaceSize, aclOpExecutor **executor)         \
    {                                                                                                                  \
        return plan("aclnn" #Op, self, other, NULL, true, alpha, true, out, types, loop##Op, workspaceSize, executor); \
    }                                                                                                                  \
    PHASE_TWO(aclnn##Op)                                                                                               \
    aclnnStatus aclnn##Op##sGetWorkspaceSize(const aclTensor *self, const aclScalar *other, const aclScalar *alpha,    \
                                             aclTensor *out, uint64_t *workspaceSize, aclOpExecutor **executor)        \
    {                                                                                                                  \
        return plan("aclnn" #Op "s", self, NULL, other, false, alpha, true, out, types, loop##Op##s, workspaceSize,    \
                    executor);                                                                                         \
    }                                                                                                                  \
    PHASE_TWO(aclnn##Op##s)                                                                                            \
    aclnnStatus aclnnInplace##Op##GetWorkspaceSize(aclTensor *selfRef, const aclTensor *other, const aclScalar *alpha, \
                                                   uint64_t *workspaceSize, aclOpExecutor **executor)                  \
    {                                                                                                                  \
        return plan("aclnnInplace" #Op, selfRef, other, NULL, true, alpha, true, selfRef, types, loop##Op,             \
                    workspaceSize, executor);                                                                          \
    }                                                                                                                  \
    PHASE_TWO(aclnnInplace##Op)                                                                                        \
    aclnnStatus aclnnInplace##Op##sGetWorkspaceSize(aclTensor *selfRef, const aclScalar *other,                        \
                                                    const aclScalar *alpha, uint64_t *workspaceSize,                   \
                                                    aclOpExecutor **executor)                                          \
    {                                                                                                                  \
        return plan("aclnnInplace" #Op "s", selfRef, NULL, other, false, alpha, true, selfRef, types, loop##Op##s,     \
                    workspaceSize, executor);                                                                          \
    }                                                                                                                  \
    PHASE_TWO(aclnnInplace##Op##s)

/* The four forms of an operator without. */
#define UNSCALED(Op, types)                                                                                            \
    aclnnStatus aclnn##Op##GetWorkspaceSize(const aclTensor *self, const aclTensor *other, aclTensor *out,             \
                                            uint64_t *workspaceSize, aclOpExecutor **executor)                         \
    {                                                                                                                  \
        return plan("aclnn" #Op, self, other, NULL, true, NULL, false, out, types, loop##Op, workspaceSize, executor); \
    }                                                                                                                  \
    PHASE_TWO(aclnn##Op)                                                                                               \
    aclnnStatus aclnn##Op##sGetWorkspaceSize(const aclTensor *self, const aclScalar *other, aclTensor *out,            \
                                             uint64_t *workspaceSize, aclOpExecutor **executor)                        \
    {                                                                                                                  \
        return plan("aclnn" #Op "s", self, NULL, other, false, NULL, false, out, types, loop##Op##s, workspaceSize,    \
                    executor);                                                                                         \
    }                                                                                                                  \
    PHASE_TWO(aclnn##Op##s)                                                                                            \
    aclnnStatus aclnnInplace##Op##GetWorkspaceSize(aclTensor *selfRef, const aclTensor *other,                         \
                                                   uint64_t *workspaceSize, aclOpExecutor **executor)                  \
    {                                                                                                                  \
        return plan("aclnnInplace" #Op, selfRef, other, NULL, true, NULL, false, selfRef, types, loop##Op,             \
                    workspaceSize, executor);                                                                          \
    }                                                                                                                  \
    PHASE_TWO(aclnnInplace##Op)                                                                                        \
    aclnnStatus aclnnInplace##Op##sGetWorkspaceSize(aclTensor *selfRef, const aclScalar *other,                        \
                                                    uint64_t *workspaceSize, aclOpExecutor **executor)                 \
    {                                                                                                                  \
        return plan("aclnnInplace" #Op "s", selfRef, NULL, other, false, NULL, false, selfRef, types, loop##Op##s,     \
                    workspaceSize, executor);                                                                          \
    }                                                                                                                  \
    PHASE_TWO(aclnnInplace##Op##s)

LOOPS(Add, a + alpha * b)
SCALED(Add, SIM_NUMBERS)

LOOPS(Sub, a - alpha * b)
SCALED(Sub, SIM_NUMBERS)

LOOPS(Mul, a *b)
UNSCALED(Mul, SIM_NUMBERS)

LOOPS(Div, a / b)
UNSCALED(Div, SIM_FLOATS)

static void loopMaximum(const struct simPlan *plan_, int n, double *const x[])
{
    (void)plan_;
    for (int i = 0; i < n; i++) {
        double a = x[0][i], b = x[1][i];
        x[2][i] = a > b || isnan(a) ? a : b;
    }
}

aclnnStatus aclnnMaximumGetWorkspaceSize(const aclTensor *self, const aclTensor *other, aclTensor *out,
                                         uint64_t *workspaceSize, aclOpExecutor **executor)
{
    return plan("aclnnMaximum", self, other, NULL, true, NULL, false, out, SIM_NUMBERS, loopMaximum, workspaceSize,
                executor);
}
PHASE_TWO(aclnnMaximum)

static void loopTruncate(const struct simPlan *plan_, int n, double *const x[])
{
    (void)plan_;
    for (int i = 0; i < n; i++) x[2][i] = trunc(x[0][i] / x[1][i]);
}

static void loopFloor(const struct simPlan *plan_, int n, double *const x[])
{
    (void)plan_;
    for (int i = 0; i < n; i++) x[2][i] = floor(x[0][i] / x[1][i]);
}

/* mode: 0 leaves the quotient as it is, 1 truncates it, 2 rounds it down. */
aclnnStatus aclnnDivModGetWorkspaceSize(const aclTensor *self, const aclTensor *other, int mode, aclTensor *out,
                                        uint64_t *workspaceSize, aclOpExecutor **executor)
{
    static const simLoop loops[] = {loopDiv, loopTruncate, loopFloor};
    struct simPlanner p;
    simBegin(&p, "aclnnDivMod", workspaceSize, executor);
    simInput(&p, "self", self);
    simInput(&p, "other", other);
    simOutput(&p, "out", out);
    if (mode < 0 || mode > 2) simRefuse(&p, "mode", "%d is not one of 0, 1, 2", mode);
    return simElementwise(&p, SIM_FLOATS, loops[mode < 0 || mode > 2 ? 0 : mode]);
}
PHASE_TWO(aclnnDivMod)
