/*
 * The binary cross entropy of logits, -weight·(posWeight·target·log σ(self) + (1-target)·log(1-σ(self))),
 * and its gradient. target has self's shape; the weights broadcast to it.
 */
#include "aclnnop/aclnn_binary_cross_entropy_with_logits.h"
#include "aclnnop/aclnn_binary_cross_entropy_with_logits_backward.h"
#include "kernel.h"

static double softplus(double v) { return (v > 0 ? v : 0) + log1p(exp(-fabs(v))); }

static double sigmoid(double v)
{
    double e = exp(-fabs(v));
    return v < 0 ? e / (1 + e) : 1 / (1 + e);
}

static void loopLoss(const struct simPlan *plan, int n, double *const x[])
{
    (void)plan;
    for (int i = 0; i < n; i++) {
        double self = x[0][i], target = x[1][i];
        double weight = x[2] == NULL ? 1 : x[2][i], positive = x[3] == NULL ? 1 : x[3][i];
        double loss = isnan(self) ? self : positive * target * softplus(-self) + (1 - target) * softplus(self);
        /* log(1-σ(x)) is -softplus(x) and log σ(x) is -softplus(-x); 0·∞ is a loss of nothing. */
        if (isinf(self) && (self > 0 ? target == 1 : target == 0)) loss = 0;
        x[4][i] = weight * loss;
    }
}

static void loopGradient(const struct simPlan *plan, int n, double *const x[])
{
    double share = plan->reduction == 1 ? 1 / (double)simCountElements(&plan->shape) : 1;
    for (int i = 0; i < n; i++) {
        double self = x[1][i], target = x[2][i];
        double weight = x[3] == NULL ? 1 : x[3][i], positive = x[4] == NULL ? 1 : x[4][i];
        double slope = (1 - target) * sigmoid(self) - positive * target * sigmoid(-self);
        x[5][i] = x[0][i] * share * (weight * slope);
    }
}

/* Checks that operand's shape broadcasts to the plan's. */
static void checkFits(struct simPlanner *p, int operand)
{
    const struct simOperand *o = &p->plan.operand[operand];
    struct simShape shape = p->plan.shape;
    if (p->status != 0 || o->tensor == NULL) return;
    if (!simBroadcast(&shape, &o->view.shape) || !simSameShape(&shape, &p->plan.shape)) {
        char a[SIM_SHAPE_TEXT], b[SIM_SHAPE_TEXT];
        simRefuse(p, o->name, "the shape %s does not broadcast to %s, target's", simShapeText(&o->view.shape, a),
                  simShapeText(&p->plan.shape, b));
    }
}

static void checkReduction(struct simPlanner *p, int64_t reduction)
{
    if (reduction < 0 || reduction > 2)
        simRefuse(p, "reduction", "%lld is not one of 0 (none), 1 (mean), 2 (sum)", (long long)reduction);
}

aclnnStatus aclnnBinaryCrossEntropyWithLogitsGetWorkspaceSize(const aclTensor *self, const aclTensor *target,
                                                              const aclTensor *weightOptional,
                                                              const aclTensor *posWeightOptional, int64_t reduction,
                                                              aclTensor *out, uint64_t *workspaceSize,
                                                              aclOpExecutor **executor)
{
    struct simPlanner p;
    simBegin(&p, "aclnnBinaryCrossEntropyWithLogits", workspaceSize, executor);
    simInput(&p, "self", self);
    simInput(&p, "target", target);
    simOptionalInput(&p, "weightOptional", weightOptional);
    simOptionalInput(&p, "posWeightOptional", posWeightOptional);
    simOutput(&p, "out", out);
    simCheckTypes(&p, SIM_FLOATS);
    simCheckRanks(&p);
    p.plan.shape = p.plan.operand[0].view.shape;
    simCheckShape(&p, 1, &p.plan.shape);
    checkFits(&p, 2);
    checkFits(&p, 3);
    checkReduction(&p, reduction);
    return simPlanLoss(&p, 4, reduction, loopLoss);
}
PHASE_TWO(aclnnBinaryCrossEntropyWithLogits)

aclnnStatus aclnnBinaryCrossEntropyWithLogitsBackwardGetWorkspaceSize(const aclTensor *gradOutput,
                                                                      const aclTensor *self, const aclTensor *target,
                                                                      const aclTensor *weightOptional,
                                                                      const aclTensor *posWeightOptional,
                                                                      int64_t reduction, aclTensor *out,
                                                                      uint64_t *workspaceSize, aclOpExecutor **executor)
{
    struct simPlanner p;
    simBegin(&p, "aclnnBinaryCrossEntropyWithLogitsBackward", workspaceSize, executor);
    simInput(&p, "gradOutput", gradOutput);
    simInput(&p, "self", self);
    simInput(&p, "target", target);
    simOptionalInput(&p, "weightOptional", weightOptional);
    simOptionalInput(&p, "posWeightOptional", posWeightOptional);
    simOutput(&p, "out", out);
    simCheckTypes(&p, SIM_FLOATS);
    simCheckRanks(&p);
    p.plan.shape = p.plan.operand[1].view.shape;
    simCheckShape(&p, 2, &p.plan.shape);
    checkFits(&p, 0);
    checkFits(&p, 3);
    checkFits(&p, 4);
    simCheckShape(&p, 5, &p.plan.shape);
    checkReduction(&p, reduction);
    simWalk(&p);
    p.plan.reduction = reduction;
    p.plan.loop = loopGradient;
    return simFinish(&p, simRunElementwise);
}
PHASE_TWO(aclnnBinaryCrossEntropyWithLogitsBackward)
