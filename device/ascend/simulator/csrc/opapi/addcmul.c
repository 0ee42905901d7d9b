/* self + value·tensor1·tensor2 and self + value·tensor1/tensor2. */
#include "aclnnop/aclnn_addcdiv.h"
#include "aclnnop/aclnn_addcmul.h"
#include "kernel.h"

static void loopMul(const struct simPlan *plan, int n, double *const x[])
{
    for (int i = 0; i < n; i++) x[3][i] = x[0][i] + plan->number[0] * x[1][i] * x[2][i];
}

static void loopDiv(const struct simPlan *plan, int n, double *const x[])
{
    for (int i = 0; i < n; i++) x[3][i] = x[0][i] + plan->number[0] * x[1][i] / x[2][i];
}

static aclnnStatus plan(const char *name, const aclTensor *self, const aclTensor *tensor1, const aclTensor *tensor2,
                        const aclScalar *value, const aclTensor *out, simLoop loop, uint64_t *workspaceSize,
                        aclOpExecutor **executor)
{
    struct simPlanner p;
    simBegin(&p, name, workspaceSize, executor);
    simInput(&p, "self", self);
    simInput(&p, "tensor1", tensor1);
    simInput(&p, "tensor2", tensor2);
    simNumber(&p, "value", value);
    simOutput(&p, "out", out);
    return simElementwise(&p, SIM_FLOATS, loop);
}

aclnnStatus aclnnAddcmulGetWorkspaceSize(const aclTensor *self, const aclTensor *tensor1, const aclTensor *tensor2,
                                         const aclScalar *value, aclTensor *out, uint64_t *workspaceSize,
                                         aclOpExecutor **executor)
{
    return plan("aclnnAddcmul", self, tensor1, tensor2, value, out, loopMul, workspaceSize, executor);
}
PHASE_TWO(aclnnAddcmul)

aclnnStatus aclnnInplaceAddcmulGetWorkspaceSize(aclTensor *selfRef, const aclTensor *tensor1, const aclTensor *tensor2,
                                                const aclScalar *value, uint64_t *workspaceSize,
                                                aclOpExecutor **executor)
{
    return plan("aclnnInplaceAddcmul", selfRef, tensor1, tensor2, value, selfRef, loopMul, workspaceSize, executor);
}
PHASE_TWO(aclnnInplaceAddcmul)

aclnnStatus aclnnAddcdivGetWorkspaceSize(const aclTensor *self, const aclTensor *tensor1, const aclTensor *tensor2,
                                         const aclScalar *value, aclTensor *out, uint64_t *workspaceSize,
                                         aclOpExecutor **executor)
{
    return plan("aclnnAddcdiv", self, tensor1, tensor2, value, out, loopDiv, workspaceSize, executor);
}
PHASE_TWO(aclnnAddcdiv)

aclnnStatus aclnnInplaceAddcdivGetWorkspaceSize(aclTensor *selfRef, const aclTensor *tensor1, const aclTensor *tensor2,
                                                const aclScalar *value, uint64_t *workspaceSize,
                                                aclOpExecutor **executor)
{
    return plan("aclnnInplaceAddcdiv", selfRef, tensor1, tensor2, value, selfRef, loopDiv, workspaceSize, executor);
}
PHASE_TWO(aclnnInplaceAddcdiv)
