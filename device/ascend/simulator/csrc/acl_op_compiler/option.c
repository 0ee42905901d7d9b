/* Options of the operator compiler: there is no compiler here for them to matter to. */
#include "acl/acl_op_compiler.h"

#include "../sim.h"

aclError aclSetCompileopt(aclCompileOpt opt, const char *value)
{
    if (value == NULL) return simFail(ACL_ERROR_INVALID_PARAM, "aclSetCompileopt: value is NULL");
    if ((int)opt < ACL_PRECISION_MODE || opt > ACL_ALLOW_HF32)
        return simFail(ACL_ERROR_INVALID_PARAM, "aclSetCompileopt: %d is no option", (int)opt);
    return ACL_SUCCESS;
}
