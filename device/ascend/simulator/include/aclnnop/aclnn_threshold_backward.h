/* aclnnThresholdBackward. */
#ifndef ASCENDSIM_ACLNNOP_ACLNN_THRESHOLD_BACKWARD_H
#define ASCENDSIM_ACLNNOP_ACLNN_THRESHOLD_BACKWARD_H

#include "../aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACL_FUNC_VISIBILITY aclnnStatus aclnnThresholdBackwardGetWorkspaceSize(const aclTensor *gradOutput,
                                                                       const aclTensor *self,
                                                                       const aclScalar *threshold, aclTensor *out,
                                                                       uint64_t *workspaceSize,
                                                                       aclOpExecutor **executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnThresholdBackward(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                                       aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
