/* Does what the simulator takes, but warns of. */
#include <pthread.h>
#include <stdio.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_relu.h"
#include "aclnnop/aclnn_soft_margin_loss_backward.h"

static aclrtContext context;
static aclOpExecutor *executor;

static int check(int code)
{
    const char *message = aclGetRecentErrMsg();
    if (code != 0) printf("%d %s\n", code, message == NULL ? "" : message);
    return code;
}

static void *phaseTwo(void *unused)
{
    (void)unused;
    check(aclrtSetCurrentContext(context));
    check(aclnnInplaceRelu(NULL, 0, executor, NULL));
    check(aclrtSynchronizeStream(NULL));
    return NULL;
}

int main(void)
{
    const int64_t n = 4;
    void *memory = NULL;
    uint64_t size = 0;
    if (check(aclInit(NULL)) || check(aclrtSetDevice(0)) || check(aclrtGetCurrentContext(&context)) ||
        check(aclrtMalloc(&memory, 16, ACL_MEM_MALLOC_HUGE_FIRST)))
        return 1;
    aclTensor *nd = aclCreateTensor(&n, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, &n, 1, memory);
    aclTensor *nz = aclCreateTensor(&n, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_FRACTAL_NZ, &n, 1, memory);
    check(aclnnSoftMarginLossBackwardGetWorkspaceSize(nz, nd, nd, 0, nd, &size, &executor));
    check(aclDestroyAclOpExecutor(executor));
    for (int i = 0; i < 2; i++) {
        pthread_t thread;
        check(aclnnInplaceReluGetWorkspaceSize(nd, &size, &executor));
        if (pthread_create(&thread, NULL, phaseTwo, NULL) != 0) return 1;
        pthread_join(thread, NULL);
    }
    check(aclDestroyTensor(nd));
    check(aclDestroyTensor(nz));
    check(aclrtFree(memory));
    check(aclrtResetDevice(0));
    return check(aclFinalize());
}
