/* Prints what aclInit says of the configuration file that the environment names. */
#include <stdio.h>
#include <stdlib.h>

#include "acl/acl.h"

int main(void)
{
    const int code = aclInit(getenv("CONFIG"));
    const char *message = aclGetRecentErrMsg();
    printf("%d %s\n", code, message == NULL ? "" : message);
    return code == 0 ? aclFinalize() : 0;
}
