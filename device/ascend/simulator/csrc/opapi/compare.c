/* Comparisons, and the choice that follows one. */
#include "aclnnop/aclnn_eq_scalar.h"
#include "aclnnop/aclnn_eq_tensor.h"
#include "aclnnop/aclnn_gt_scalar.h"
#include "aclnnop/aclnn_gt_tensor.h"
#include "aclnnop/aclnn_s_where.h"
#include "kernel.h"

static void loopGtTensor(const struct simPlan *plan, int n, double *const x[])
{
    (void)plan;
    for (int i = 0; i < n; i++) x[2][i] = x[0][i] > x[1][i];
}

static void loopEqTensor(const struct simPlan *plan, int n, double *const x[])
{
    (void)plan;
    for (int i = 0; i < n; i++) x[2][i] = x[0][i] == x[1][i];
}

static void loopGtScalar(const struct simPlan *plan, int n, double *const x[])
{
    for (int i = 0; i < n; i++) x[1][i] = x[0][i] > plan->number[0];
}

static void loopEqScalar(const struct simPlan *plan, int n, double *const x[])
{
    for (int i = 0; i < n; i++) x[1][i] = x[0][i] == plan->number[0];
}

/* The result is BOOL, or a number of any type, 0 or 1. */
static aclnnStatus finish(struct simPlanner *p, const aclTensor *out, simLoop loop)
{
    simOutput(p, "out", out);
    for (int i = 0; i < p->plan.operands; i++) simCheckType(p, i, SIM_NUMBERS | SIM_BOOL);
    return simElementwise(p, 0, loop);
}

static aclnnStatus planTensors(const char *name, const aclTensor *self, const aclTensor *other, const aclTensor *out,
                               simLoop loop, uint64_t *workspaceSize, aclOpExecutor **executor)
{
    struct simPlanner p;
    simBegin(&p, name, workspaceSize, executor);
    simInput(&p, "self", self);
    simInput(&p, "other", other);
    return finish(&p, out, loop);
}

static aclnnStatus planScalar(const char *name, const aclTensor *self, const aclScalar *other, const aclTensor *out,
                              simLoop loop, uint64_t *workspaceSize, aclOpExecutor **executor)
{
    struct simPlanner p;
    simBegin(&p, name, workspaceSize, executor);
    simInput(&p, "self", self);
    simNumber(&p, "other", other);
    return finish(&p, out, loop);
}

aclnnStatus aclnnGtTensorGetWorkspaceSize(const aclTensor *self, const aclTensor *other, aclTensor *out,
                                          uint64_t *workspaceSize, aclOpExecutor **executor)
{
    return planTensors("aclnnGtTensor", self, other, out, loopGtTensor, workspaceSize, executor);
}
PHASE_TWO(aclnnGtTensor)

aclnnStatus aclnnEqTensorGetWorkspaceSize(const aclTensor *self, const aclTensor *other, aclTensor *out,
                                          uint64_t *workspaceSize, aclOpExecutor **executor)
{
    return planTensors("aclnnEqTensor", self, other, out, loopEqTensor, workspaceSize, executor);
}
PHASE_TWO(aclnnEqTensor)

aclnnStatus aclnnGtScalarGetWorkspaceSize(const aclTensor *self, const aclScalar *other, aclTensor *out,
                                          uint64_t *workspaceSize, aclOpExecutor **executor)
{
    return planScalar("aclnnGtScalar", self, other, out, loopGtScalar, workspaceSize, executor);
}
PHASE_TWO(aclnnGtScalar)

aclnnStatus aclnnEqScalarGetWorkspaceSize(const aclTensor *self, const aclScalar *other, aclTensor *out,
                                          uint64_t *workspaceSize, aclOpExecutor **executor)
{
    return planScalar("aclnnEqScalar", self, other, out, loopEqScalar, workspaceSize, executor);
}
PHASE_TWO(aclnnEqScalar)

static void loopSWhere(const struct simPlan *plan, int n, double *const x[])
{
    (void)plan;
    for (int i = 0; i < n; i++) x[3][i] = x[0][i] != 0 ? x[1][i] : x[2][i];
}

aclnnStatus aclnnSWhereGetWorkspaceSize(const aclTensor *condition, const aclTensor *self, const aclTensor *other,
                                        aclTensor *out, uint64_t *workspaceSize, aclOpExecutor **executor)
{
    struct simPlanner p;
    simBegin(&p, "aclnnSWhere", workspaceSize, executor);
    simInput(&p, "condition", condition);
    simInput(&p, "self", self);
    simInput(&p, "other", other);
    simOutput(&p, "out", out);
    simCheckType(&p, 0, SIM_BOOL);
    for (int i = 1; i < 4; i++) simCheckType(&p, i, SIM_NUMBERS | SIM_BOOL);
    simCheckStorable(&p, 3, simPromoted(&p));
    return simElementwise(&p, 0, loopSWhere);
}
PHASE_TWO(aclnnSWhere)
