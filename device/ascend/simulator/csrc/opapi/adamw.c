/*
 * AdamW (Loshchilov and Hutter, 2019) as CANN documents it, g being grad, or -grad to maximise:
 *
 *   m = beta1·m + (1-beta1)·g
 *   v = beta2·v + (1-beta2)·g²
 *   var = var - lr·weightDecay·var - lr·m/(1-beta1^t) / (√(v/(1-beta2^t)) + eps)
 *
 * With amsgrad, the larger of maxGradNorm and v takes v's place in the last line.
 */
#include "aclnnop/aclnn_apply_adam_w.h"
#include "aclnnop/aclnn_apply_adam_w_v2.h"
#include "kernel.h"

struct coefficients {
    double lr, beta1, beta2, weightDecay, eps, beta1Power, beta2Power;
};

static double larger(double a, double b) { return a > b || isnan(a) ? a : b; }

/* Updates one element; maximum is NULL without amsgrad. */
static void update(const struct coefficients *c, double g, double *var, double *m, double *v, double *maximum)
{
    *m = c->beta1 * *m + (1 - c->beta1) * g;
    *v = c->beta2 * *v + (1 - c->beta2) * g * g;
    double second = *v;
    if (maximum != NULL) second = *maximum = larger(*maximum, *v);
    double step = *m / (1 - c->beta1Power) / (sqrt(second / (1 - c->beta2Power)) + c->eps);
    *var = *var - c->lr * c->weightDecay * *var - c->lr * step;
}

/* Gives an operand of one element the plan's shape. */
static void repeat(struct simPlanner *p, int operand)
{
    struct simOperand *o = &p->plan.operand[operand];
    if (p->status != 0) return;
    if (simCountElements(&o->view.shape) != 1) {
        char text[SIM_SHAPE_TEXT];
        simRefuse(p, o->name, "the shape is %s where one element is needed", simShapeText(&o->view.shape, text));
        return;
    }
    struct simView one = o->view;
    one.shape.rank = 0;
    o->walked = simExpand(&one, &p->plan.shape);
}

/* Checks that operand has the parameter's shape. */
static void follow(struct simPlanner *p, int operand) { simCheckShape(p, operand, &p->plan.shape); }

enum { V2_VAR, V2_M, V2_V, V2_MAX, V2_GRAD, V2_STEP, V2_VAR_OUT, V2_M_OUT, V2_V_OUT, V2_MAX_OUT };

/* number: lr, beta1, beta2, weightDecay, eps; integer: amsgrad, maximize. */
static void loopV2(const struct simPlan *plan, int n, double *const x[])
{
    struct coefficients c = {.lr = plan->number[0],
                             .beta1 = plan->number[1],
                             .beta2 = plan->number[2],
                             .weightDecay = plan->number[3],
                             .eps = plan->number[4]};
    c.beta1Power = pow(c.beta1, x[V2_STEP][0]);
    c.beta2Power = pow(c.beta2, x[V2_STEP][0]);
    bool amsgrad = plan->integer[0] != 0, maximize = plan->integer[1] != 0;
    for (int i = 0; i < n; i++) {
        double g = maximize ? -x[V2_GRAD][i] : x[V2_GRAD][i];
        x[V2_VAR_OUT][i] = x[V2_VAR][i];
        x[V2_M_OUT][i] = x[V2_M][i];
        x[V2_V_OUT][i] = x[V2_V][i];
        if (amsgrad) x[V2_MAX_OUT][i] = x[V2_MAX][i];
        update(&c, g, &x[V2_VAR_OUT][i], &x[V2_M_OUT][i], &x[V2_V_OUT][i], amsgrad ? &x[V2_MAX_OUT][i] : NULL);
    }
}

/* t is the one value of step, FLOAT or INT64. */
aclnnStatus aclnnApplyAdamWV2GetWorkspaceSize(aclTensor *varRef, aclTensor *mRef, aclTensor *vRef,
                                              aclTensor *maxGradNormOptionalRef, const aclTensor *grad,
                                              const aclTensor *step, float lr, float beta1, float beta2,
                                              float weightDecay, float eps, bool amsgrad, bool maximize,
                                              uint64_t *workspaceSize, aclOpExecutor **executor)
{
    struct simPlanner p;
    simBegin(&p, "aclnnApplyAdamWV2", workspaceSize, executor);
    simInput(&p, "varRef", varRef);
    simInput(&p, "mRef", mRef);
    simInput(&p, "vRef", vRef);
    if (amsgrad) simInput(&p, "maxGradNormOptionalRef", maxGradNormOptionalRef);
    else simOptionalInput(&p, "maxGradNormOptionalRef", maxGradNormOptionalRef);
    simInput(&p, "grad", grad);
    simInput(&p, "step", step);
    simOutput(&p, "varRef", varRef);
    simOutput(&p, "mRef", mRef);
    simOutput(&p, "vRef", vRef);
    if (amsgrad) simOutput(&p, "maxGradNormOptionalRef", maxGradNormOptionalRef);
    for (int i = 0; i <= V2_GRAD; i++) simCheckType(&p, i, SIM_FLOATS);
    aclDataType type = p.plan.operand[V2_STEP].view.type;
    if (type != ACL_FLOAT && type != ACL_INT64)
        simRefuse(&p, "step", "%s is neither FLOAT nor INT64", simTypeName(type));
    simCheckRanks(&p);
    p.plan.shape = p.plan.operand[V2_VAR].view.shape;
    for (int i = V2_M; i <= V2_GRAD; i++) follow(&p, i);
    simWalk(&p);
    repeat(&p, V2_STEP);
    const double numbers[] = {(double)lr, (double)beta1, (double)beta2, (double)weightDecay, (double)eps};
    memcpy(p.plan.number, numbers, sizeof numbers);
    p.plan.integer[0] = amsgrad;
    p.plan.integer[1] = maximize;
    p.plan.loop = loopV2;
    return simFinish(&p, simRunElementwise);
}
PHASE_TWO(aclnnApplyAdamWV2)

