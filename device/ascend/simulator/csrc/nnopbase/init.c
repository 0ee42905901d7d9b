/* aclnnInit and aclnnFinalize, for programs that do without the rest of AscendCL's beginning and end. */
#include "../plan.h"

aclnnStatus aclnnInit(const char *configPath)
{
    aclError code = aclInit(configPath);
    return code == ACL_ERROR_REPEAT_INITIALIZE ? ACL_SUCCESS : code;
}

aclnnStatus aclnnFinalize(void) { return aclFinalize(); }
