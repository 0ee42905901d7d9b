/* Activations with parameters, and gradients of activations. */
#include "aclnnop/aclnn_leaky_relu.h"
#include "aclnnop/aclnn_leaky_relu_backward.h"
#include "aclnnop/aclnn_sigmoid_backward.h"
#include "aclnnop/aclnn_softplus.h"
#include "aclnnop/aclnn_tanh_backward.h"
#include "aclnnop/aclnn_threshold.h"
#include "aclnnop/aclnn_threshold_backward.h"
#include "kernel.h"

static void loopLeakyRelu(const struct simPlan *plan, int n, double *const x[])
{
    for (int i = 0; i < n; i++) x[1][i] = x[0][i] > 0 ? x[0][i] : plan->number[0] * x[0][i];
}

aclnnStatus aclnnLeakyReluGetWorkspaceSize(const aclTensor *self, const aclScalar *negativeSlope, aclTensor *out,
                                           uint64_t *workspaceSize, aclOpExecutor **executor)
{
    struct simPlanner p;
    simBegin(&p, "aclnnLeakyRelu", workspaceSize, executor);
    simInput(&p, "self", self);
    simNumber(&p, "negativeSlope", negativeSlope);
    simOutput(&p, "out", out);
    return simElementwise(&p, SIM_FLOATS, loopLeakyRelu);
}
PHASE_TWO(aclnnLeakyRelu)

static void loopLeakyReluBackward(const struct simPlan *plan, int n, double *const x[])
{
    for (int i = 0; i < n; i++) x[2][i] = x[1][i] > 0 ? x[0][i] : plan->number[0] * x[0][i];
}

aclnnStatus aclnnLeakyReluBackwardGetWorkspaceSize(const aclTensor *gradOutput, const aclTensor *self,
                                                   const aclScalar *negativeSlope, bool selfIsResult, aclTensor *out,
                                                   uint64_t *workspaceSize, aclOpExecutor **executor)
{
    struct simPlanner p;
    simBegin(&p, "aclnnLeakyReluBackward", workspaceSize, executor);
    simInput(&p, "gradOutput", gradOutput);
    simInput(&p, "self", self);
    simNumber(&p, "negativeSlope", negativeSlope);
    simOutput(&p, "out", out);
    if (selfIsResult && p.plan.number[0] < 0)
        simRefuse(&p, "negativeSlope", "a result does not tell the sign of its input if the slope is negative");
    return simElementwise(&p, SIM_FLOATS, loopLeakyReluBackward);
}
PHASE_TWO(aclnnLeakyReluBackward)

static void loopThreshold(const struct simPlan *plan, int n, double *const x[])
{
    for (int i = 0; i < n; i++) x[1][i] = x[0][i] > plan->number[0] ? x[0][i] : plan->number[1];
}

aclnnStatus aclnnThresholdGetWorkspaceSize(const aclTensor *self, const aclScalar *threshold, const aclScalar *value,
                                           aclTensor *out, uint64_t *workspaceSize, aclOpExecutor **executor)
{
    struct simPlanner p;
    simBegin(&p, "aclnnThreshold", workspaceSize, executor);
    simInput(&p, "self", self);
    simNumber(&p, "threshold", threshold);
    simNumber(&p, "value", value);
    simOutput(&p, "out", out);
    return simElementwise(&p, SIM_NUMBERS, loopThreshold);
}
PHASE_TWO(aclnnThreshold)

static void loopThresholdBackward(const struct simPlan *plan, int n, double *const x[])
{
    for (int i = 0; i < n; i++) x[2][i] = x[1][i] > plan->number[0] ? x[0][i] : 0;
}

aclnnStatus aclnnThresholdBackwardGetWorkspaceSize(const aclTensor *gradOutput, const aclTensor *self,
                                                   const aclScalar *threshold, aclTensor *out, uint64_t *workspaceSize,
                                                   aclOpExecutor **executor)
{
    struct simPlanner p;
    simBegin(&p, "aclnnThresholdBackward", workspaceSize, executor);
    simInput(&p, "gradOutput", gradOutput);
    simInput(&p, "self", self);
    simNumber(&p, "threshold", threshold);
    simOutput(&p, "out", out);
    return simElementwise(&p, SIM_NUMBERS, loopThresholdBackward);
}
PHASE_TWO(aclnnThresholdBackward)

static aclnnStatus planOfOutput(const char *name, const aclTensor *gradOutput, const aclTensor *output,
                                const aclTensor *gradInput, simLoop loop, uint64_t *workspaceSize,
                                aclOpExecutor **executor)
{
    struct simPlanner p;
    simBegin(&p, name, workspaceSize, executor);
    simInput(&p, "gradOutput", gradOutput);
    simInput(&p, "output", output);
    simOutput(&p, "gradInput", gradInput);
    return simElementwise(&p, SIM_FLOATS, loop);
}

static void loopTanhBackward(const struct simPlan *plan, int n, double *const x[])
{
    (void)plan;
    for (int i = 0; i < n; i++) x[2][i] = x[0][i] * (1 - x[1][i] * x[1][i]);
}

aclnnStatus aclnnTanhBackwardGetWorkspaceSize(const aclTensor *gradOutput, const aclTensor *output,
                                              aclTensor *gradInput, uint64_t *workspaceSize, aclOpExecutor **executor)
{
    return planOfOutput("aclnnTanhBackward", gradOutput, output, gradInput, loopTanhBackward, workspaceSize, executor);
}
PHASE_TWO(aclnnTanhBackward)

static void loopSigmoidBackward(const struct simPlan *plan, int n, double *const x[])
{
    (void)plan;
    for (int i = 0; i < n; i++) x[2][i] = x[0][i] * (x[1][i] * (1 - x[1][i]));
}

aclnnStatus aclnnSigmoidBackwardGetWorkspaceSize(const aclTensor *gradOutput, const aclTensor *output,
                                                 aclTensor *gradInput, uint64_t *workspaceSize,
                                                 aclOpExecutor **executor)
{
    return planOfOutput("aclnnSigmoidBackward", gradOutput, output, gradInput, loopSigmoidBackward, workspaceSize,
                        executor);
}
PHASE_TWO(aclnnSigmoidBackward)

/* log(1 + exp(beta·self)) / beta, and self itself where beta·self is above the threshold. */
static void loopSoftplus(const struct simPlan *plan, int n, double *const x[])
{
    double beta = plan->number[0], threshold = plan->number[1];
    for (int i = 0; i < n; i++) {
        double v = beta * x[0][i];
        x[1][i] = v > threshold ? x[0][i] : ((v > 0 ? v : 0) + log1p(exp(-fabs(v)))) / beta;
    }
}

aclnnStatus aclnnSoftplusGetWorkspaceSize(const aclTensor *self, const aclScalar *beta, const aclScalar *threshold,
                                          aclTensor *out, uint64_t *workspaceSize, aclOpExecutor **executor)
{
    struct simPlanner p;
    simBegin(&p, "aclnnSoftplus", workspaceSize, executor);
    simInput(&p, "self", self);
    simNumber(&p, "beta", beta);
    simNumber(&p, "threshold", threshold);
    simOutput(&p, "out", out);
    return simElementwise(&p, SIM_FLOATS, loopSoftplus);
}
PHASE_TWO(aclnnSoftplus)
