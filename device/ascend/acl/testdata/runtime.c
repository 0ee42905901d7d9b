/* The run-time half of a fake CANN for the tests: enough of AscendCL to see that the
   binding calls it right. -DSTUB builds one that gives itself away as CANN's stubs for linking do,
   -DLACKING one without aclrtMemcpyAsync, -DOLD one without what an installation may lack. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local char message[256];
static _Thread_local int fresh;       /* whether the message was not read yet */
static _Thread_local int64_t context; /* of this thread */
static int initialised;

static int fail(int code, const char *text, long long number) {
    snprintf(message, sizeof message, text, number);
    fresh = 1;
    return code;
}

#ifndef OLD
const char *aclGetRecentErrMsg(void) {
    if (!fresh) return NULL;
    fresh = 0;
    return message;
}
#endif

/* fakeDeep uses about a mebibyte of stack. */
int fakeDeep(int depth) {
    volatile char page[4096];
    memset((char *)page, depth, sizeof page);
    return depth == 0 ? 0 : page[4095] - (char)depth + fakeDeep(depth - 1);
}

const char *fakeGetenv(const char *name) { return getenv(name); }

int aclrtGetVersion(int32_t *major, int32_t *minor, int32_t *patch) {
#ifdef STUB
    return 100039;
#endif
    *major = 1, *minor = 10, *patch = 3;
    return 0;
}
static int setHandle(void **handle, int64_t value) {
    if (context == 0) return fail(107002, "  ctx is NULL!\n\tTraceBack (most recent call last):\n", 0);
    *handle = (void *)value;
    return 0;
}
static int needContext(void) { return context == 0 ? fail(107002, "ctx is NULL!", 0) : 0; }
static int allocate(void **p, size_t size) {
    if (size == 0) return fail(100000, "size is 0", 0);
    if (size > 1 << 30) return fail(207001, "alloc %lld bytes failed", (long long)size);
    *p = aligned_alloc(64, (size + 63) / 64 * 64);
    return 0;
}
static int release(void *p) {
    free(p);
    return 0;
}

int aclInit(const char *config) { return config != NULL ? 100000 : initialised++ > 0 ? 100002 : 0; }
int aclFinalize(void) { return initialised > 0 ? (initialised = 0) : 100037; }
int aclrtSetDevice(int32_t d) { return d >= 0 && d < 9 ? (context = 1000 + d, 0) : fail(d < 100 ? 107001 : 507033, "device %lld is bad", d); }
int aclrtResetDevice(int32_t d) { return d < 0 ? 107001 : (context = 0); }
int aclrtCreateContext(void **c, int32_t d) { return (context = 2000 + d, *c = (void *)context, 0); }
int aclrtDestroyContext(void *c) { return c == NULL ? 100000 : (context = 0); }
int aclrtCreateStream(void **s) { return setHandle(s, 0x7fff12345678); }
int aclrtDestroyStream(void *s) { return s == (void *)0x7fff12345678 ? 0 : fail(107003, "stream %llx", (long long)s); }
int aclrtSynchronizeStream(void *s) { return s == (void *)0x7fff12345678 ? needContext() : fail(107003, "stream %llx", (long long)s); }
int aclrtMalloc(void **p, size_t size, int policy) { return policy != 0 ? 100000 : allocate(p, size); }
int aclrtFree(void *p) { return p == NULL ? 100000 : release(p); }
int aclrtMallocHost(void **p, size_t size) { return allocate(p, size); }
int aclrtFreeHost(void *p) { return p == NULL ? 100000 : release(p); }
#ifndef LACKING
int aclrtMemcpyAsync(void *dst, size_t room, const void *src, size_t count, int kind, void *s) {
    if (s != (void *)0x7fff12345678) return fail(107003, "stream %llx", (long long)s);
    if (count > room) return fail(107000, "count exceeds destMax", 0);
    if (kind < 1 || kind > 3) return fail(100000, "kind is %lld", kind);
    memcpy(dst, src, count);
    return 0;
}
#endif
#ifndef OLD
const char *aclrtGetSocName(void) { return context == 0 ? NULL : "Fake910"; }
int aclrtGetDeviceCount(uint32_t *n) { return (*n = 9, 0); }
int aclrtGetMemInfo(int kind, size_t *available, size_t *total) {
    if (kind == 1) return fail(100000, "this chip has no HBM", 0);
    return (*available = 3LL << 30, *total = 8LL << 30, 0);
}
#endif
