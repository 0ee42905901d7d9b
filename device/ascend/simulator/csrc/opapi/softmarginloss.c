/*
 * The soft margin loss, log(1 + exp(-target·self)), and its gradient
 * gradOutput·(-target·exp(-target·self))/(1 + exp(-target·self)).
 *
 * Computed without overflow, unless the fault exp-overflow asks for the form that the
 * vendor documents, in float32, which gives infinity and NaN beyond a margin of -88.7.
 */
#include "aclnnop/aclnn_soft_margin_loss.h"
#include "aclnnop/aclnn_soft_margin_loss_backward.h"
#include "kernel.h"

static void stableLoss(const struct simPlan *plan, int n, double *const x[])
{
    (void)plan;
    for (int i = 0; i < n; i++) {
        double margin = x[0][i] * x[1][i];
        x[2][i] = fmax(-margin, 0) + log1p(exp(-fabs(margin)));
        if (isnan(margin)) x[2][i] = margin; /* fmax would lose it */
    }
}

static void naiveLoss(const struct simPlan *plan, int n, double *const x[])
{
    (void)plan;
    for (int i = 0; i < n; i++) {
        float e = expf(-(float)x[0][i] * (float)x[1][i]);
        x[2][i] = (double)logf(1 + e);
    }
}

/* The share of the gradient in one element. */
static double scale(const struct simPlan *plan)
{
    return plan->reduction == 1 ? 1 / (double)simCountElements(&plan->shape) : 1;
}

static void stableGradient(const struct simPlan *plan, int n, double *const x[])
{
    double share = scale(plan);
    for (int i = 0; i < n; i++) {
        double target = x[2][i], margin = x[1][i] * target, e = exp(-fabs(margin));
        double slope = margin < 0 ? 1 / (1 + e) : e / (1 + e); /* sigmoid(-margin) */
        x[3][i] = x[0][i] * share * (-target * slope);
    }
}

static void naiveGradient(const struct simPlan *plan, int n, double *const x[])
{
    float share = (float)scale(plan);
    for (int i = 0; i < n; i++) {
        float target = (float)x[2][i], e = expf(-(float)x[1][i] * target);
        float slope = -target * e / (1 + e);
        x[3][i] = (double)(slope * ((float)x[0][i] * share));
    }
}

/* Of no elements the mean is NaN, the sum 0, and any other reduction leaves out as it is. */
aclnnStatus aclnnSoftMarginLossGetWorkspaceSize(const aclTensor *self, const aclTensor *target, int64_t reduction,
                                                aclTensor *out, uint64_t *workspaceSize, aclOpExecutor **executor)
{
    struct simPlanner p;
    simBegin(&p, "aclnnSoftMarginLoss", workspaceSize, executor);
    simInput(&p, "self", self);
    simInput(&p, "target", target);
    simOutput(&p, "out", out);
    simCheckTypes(&p, SIM_FLOATS);
    simCheckRanks(&p);
    simBroadcastInputs(&p);
    return simPlanLoss(&p, 2, reduction, simSwitchedOn(SIM_EXP_OVERFLOW) ? naiveLoss : stableLoss);
}
PHASE_TWO(aclnnSoftMarginLoss)

/*
 * The device takes any reduction and reads beyond a table if it is not one of the three,
 * which nobody can rely on; here that is refused, last of all checks.
 */
aclnnStatus aclnnSoftMarginLossBackwardGetWorkspaceSize(const aclTensor *gradOutput, const aclTensor *self,
                                                        const aclTensor *target, int64_t reduction, aclTensor *out,
                                                        uint64_t *workspaceSize, aclOpExecutor **executor)
{
    struct simPlanner p;
    simBegin(&p, "aclnnSoftMarginLossBackward", workspaceSize, executor);
    simInput(&p, "gradOutput", gradOutput);
    simInput(&p, "self", self);
    simInput(&p, "target", target);
    simOutput(&p, "out", out);
    simCheckTypes(&p, SIM_FLOATS);
    simCheckRanks(&p);
    simBroadcastInputs(&p);
    simCheckShape(&p, 3, &p.plan.shape);
    if (reduction < 0 || reduction > 2)
        simRefuse(&p, "reduction", "%lld is not one of 0 (none), 1 (mean), 2 (sum)", (long long)reduction);
    if (p.status == 0 && p.plan.operand[0].format == ACL_FORMAT_FRACTAL_NZ)
        simWarn("aclnnSoftMarginLossBackward: gradOutput has the format FRACTAL_NZ; it is read as ND");
    simWalk(&p);
    p.plan.reduction = reduction;
    p.plan.loop = simSwitchedOn(SIM_EXP_OVERFLOW) ? naiveGradient : stableGradient;
    return simFinish(&p, simRunElementwise);
}
PHASE_TWO(aclnnSoftMarginLossBackward)
