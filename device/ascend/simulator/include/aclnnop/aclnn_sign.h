/* aclnnSign. */
#ifndef ASCENDSIM_ACLNNOP_ACLNN_SIGN_H
#define ASCENDSIM_ACLNNOP_ACLNN_SIGN_H

#include "../aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACL_FUNC_VISIBILITY aclnnStatus aclnnSignGetWorkspaceSize(const aclTensor *self, aclTensor *result,
                                                          uint64_t *workspaceSize, aclOpExecutor **executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnSign(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                          aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
