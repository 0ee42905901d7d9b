/* aclnnSoftMarginLoss. */
#ifndef ASCENDSIM_ACLNNOP_ACLNN_SOFT_MARGIN_LOSS_H
#define ASCENDSIM_ACLNNOP_ACLNN_SOFT_MARGIN_LOSS_H

#include "../aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACL_FUNC_VISIBILITY aclnnStatus aclnnSoftMarginLossGetWorkspaceSize(const aclTensor *self, const aclTensor *target,
                                                                    int64_t reduction, aclTensor *out,
                                                                    uint64_t *workspaceSize, aclOpExecutor **executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnSoftMarginLoss(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                                    aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
