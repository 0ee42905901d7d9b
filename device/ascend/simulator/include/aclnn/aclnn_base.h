/* aclnn: initialisation without the rest of AscendCL. */
#ifndef ASCENDSIM_ACLNN_ACLNN_BASE_H
#define ASCENDSIM_ACLNN_ACLNN_BASE_H

#include "acl_meta.h"

#ifdef __cplusplus
extern "C" {
#endif

ACL_FUNC_VISIBILITY aclnnStatus aclnnInit(const char *configPath);
ACL_FUNC_VISIBILITY aclnnStatus aclnnFinalize(void);

#ifdef __cplusplus
}
#endif

#endif