enum {
    W_VAR,
    W_M,
    W_V,
    W_POWER1,
    W_POWER2,
    W_LR,
    W_DECAY,
    W_BETA1,
    W_BETA2,
    W_EPS,
    W_GRAD,
    W_MAX,
    W_VAR_OUT,
    W_M_OUT,
    W_V_OUT
};

static void loopW(const struct simPlan *plan, int n, double *const x[])
{
    struct coefficients c = {.lr = x[W_LR][0],
                             .beta1 = x[W_BETA1][0],
                             .beta2 = x[W_BETA2][0],
                             .weightDecay = x[W_DECAY][0],
                             .eps = x[W_EPS][0]};
    c.beta1Power = x[W_POWER1][0] * c.beta1;
    c.beta2Power = x[W_POWER2][0] * c.beta2;
    bool amsgrad = plan->integer[0] != 0, maximize = plan->integer[1] != 0;
    for (int i = 0; i < n; i++) {
        double g = maximize ? -x[W_GRAD][i] : x[W_GRAD][i], maximum = amsgrad ? x[W_MAX][i] : 0;
        x[W_VAR_OUT][i] = x[W_VAR][i];
        x[W_M_OUT][i] = x[W_M][i];
        x[W_V_OUT][i] = x[W_V][i];
        update(&c, g, &x[W_VAR_OUT][i], &x[W_M_OUT][i], &x[W_V_OUT][i], amsgrad ? &maximum : NULL);
    }
}

/* beta1Power and beta2Power are beta^(t-1); maxGradNormOptional is only read. */
aclnnStatus aclnnApplyAdamWGetWorkspaceSize(aclTensor *varRef, aclTensor *mRef, aclTensor *vRef,
                                            const aclTensor *beta1Power, const aclTensor *beta2Power,
                                            const aclTensor *lr, const aclTensor *weightDecay, const aclTensor *beta1,
                                            const aclTensor *beta2, const aclTensor *eps, const aclTensor *grad,
                                            const aclTensor *maxGradNormOptional, bool amsgrad, bool maximize,
                                            uint64_t *workspaceSize, aclOpExecutor **executor)
{
    struct simPlanner p;
    simBegin(&p, "aclnnApplyAdamW", workspaceSize, executor);
    simInput(&p, "varRef", varRef);
    simInput(&p, "mRef", mRef);
    simInput(&p, "vRef", vRef);
    simInput(&p, "beta1Power", beta1Power);
    simInput(&p, "beta2Power", beta2Power);
    simInput(&p, "lr", lr);
    simInput(&p, "weightDecay", weightDecay);
    simInput(&p, "beta1", beta1);
    simInput(&p, "beta2", beta2);
    simInput(&p, "eps", eps);
    simInput(&p, "grad", grad);
    if (amsgrad) simInput(&p, "maxGradNormOptional", maxGradNormOptional);
    else simOptionalInput(&p, "maxGradNormOptional", maxGradNormOptional);
    simOutput(&p, "varRef", varRef);
    simOutput(&p, "mRef", mRef);
    simOutput(&p, "vRef", vRef);
    simCheckTypes(&p, SIM_FLOATS);
    simCheckRanks(&p);
    p.plan.shape = p.plan.operand[W_VAR].view.shape;
    const int same[] = {W_M, W_V, W_GRAD, W_MAX};
    for (size_t i = 0; i < sizeof same / sizeof same[0]; i++) follow(&p, same[i]);
    simWalk(&p);
    for (int i = W_POWER1; i <= W_EPS; i++) repeat(&p, i);
    p.plan.integer[0] = amsgrad;
    p.plan.integer[1] = maximize;
    p.plan.loop = loopW;
    return simFinish(&p, simRunElementwise);
}
PHASE_TWO(aclnnApplyAdamW)
