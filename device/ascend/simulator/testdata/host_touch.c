/* Reads device memory through the pointer of aclrtMalloc, as no program can on a device. */
#include <stdio.h>

#include "acl/acl.h"

int main(void)
{
    void *memory = NULL;
    if (aclInit(NULL) != 0 || aclrtSetDevice(0) != 0 || aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST) != 0)
        return 2;
    puts("allocated");
    fflush(stdout);
    printf("read %d\n", *(volatile int *)memory);
    return 0;
}
