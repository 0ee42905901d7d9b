/* aclnnAddmm, aclnnInplaceAddmm. */
#ifndef ASCENDSIM_ACLNNOP_ACLNN_ADDMM_H
#define ASCENDSIM_ACLNNOP_ACLNN_ADDMM_H

#include "../aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACL_FUNC_VISIBILITY aclnnStatus aclnnAddmmGetWorkspaceSize(const aclTensor *self, const aclTensor *mat1,
                                                           const aclTensor *mat2, const aclScalar *beta,
                                                           const aclScalar *alpha, aclTensor *out, int8_t cubeMathType,
                                                           uint64_t *workspaceSize, aclOpExecutor **executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnAddmm(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                           aclrtStream stream);

ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceAddmmGetWorkspaceSize(aclTensor *selfRef, const aclTensor *mat1,
                                                                  const aclTensor *mat2, const aclScalar *beta,
                                                                  const aclScalar *alpha, int8_t cubeMathType,
                                                                  uint64_t *workspaceSize, aclOpExecutor **executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceAddmm(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                                  aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
