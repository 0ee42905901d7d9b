/* aclnnSigmoidBackward. */
#ifndef ASCENDSIM_ACLNNOP_ACLNN_SIGMOID_BACKWARD_H
#define ASCENDSIM_ACLNNOP_ACLNN_SIGMOID_BACKWARD_H

#include "../aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACL_FUNC_VISIBILITY aclnnStatus aclnnSigmoidBackwardGetWorkspaceSize(const aclTensor *gradOutput,
                                                                     const aclTensor *output, aclTensor *gradInput,
                                                                     uint64_t *workspaceSize, aclOpExecutor **executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnSigmoidBackward(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                                     aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
