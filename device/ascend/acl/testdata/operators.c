/* A library of operators of the fake CANN. Phase one writes down the arguments that have reached it.
   -DNEEDY builds one that calls libnnopbase.so. */
#include <inttypes.h>
#include <stdint.h>
#include <stdbool.h>
#include <stdio.h>

#ifdef NEEDY
extern int aclDestroyAclOpExecutor(void *);
int fakeNeedBase(void) { return aclDestroyAclOpExecutor(NULL); }
#endif

typedef const void *handle;

static char echo[1024];
static int launches;

const char *fakeEcho(void) { return echo; }
int fakeLaunches(void) { return launches; }

static int plan(uint64_t *workspace, void **executor) {
    *workspace = 1234567890123456789u;
    *executor = (void *)0x7fffabcdef01;
    return 0;
}
#define LAUNCH(name)                                                                     \
    int name(void *workspace, uint64_t size, void *executor, void *stream) {             \
        if (executor == NULL) return 161001;                                             \
        launches++;                                                                      \
        return 0;                                                                        \
    }
LAUNCH(aclnnNone)
LAUNCH(aclnnAdamW)
LAUNCH(aclnnAdamWV2)
LAUNCH(aclnnMixed)
LAUNCH(aclnnRefuse)
LAUNCH(aclnnHalf)

int aclnnEcho(void *workspace, uint64_t size, void *executor, void *stream) {
    sprintf(echo, "%" PRIxPTR " %" PRIu64 " %" PRIxPTR " %" PRIxPTR, (uintptr_t)workspace, size, (uintptr_t)executor, (uintptr_t)stream);
    return 0;
}
int aclnnEchoGetWorkspaceSize(uint64_t *workspace, void **executor) { return plan(workspace, executor); }

int aclnnStatus(void *workspace, uint64_t size, void *executor, void *stream) { return (int)size; }
int aclnnStatusGetWorkspaceSize(uint64_t *workspace, void **executor) { return plan(workspace, executor); }
int aclnnNoneGetWorkspaceSize(uint64_t *workspace, void **executor) { return plan(workspace, executor); }
int aclnnRefuseGetWorkspaceSize(handle self, uint64_t *workspace, void **executor) {
    plan(workspace, executor);
    return self == NULL ? 161001 : 161002;
}
int aclnnMixedGetWorkspaceSize(handle a, int8_t b, bool c, float d, int32_t e, int64_t f, handle g, float h, bool i, int8_t j, int32_t k,
                               int64_t l, float m, uint64_t *workspace, void **executor) {
    sprintf(echo, "%" PRIxPTR " %d %d %.9g %d %" PRId64 " %" PRIxPTR " %.9g %d %d %d %" PRId64 " %.9g", (uintptr_t)a, b, c, d, e, f, (uintptr_t)g, h, i,
            j, k, l, m);
    return plan(workspace, executor);
}
/* The signatures of aclnnApplyAdamW and aclnnApplyAdamWV2, the longest there are. */
int aclnnAdamWGetWorkspaceSize(handle a, handle b, handle c, handle d, handle e, handle f, handle g, handle h, handle i, handle j, handle k, handle l,
                               bool m, bool n, uint64_t *workspace, void **executor) {
    handle all[] = {a, b, c, d, e, f, g, h, i, j, k, l};
    char *end = echo;
    for (int at = 0; at < 12; at++) end += sprintf(end, "%" PRIxPTR " ", (uintptr_t)all[at]);
    sprintf(end, "%d %d", m, n);
    return plan(workspace, executor);
}
int aclnnAdamWV2GetWorkspaceSize(handle a, handle b, handle c, handle d, handle e, handle f, float g, float h, float i, float j, float k, bool l, bool m,
                                 uint64_t *workspace, void **executor) {
    sprintf(echo, "%" PRIxPTR " %" PRIxPTR " %" PRIxPTR " %" PRIxPTR " %" PRIxPTR " %" PRIxPTR " %.9g %.9g %.9g %.9g %.9g %d %d", (uintptr_t)a,
            (uintptr_t)b, (uintptr_t)c, (uintptr_t)d, (uintptr_t)e, (uintptr_t)f, g, h, i, j, k, l, m);
    return plan(workspace, executor);
}
