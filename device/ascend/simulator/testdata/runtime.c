/*
 * How the run-time behaves: each test starts from a finalised library and must leave nothing alive.
 * Arguments name the tests to run; without any, all are. Exit status 1 if an expectation fails.
 */
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "acl/acl.h"
#include "acl/acl_op_compiler.h"
#include "aclnnop/aclnn_add.h"
#include "aclnnop/aclnn_binary_cross_entropy_with_logits.h"
#include "aclnnop/aclnn_copy.h"
#include "aclnnop/aclnn_exp.h"
#include "aclnnop/aclnn_mul.h"
#include "aclnnop/aclnn_soft_margin_loss.h"
#include "ascendsim.h"

static int failures;

static void expectCode(int line, const char *call, int got, int want)
{
    if (got == want) return;
    const char *message = aclGetRecentErrMsg();
    fprintf(stderr, "line %d: %s: got %d, want %d (%s)\n", line, call, got, want, message == NULL ? "" : message);
    failures++;
}

static void expectTrue(int line, const char *condition, bool holds)
{
    if (holds) return;
    fprintf(stderr, "line %d: %s does not hold\n", line, condition);
    failures++;
}

#define CODE(want, call) expectCode(__LINE__, #call, (call), (want))
#define OK(call) CODE(ACL_SUCCESS, call)
#define TRUE(condition) expectTrue(__LINE__, #condition, (condition))

/* Expects a failure, and a message of this thread that says something. */
#define FAILS(want, call, words)                                                                         \
    do {                                                                                                 \
        (void)aclGetRecentErrMsg();                                                                      \
        int got_ = (call);                                                                               \
        const char *message_ = aclGetRecentErrMsg();                                                     \
        expectTrue(__LINE__, #call " says " words, message_ != NULL && strstr(message_, words) != NULL); \
        expectCode(__LINE__, #call, got_, (want));                                                       \
        expectTrue(__LINE__, "the message is consumed", aclGetRecentErrMsg() == NULL);                   \
    } while (0)

enum { N = 4, BYTES = N * sizeof(float) };

static aclrtStream stream;

/* C++'s operator delete[], where there is one: what the getters of tensors return is to be freed by it. */
extern void deleteArray(void *array) __asm__("_ZdaPv") __attribute__((weak));

static void release(int64_t *values)
{
    if (deleteArray != NULL) deleteArray(values);
    else free(values);
}

static void begin(const char *faults)
{
    ascendsimSetFaults(faults);
    OK(aclInit(NULL));
    OK(aclrtSetDevice(0));
    OK(aclrtCreateStream(&stream));
}

static void end(void)
{
    OK(aclrtDestroyStream(stream));
    OK(aclrtResetDevice(0));
    CODE(0, (int)ascendsimAlive());
    OK(aclFinalize());
    ascendsimSetFaults(NULL);
}

static void *allocate(const float *values)
{
    void *memory = NULL;
    OK(aclrtMalloc(&memory, BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
    if (values != NULL) OK(aclrtMemcpy(memory, BYTES, values, BYTES, ACL_MEMCPY_HOST_TO_DEVICE));
    return memory;
}

static aclTensor *tensorOf(int64_t n, int64_t stride, int64_t offset, void *memory)
{
    aclTensor *t = aclCreateTensor(&n, 1, ACL_FLOAT, &stride, offset, ACL_FORMAT_ND, &n, 1, memory);
    TRUE(t != NULL);
    return t;
}

static float firstOf(const void *memory)
{
    float values[N] = {0};
    OK(aclrtMemcpy(values, BYTES, memory, BYTES, ACL_MEMCPY_DEVICE_TO_HOST));
    return values[0];
}

static aclOpExecutor *planExp(aclTensor *self, aclTensor *out)
{
    uint64_t size = 1;
    aclOpExecutor *executor = NULL;
    OK(aclnnExpGetWorkspaceSize(self, out, &size, &executor));
    TRUE(size == 0);
    return executor;
}

static const float zeros[N] = {0, 0, 0, 0}, ones[N] = {1, 1, 1, 1};

/* ---- initialisation ---- */

static void testInit(void)
{
    void *memory = NULL;
    uint64_t size = 0;
    aclOpExecutor *executor = NULL;
    aclTensor *t = tensorOf(N, 1, 0, NULL);
    FAILS(100001, aclrtSetDevice(0), "aclInit");
    FAILS(100001, aclnnExpGetWorkspaceSize(t, t, &size, &executor), "aclInit");
    CODE(161001, aclnnExpGetWorkspaceSize(t, t, NULL, &executor));
    OK(aclDestroyTensor(t));
    FAILS(100037, aclFinalize(), "aclFinalize");
    OK(aclInit(NULL));
    FAILS(100002, aclInit(NULL), "already");
    uint64_t left = 9;
    OK(aclFinalizeReference(&left));
    TRUE(left == 1);
    OK(aclFinalize());
    CODE(100037, aclFinalize());
    CODE(100037, aclFinalizeReference(NULL));
    FAILS(100000, aclInit("/nonexistent/acl.json"), "configuration"); /* other than the first */
    OK(aclnnInit(NULL));
    OK(aclnnInit(NULL));
    CODE(107002, aclrtMalloc(&memory, 1, ACL_MEM_MALLOC_HUGE_FIRST));
    t = tensorOf(N, 1, 0, NULL);
    FAILS(107002, aclnnExpGetWorkspaceSize(t, t, &size, &executor), "no context");
    OK(aclDestroyTensor(t));
    OK(aclnnFinalize());
    OK(aclInit(NULL));
    OK(aclFinalize());

    int32_t major = -1, minor = -1, patch = -1;
    OK(aclrtGetVersion(&major, &minor, &patch));
    TRUE(major == ACL_MAJOR_VERSION && minor == ACL_MINOR_VERSION && patch == ACL_PATCH_VERSION);
    char version[128] = "", package[] = "runtime";
    OK(aclsysGetVersionStr(package, version));
    TRUE(strstr(version, "simulator") != NULL);
    TRUE(strcmp(aclrtGetSocName(), "Ascend-Simulator") == 0);
    OK(aclSetCompileopt(ACL_PRECISION_MODE, "allow_mix_precision"));
    CODE(100000, aclSetCompileopt(ACL_PRECISION_MODE, NULL));
}

static void testTypes(void)
{
    TRUE(aclDataTypeSize(ACL_FLOAT) == 4 && aclDataTypeSize(ACL_BF16) == 2 && aclDataTypeSize(ACL_INT64) == 8);
    TRUE(aclDataTypeSize(ACL_BOOL) == 1 && aclDataTypeSize(ACL_COMPLEX128) == 16 &&
         aclDataTypeSize(ACL_DT_UNDEFINED) == 0);
    /* Every float16 goes there and back. */
    for (uint32_t bits = 0; bits < 0x10000; bits++) {
        bool finite = (bits & 0x7c00) != 0x7c00;
        float value = aclFloat16ToFloat((aclFloat16)bits);
        if (!finite) TRUE(!isfinite(value));
        else if (aclFloatToFloat16(value) != bits) TRUE(!"round trip");
    }
    TRUE(aclFloatToFloat16(1e9f) == 0x7bff && aclFloatToFloat16(-1e9f) == 0xfbff);
    TRUE(aclFloatToFloat16(1 + 0x1p-11f) == 0x3c00 && aclFloatToFloat16(1 + 0x3p-11f) == 0x3c02); /* ties to even */
    TRUE(aclFloatToFloat16(0x1p-25f) == 0 && aclFloatToFloat16(0x1.8p-25f) == 1);
}

/* ---- devices and contexts ---- */

static void *onFreshThread(void *argument)
{
    aclrtContext context = argument, current = NULL;
    int32_t device = -1;
    FAILS(107002, aclrtGetCurrentContext(&current), "no context");
    CODE(107002, aclrtGetDevice(&device));
    CODE(107002, aclrtSynchronizeStream(NULL));
    CODE(107002, aclrtSynchronizeDevice());
    OK(aclrtSetCurrentContext(context));
    OK(aclrtGetCurrentContext(&current));
    TRUE(current == context);
    OK(aclrtSynchronizeStream(stream));
    FAILS(107003, aclrtSynchronizeStream(&device), "not live");
    CODE(107003, aclrtDestroyStream(&device));
    return NULL;
}

static void testContexts(void)
{
    aclrtContext first = NULL, second = NULL, current = NULL;
    int32_t device = -1;
    uint32_t count = 0;
    aclrtRunMode mode = ACL_DEVICE;
    begin(NULL);
    OK(aclrtGetDevice(&device));
    OK(aclrtGetDeviceCount(&count));
    OK(aclrtGetRunMode(&mode));
    TRUE(device == 0 && count == 1 && mode == ACL_HOST);
    FAILS(107001, aclrtSetDevice(1), "device 1");
    CODE(107001, aclrtSetDevice(-1));
    CODE(107001, aclrtResetDevice(7));
    CODE(107001, aclrtCreateContext(&first, 1));
    CODE(100000, aclrtGetDevice(NULL));
    CODE(100000, aclrtCreateContext(NULL, 0));
    CODE(100000, aclrtDestroyContext(NULL));
    CODE(100000, aclrtSetCurrentContext(NULL));
    CODE(100000, aclrtGetCurrentContext(NULL));
    OK(aclrtGetCurrentContext(&first));
    FAILS(107000, aclrtDestroyContext(first), "aclrtResetDevice");

    pthread_t thread;
    TRUE(pthread_create(&thread, NULL, onFreshThread, first) == 0);
    pthread_join(thread, NULL);

    aclrtStream theirs = NULL;
    OK(aclrtCreateContext(&second, 0));
    OK(aclrtGetCurrentContext(&current));
    TRUE(current == second);
    OK(aclrtCreateStream(&theirs));
    FAILS(107003, aclrtSynchronizeStream(stream), "another context");
    CODE(107003, aclrtDestroyStream(stream));
    OK(aclrtSetCurrentContext(first));
    CODE(107003, aclrtSynchronizeStream(theirs));
    OK(aclrtSetCurrentContext(second));
    OK(aclrtDestroyStream(theirs));
    OK(aclrtDestroyContext(second));
    CODE(107017, aclrtDestroyContext(second));
    CODE(107017, aclrtSetCurrentContext(second));
    CODE(107002, aclrtGetCurrentContext(&current));
    OK(aclrtSetCurrentContext(first));

    /* Settings of a device are counted. */
    OK(aclrtSetDevice(0));
    OK(aclrtResetDevice(0));
    OK(aclrtGetDevice(&device));

    int64_t value = -1;
    CODE(107021, aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value));
    OK(aclrtCtxSetSysParamOpt(ACL_OPT_DETERMINISTIC, 1));
    OK(aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value));
    TRUE(value == 1);
    CODE(107021, aclrtGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value));
    OK(aclrtSetSysParamOpt(ACL_OPT_DETERMINISTIC, 2));
    OK(aclrtGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value));
    TRUE(value == 2);
    CODE(107000, aclrtSetSysParamOpt((aclSysParamOpt)9, 2));

    aclrtFloatOverflowMode overflow = ACL_RT_OVERFLOW_MODE_UNDEF;
    OK(aclrtSetDeviceSatMode(ACL_RT_OVERFLOW_MODE_INFNAN));
    OK(aclrtGetDeviceSatMode(&overflow));
    TRUE(overflow == ACL_RT_OVERFLOW_MODE_INFNAN);
    CODE(207000, aclrtSetDeviceSatMode(ACL_RT_OVERFLOW_MODE_SATURATION));
    end();
    CODE(107002, aclrtGetCurrentContext(&current));
}

/* ---- memory ---- */

static void testMemory(void)
{
    begin(NULL);
    void *p = NULL, *q = NULL;
    FAILS(100000, aclrtMalloc(NULL, 64, ACL_MEM_MALLOC_HUGE_FIRST), "NULL");
    CODE(100000, aclrtMalloc(&p, 0, ACL_MEM_MALLOC_HUGE_FIRST));
    CODE(100000, aclrtFree(NULL));
    CODE(100000, aclrtFreeHost(NULL));
    CODE(100000, aclrtMallocHost(NULL, 1));
    CODE(100000, aclrtMallocHost(&p, 0));
    FAILS(207001, aclrtMalloc(&p, (size_t)1 << 50, ACL_MEM_MALLOC_HUGE_FIRST), "no room");
    FAILS(207001, aclrtMalloc(&p, SIZE_MAX, ACL_MEM_MALLOC_HUGE_FIRST), "no room");

    size_t before = 0, after = 0, total = 0;
    OK(aclrtGetMemInfo(ACL_HBM_MEM, &before, &total));
    TRUE(before == total);
    OK(aclrtMalloc(&p, 33, (aclrtMemMallocPolicy)77)); /* any policy */
    OK(aclrtMallocAlign32(&q, 33, ACL_MEM_MALLOC_NORMAL_ONLY));
    OK(aclrtGetMemInfo(ACL_HBM_MEM, &after, &total));
    TRUE(before - after == (64 + 32) + 64);
    TRUE((uintptr_t)p % 64 == 0 && (uintptr_t)q % 64 == 0);
    CODE(107016, aclrtGetMemInfo((aclrtMemAttr)10, &after, &total));
    CODE(100000, aclrtGetMemInfo(ACL_HBM_MEM, NULL, &total));

    /* Memory is not zeroed, but NaN. */
    float value = 0;
    OK(aclrtMemcpy(&value, 4, p, 4, ACL_MEMCPY_DEVICE_TO_HOST));
    TRUE(isnan(value));

    char from[64] = "copied", to[64] = "";
    OK(aclrtMemcpy(NULL, 0, NULL, 0, ACL_MEMCPY_HOST_TO_DEVICE));
    OK(aclrtMemset(NULL, 0, 0, 0));
    FAILS(100000, aclrtMemcpy(NULL, 8, from, 8, ACL_MEMCPY_HOST_TO_DEVICE), "destination");
    CODE(100000, aclrtMemcpy(p, 8, NULL, 8, ACL_MEMCPY_HOST_TO_DEVICE));
    CODE(100000, aclrtMemcpy(p, 8, from, 8, (aclrtMemcpyKind)8));
    CODE(100000, aclrtMemset(NULL, 8, 0, 8));
    FAILS(107000, aclrtMemcpy(p, 7, from, 8, ACL_MEMCPY_HOST_TO_DEVICE), "do not fit");
    CODE(107000, aclrtMemcpy(p, 0, from, 8, ACL_MEMCPY_HOST_TO_DEVICE));
    CODE(107000, aclrtMemset(p, 7, 0, 8));
    FAILS(107000, aclrtMemcpy(p, 64, from, 34, ACL_MEMCPY_HOST_TO_DEVICE), "allocation of 33");
    OK(aclrtMemcpy(p, 33, p, 33, ACL_MEMCPY_DEVICE_TO_DEVICE));
    OK(aclrtMemcpy(p, 33, from, 33, ACL_MEMCPY_HOST_TO_DEVICE));
    OK(aclrtMemcpy(q, 33, p, 33, ACL_MEMCPY_DEFAULT));
    OK(aclrtMemcpy((char *)q + 1, 32, "x", 1, ACL_MEMCPY_DEFAULT));
    OK(aclrtMemcpy(to, 64, q, 33, ACL_MEMCPY_HOST_TO_DEVICE)); /* the direction is what the addresses say */
    TRUE(strcmp(to, "cxpied") == 0);
    OK(aclrtMemset(q, 33, 0x141, 2)); /* only the low byte counts */
    OK(aclrtMemcpy(to, 64, q, 33, ACL_MEMCPY_DEVICE_TO_HOST));
    TRUE(strcmp(to, "AApied") == 0);
    OK(aclrtMemcpyAsync(q, 33, from, 33, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    OK(aclrtMemsetAsync(q, 33, 'B', 1, stream));
    OK(aclrtMemcpyAsync(to, 64, q, 33, ACL_MEMCPY_DEVICE_TO_HOST, stream));
    OK(aclrtSynchronizeStream(stream));
    TRUE(strcmp(to, "Bopied") == 0);
    CODE(107003, aclrtMemcpyAsync(q, 33, from, 33, ACL_MEMCPY_HOST_TO_DEVICE, from));

    OK(aclrtFree(p));
    FAILS(107000, aclrtFree(p), "live allocation");
    CODE(107000, aclrtFree((char *)q + 32));
    CODE(107000, aclrtFree(from));
    FAILS(107000, aclrtMemcpy(p, 33, from, 33, ACL_MEMCPY_HOST_TO_DEVICE), "not allocated");
    OK(aclrtFree(q));

    OK(aclrtMallocHost(&p, 100));
    memset(p, 1, 100);
    TRUE((uintptr_t)p % 64 == 0);
    OK(aclrtFreeHost(p));
    CODE(107000, aclrtFreeHost(p));
    end();
}

/* A large allocation costs nothing before it is used, and is NaN wherever it is. */
static void testLargeMemory(void)
{
    enum { CHUNK = 1 << 16 };
    const size_t size = (size_t)1 << 29, places[] = {0, CHUNK - 4, CHUNK, 3 * CHUNK + 64, ((size_t)1 << 29) - 4};
    begin(NULL);
    void *memory = NULL;
    for (int round = 0; round < 2; round++) {
        OK(aclrtMalloc(&memory, size, ACL_MEM_MALLOC_HUGE_FIRST));
        for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
            float value = 0;
            OK(aclrtMemcpy(&value, 4, (char *)memory + places[i], 4, ACL_MEMCPY_DEVICE_TO_HOST));
            TRUE(isnan(value));
            OK(aclrtMemcpy((char *)memory + places[i], 4, ones, 4, ACL_MEMCPY_HOST_TO_DEVICE));
            OK(aclrtMemcpy(&value, 4, (char *)memory + places[i], 4, ACL_MEMCPY_DEVICE_TO_HOST));
            TRUE(value == 1);
        }
        OK(aclrtFree(memory));
    }
    end();
}

/* Many sizes at once, freed in another order: blocks do not overlap and all room comes back. */
static void testAllocator(void)
{
    enum { BLOCKS = 200, ROUNDS = 3000 };
    void *at[BLOCKS] = {NULL};
    size_t size[BLOCKS] = {0}, before, after, total;
    uint64_t state = 42;
    begin(NULL);
    OK(aclrtGetMemInfo(ACL_HBM_MEM, &before, &total));
    for (int round = 0; round < ROUNDS && failures == 0; round++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        int i = (int)(state >> 33) % BLOCKS;
        if (at[i] != NULL) {
            unsigned char first = 0, last = 0;
            OK(aclrtMemcpy(&first, 1, at[i], 1, ACL_MEMCPY_DEVICE_TO_HOST));
            OK(aclrtMemcpy(&last, 1, (char *)at[i] + size[i] - 1, 1, ACL_MEMCPY_DEVICE_TO_HOST));
            TRUE(first == i && last == i);
            OK(aclrtFree(at[i]));
            at[i] = NULL;
        } else {
            size[i] = 1 + (state >> 40) % (i % 50 == 0 ? 3000000 : i % 10 == 0 ? 200000 : 3000);
            OK(aclrtMalloc(&at[i], size[i], ACL_MEM_MALLOC_HUGE_FIRST));
            unsigned char some = 0; /* of what was there before, nothing is left */
            OK(aclrtMemcpy(&some, 1, (char *)at[i] + (state >> 20) % size[i], 1, ACL_MEMCPY_DEVICE_TO_HOST));
            TRUE(some == 0xFF);
            OK(aclrtMemset(at[i], size[i], i, size[i]));
        }
    }
    for (int i = 0; i < BLOCKS; i++) {
        if (at[i] != NULL) OK(aclrtFree(at[i]));
    }
    OK(aclrtGetMemInfo(ACL_HBM_MEM, &after, &total));
    TRUE(before == after);
    end();
}

/* ---- streams and events ---- */

static void testStreams(void)
{
    begin("stall=60");
    void *memory = allocate(ones);
    aclTensor *t = tensorOf(N, 1, 0, memory);
    uint64_t size = 0;
    aclOpExecutor *executor = NULL;
    OK(aclnnInplaceExpGetWorkspaceSize(t, &size, &executor));
    OK(aclnnInplaceExp(NULL, 0, executor, stream));
    OK(aclDestroyTensor(t));    /* descriptors may go once phase two has returned */
    TRUE(firstOf(memory) == 1); /* stale: the stream has not been synchronised */
    aclrtStreamStatus status = ACL_STREAM_STATUS_RESERVED;
    OK(aclrtStreamQuery(stream, &status));
    TRUE(status == ACL_STREAM_STATUS_NOT_READY);
    FAILS(507046, aclrtSynchronizeStreamWithTimeout(stream, 1), "not done");
    CODE(107000, aclrtSynchronizeStreamWithTimeout(stream, 0));
    CODE(107000, aclrtSynchronizeStreamWithTimeout(stream, -2));
    OK(aclrtSynchronizeStreamWithTimeout(stream, -1));
    TRUE(fabsf(firstOf(memory) - 2.7182817f) < 1e-6f);
    OK(aclrtStreamQuery(stream, &status));
    TRUE(status == ACL_STREAM_STATUS_COMPLETE);
    CODE(100000, aclrtStreamQuery(stream, NULL));
    CODE(100000, aclrtCreateStream(NULL));
    CODE(100000, aclrtDestroyStream(NULL));

    /* NULL is the context's default stream, and the device's synchronising waits for all. */
    OK(aclrtMemsetAsync(memory, BYTES, 0, BYTES, NULL));
    OK(aclrtSynchronizeStream(NULL));
    TRUE(firstOf(memory) == 0);
    OK(aclrtMemcpyAsync(memory, BYTES, ones, BYTES, ACL_MEMCPY_HOST_TO_DEVICE, NULL));
    OK(aclrtSynchronizeDevice());
    TRUE(firstOf(memory) == 1);

    /* Destroying waits for what is queued, unless it is forced. */
    aclrtStream other = NULL;
    OK(aclrtCreateStreamWithConfig(&other, 0, ACL_STREAM_FAST_LAUNCH | ACL_STREAM_FAST_SYNC));
    OK(aclrtMemsetAsync(memory, BYTES, 0, BYTES, other));
    OK(aclrtDestroyStream(other));
    TRUE(firstOf(memory) == 0);
    CODE(107003, aclrtSynchronizeStream(other));
    CODE(107003, aclrtDestroyStream(other));
    ascendsimSetFaults("stall=100000");
    OK(aclrtCreateStream(&other));
    OK(aclrtMemcpyAsync(memory, BYTES, ones, BYTES, ACL_MEMCPY_HOST_TO_DEVICE, other));
    OK(aclrtDestroyStreamForce(other));
    TRUE(firstOf(memory) == 0);
    OK(aclrtFree(memory));
    end();
}

static void testEvents(void)
{
    begin("stall=20");
    aclrtStream other = NULL;
    aclrtEvent start = NULL, middle = NULL, plain = NULL;
    void *a = allocate(ones), *b = allocate(zeros);
    OK(aclrtCreateStream(&other));
    OK(aclrtCreateEvent(&start));
    OK(aclrtCreateEventExWithFlag(&middle, ACL_EVENT_TIME_LINE));
    OK(aclrtCreateEventWithFlag(&plain, ACL_EVENT_SYNC));
    CODE(100000, aclrtCreateEvent(NULL));
    CODE(100000, aclrtDestroyEvent(NULL));

    aclrtEventRecordedStatus status;
    OK(aclrtQueryEventStatus(start, &status));
    TRUE(status == ACL_EVENT_RECORDED_STATUS_NOT_READY);
    OK(aclrtSynchronizeEvent(start)); /* nothing recorded: nothing to wait for */
    float ms = -1;
    CODE(107006, aclrtEventElapsedTime(&ms, start, middle));

    /* other must not copy b before stream has filled it, though stream waits longer. */
    OK(aclrtRecordEvent(start, stream));
    OK(aclrtMemcpyAsync(b, BYTES, a, BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
    OK(aclrtMemsetAsync(a, BYTES, 0, BYTES, stream));
    OK(aclrtMemcpyAsync(b, BYTES, ones, BYTES, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    OK(aclrtRecordEvent(middle, stream));
    OK(aclrtStreamWaitEvent(other, middle));
    OK(aclrtMemcpyAsync(a, BYTES, b, BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE, other));
    OK(aclrtQueryEventStatus(middle, &status));
    TRUE(status == ACL_EVENT_RECORDED_STATUS_NOT_READY);
    FAILS(507047, aclrtSynchronizeEventWithTimeout(middle, 1), "not reached");
    CODE(107000, aclrtSynchronizeEventWithTimeout(middle, 0));
    OK(aclrtSynchronizeEvent(middle));
    OK(aclrtQueryEventStatus(middle, &status));
    TRUE(status == ACL_EVENT_RECORDED_STATUS_COMPLETE);
    OK(aclrtSynchronizeStream(other));
    TRUE(firstOf(a) == 1);
    OK(aclrtEventElapsedTime(&ms, start, middle));
    TRUE(ms >= 60 && ms < 60000);
    CODE(107007, aclrtEventElapsedTime(&ms, middle, start));
    OK(aclrtRecordEvent(plain, stream));
    OK(aclrtSynchronizeEvent(plain));
    CODE(107006, aclrtEventElapsedTime(&ms, start, plain));
    CODE(100000, aclrtEventElapsedTime(NULL, start, middle));
    CODE(107003, aclrtRecordEvent(plain, &ms));

    /* An event may go while a stream still has it. */
    OK(aclrtMemsetAsync(a, BYTES, 0, BYTES, stream));
    OK(aclrtRecordEvent(plain, stream));
    OK(aclrtStreamWaitEvent(other, plain));
    OK(aclrtDestroyEvent(plain));
    OK(aclrtSynchronizeDevice());
    FAILS(107017, aclrtDestroyEvent(plain), "no live event");
    CODE(107017, aclrtRecordEvent(plain, stream));
    CODE(107017, aclrtSynchronizeEvent(plain));
    OK(aclrtDestroyEvent(start));
    OK(aclrtDestroyEvent(middle));
    OK(aclrtDestroyStream(other));
    OK(aclrtFree(a));
    OK(aclrtFree(b));
    end();
}

static aclOpExecutor *planExp(aclTensor *self, aclTensor *out);

/* A stream that waits for one that fails must not go on with what is not there. */
static void testFailureCrosses(void)
{
    begin(NULL);
    aclrtStream other = NULL, third = NULL;
    aclrtEvent first = NULL, second = NULL;
    aclrtStreamStatus streamStatus = ACL_STREAM_STATUS_RESERVED;
    aclrtEventRecordedStatus eventStatus = ACL_EVENT_RECORDED_STATUS_NOT_READY;
    void *a = allocate(zeros), *b = allocate(zeros);
    float host[N] = {9};
    aclTensor *self = tensorOf(N, 1, 0, a), *out = tensorOf(N, 1, 0, b);
    OK(aclrtCreateStream(&other));
    OK(aclrtCreateStream(&third));
    OK(aclrtCreateEvent(&first));
    OK(aclrtCreateEvent(&second));
    ascendsimSetFaults("task=1;stall=20");
    OK(aclnnExp(NULL, 0, planExp(self, out), stream));
    OK(aclrtRecordEvent(first, stream));
    OK(aclrtStreamWaitEvent(other, first));
    OK(aclrtMemcpyAsync(host, BYTES, b, BYTES, ACL_MEMCPY_DEVICE_TO_HOST, other));
    OK(aclrtRecordEvent(second, other));
    OK(aclrtStreamWaitEvent(third, second)); /* and on from there */
    FAILS(507015, aclrtSynchronizeStream(third), "was to fail");
    FAILS(507015, aclrtSynchronizeStream(other), "event that it waits for");
    TRUE(host[0] == 9);
    FAILS(507015, aclrtSynchronizeEvent(first), "was to fail");
    FAILS(507015, aclrtStreamQuery(stream, &streamStatus), "was to fail");
    CODE(507015, aclrtStreamQuery(other, &streamStatus));
    TRUE(streamStatus == ACL_STREAM_STATUS_RESERVED);
    FAILS(507015, aclrtQueryEventStatus(second, &eventStatus), "was to fail");
    TRUE(eventStatus == ACL_EVENT_RECORDED_STATUS_NOT_READY);
    ascendsimSetFaults(NULL);

    /* An event that is recorded elsewhere since is as good as new, and so is a new stream. */
    OK(aclrtDestroyStream(third));
    OK(aclrtCreateStream(&third));
    OK(aclrtRecordEvent(first, third));
    OK(aclrtSynchronizeEvent(first));
    OK(aclrtQueryEventStatus(first, &eventStatus));
    TRUE(eventStatus == ACL_EVENT_RECORDED_STATUS_COMPLETE);
    OK(aclrtSynchronizeStream(third));

    OK(aclDestroyTensor(self));
    OK(aclDestroyTensor(out));
    OK(aclrtFree(a));
    OK(aclrtFree(b));
    OK(aclrtDestroyEvent(first));
    OK(aclrtDestroyEvent(second));
    OK(aclrtDestroyStream(other));
    OK(aclrtDestroyStream(third));
    end();
}

/* A wait is for the record that was the event's latest when it was asked for, whatever is recorded since. */
static void testRecordedAgain(void)
{
    begin("stall=50");
    enum { OTHERS = 4 };
    aclrtStream others[OTHERS], idle = NULL;
    aclrtEvent event = NULL;
    aclrtStreamStatus status = ACL_STREAM_STATUS_RESERVED;
    aclrtEventRecordedStatus recorded = ACL_EVENT_RECORDED_STATUS_NOT_READY;
    void *a = allocate(zeros), *b = allocate(zeros);
    float host[N] = {9};
    aclTensor *self = tensorOf(N, 1, 0, a), *out = tensorOf(N, 1, 0, b);
    for (int i = 0; i < OTHERS; i++) OK(aclrtCreateStream(&others[i]));
    OK(aclrtCreateStream(&idle));
    OK(aclrtCreateEvent(&event));
    OK(aclrtStreamWaitEvent(others[0], event)); /* nothing recorded: nothing to wait for */
    OK(aclrtSynchronizeStream(others[0]));

    /* A record that is reached earlier does not end the wait for one that is not reached yet. */
    OK(aclrtMemsetAsync(a, BYTES, 0, BYTES, stream));
    OK(aclrtMemsetAsync(a, BYTES, 0, BYTES, stream));
    OK(aclrtMemsetAsync(a, BYTES, 0, BYTES, stream));
    OK(aclnnExp(NULL, 0, planExp(self, out), stream));
    OK(aclrtRecordEvent(event, stream));
    OK(aclrtStreamWaitEvent(others[0], event));
    OK(aclrtMemcpyAsync(host, BYTES, b, BYTES, ACL_MEMCPY_DEVICE_TO_HOST, others[0]));
    OK(aclrtRecordEvent(event, idle));
    OK(aclrtSynchronizeEvent(event)); /* the host's wait begins now, so it is for the second record */
    OK(aclrtQueryEventStatus(event, &recorded));
    TRUE(recorded == ACL_EVENT_RECORDED_STATUS_COMPLETE);
    OK(aclrtStreamQuery(stream, &status));
    TRUE(status == ACL_STREAM_STATUS_NOT_READY);
    OK(aclrtSynchronizeStream(others[0]));
    TRUE(host[0] == 1);

    /* Nor does the failure of one stream become that of another's record, or the other way round. */
    ascendsimSetFaults("task=1");
    OK(aclnnExp(NULL, 0, planExp(self, out), stream));
    CODE(507015, aclrtSynchronizeStream(stream));
    ascendsimSetFaults("stall=50");
    for (int i = 1; i < OTHERS; i++) OK(aclrtMemsetAsync(a, BYTES, 0, BYTES, others[i])); /* so that they wait later */
    OK(aclrtRecordEvent(event, idle));
    OK(aclrtStreamWaitEvent(others[1], event));
    OK(aclrtRecordEvent(event, stream));
    OK(aclrtStreamWaitEvent(others[2], event));
    OK(aclrtRecordEvent(event, idle));
    OK(aclrtStreamWaitEvent(others[3], event));
    OK(aclrtRecordEvent(event, stream));
    FAILS(507015, aclrtSynchronizeEvent(event), "was to fail");
    OK(aclrtDestroyEvent(event)); /* waits outlive it */
    OK(aclrtSynchronizeStream(others[1]));
    FAILS(507015, aclrtSynchronizeStream(others[2]), "event that it waits for");
    OK(aclrtSynchronizeStream(others[3]));

    OK(aclDestroyTensor(self));
    OK(aclDestroyTensor(out));
    OK(aclrtFree(a));
    OK(aclrtFree(b));
    for (int i = 0; i < OTHERS; i++) OK(aclrtDestroyStream(others[i]));
    OK(aclrtDestroyStream(idle));
    end();
}

/* Force ends a stream that waits for another one, which itself would take a day. */
static void testForce(void)
{
    begin("stall=86400000");
    aclrtStream slow = NULL, waiting = NULL;
    aclrtEvent event = NULL;
    void *memory = allocate(ones);
    OK(aclrtCreateStream(&slow));
    OK(aclrtCreateStream(&waiting));
    OK(aclrtCreateEvent(&event));
    OK(aclrtMemsetAsync(memory, BYTES, 0, BYTES, slow));
    OK(aclrtRecordEvent(event, slow));
    OK(aclrtStreamWaitEvent(waiting, event));
    OK(aclrtMemsetAsync(memory, BYTES, 0, BYTES, waiting));
    OK(aclrtDestroyStreamForce(waiting));
    OK(aclrtDestroyStreamForce(slow));
    CODE(107022, aclrtSynchronizeEvent(event));
    TRUE(firstOf(memory) == 1);
    OK(aclrtDestroyEvent(event));
    OK(aclrtFree(memory));
    end();
}

/* ---- tensors and the like ---- */

static void testDescriptors(void)
{
    begin(NULL);
    const int64_t shape[] = {2, 3}, strides[] = {1, 2}, storage[] = {7};
    int64_t *values = NULL, offset = -1;
    uint64_t n = 0;
    aclFormat format = ACL_FORMAT_UNDEFINED;
    aclDataType type = ACL_DT_UNDEFINED;
    void *memory = allocate(ones), *address = NULL;
    aclTensor *t = aclCreateTensor(shape, 2, ACL_BF16, strides, 1, ACL_FORMAT_ND, storage, 1, memory);
    OK(aclGetViewShape(t, &values, &n));
    TRUE(n == 2 && values[0] == 2 && values[1] == 3);
    release(values);
    OK(aclGetViewStrides(t, &values, &n));
    TRUE(n == 2 && values[0] == 1 && values[1] == 2);
    release(values);
    OK(aclGetStorageShape(t, &values, &n));
    TRUE(n == 1 && values[0] == 7);
    release(values);
    OK(aclGetViewOffset(t, &offset));
    OK(aclGetFormat(t, &format));
    OK(aclGetDataType(t, &type));
    OK(aclGetRawTensorAddr(t, &address));
    TRUE(offset == 1 && format == ACL_FORMAT_ND && type == ACL_BF16 && address == memory);
    OK(aclSetRawTensorAddr(t, NULL));
    OK(aclGetRawTensorAddr(t, &address));
    TRUE(address == NULL);
    CODE(161001, aclGetDataType(NULL, &type));
    CODE(161001, aclGetDataType(t, NULL));
    OK(aclInitTensor(t, shape, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_NCHW, shape, 1, memory));
    OK(aclGetViewStrides(t, &values, &n));
    TRUE(n == 1 && values[0] == 1);
    release(values);
    OK(aclDestroyTensor(t));
    OK(aclDestroyTensor(NULL));
    FAILS(161002, aclDestroyTensor(t), "no live tensor");
    CODE(161002, aclGetDataType(t, &type));
    CODE(161002, aclInitTensor(t, shape, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, shape, 1, memory));
    const int64_t negative[] = {-1}, huge[] = {INT64_MAX / 2, 3};
    TRUE(aclCreateTensor(NULL, 2, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, shape, 2, memory) == NULL);
    TRUE(aclCreateTensor(shape, 2, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, NULL, 2, memory) == NULL);
    TRUE(aclCreateTensor(negative, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, shape, 2, memory) == NULL);
    TRUE(aclCreateTensor(huge, 2, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, shape, 2, memory) == NULL);
    TRUE(aclCreateTensor(shape, UINT64_MAX, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, shape, 2, memory) == NULL);

    float one = 1;
    const float floats[] = {1, 2};
    const bool bools[] = {true};
    aclIntArray *ints = aclCreateIntArray(shape, 2);
    aclFloatArray *fs = aclCreateFloatArray(floats, 2);
    aclBoolArray *bs = aclCreateBoolArray(bools, 1);
    OK(aclGetIntArraySize(ints, &n));
    TRUE(n == 2);
    OK(aclGetFloatArraySize(fs, &n));
    TRUE(n == 2);
    OK(aclGetBoolArraySize(bs, &n));
    TRUE(n == 1);
    OK(aclDestroyIntArray(ints));
    CODE(161002, aclDestroyIntArray(ints));
    CODE(161002, aclGetIntArraySize(ints, &n));
    OK(aclDestroyFloatArray(fs));
    OK(aclDestroyBoolArray(bs));
    OK(aclDestroyIntArray(NULL));
    TRUE(aclCreateScalar(NULL, ACL_FLOAT) == NULL);
    TRUE(aclCreateScalar(&one, ACL_STRING) == NULL);
    TRUE(aclCreateIntArray(NULL, 1) == NULL);

    /* A list destroys what it lists. */
    const aclTensor *tensors[2];
    const aclScalar *scalars[2];
    for (int i = 0; i < 2; i++) {
        tensors[i] = tensorOf(N, 1, 0, memory);
        scalars[i] = aclCreateScalar(&one, ACL_FLOAT);
    }
    aclTensorList *tensorList = aclCreateTensorList(tensors, 2);
    aclScalarList *scalarList = aclCreateScalarList(scalars, 2);
    OK(aclGetTensorListSize(tensorList, &n));
    TRUE(n == 2);
    OK(aclGetScalarListSize(scalarList, &n));
    TRUE(n == 2);
    OK(aclDestroyTensorList(tensorList));
    OK(aclDestroyScalarList(scalarList));
    CODE(161002, aclDestroyTensor(tensors[0]));
    CODE(161002, aclDestroyScalar(scalars[1]));
    CODE(161002, aclDestroyTensorList(tensorList));
    OK(aclDestroyTensorList(NULL));
    OK(aclrtFree(memory));
    end();
}

/* ---- executors ---- */

static void testExecutors(void)
{
    begin(NULL);
    void *a = allocate(zeros), *b = allocate(zeros), *c = allocate(ones);
    aclTensor *self = tensorOf(N, 1, 0, a), *out = tensorOf(N, 1, 0, b);
    uint64_t size = 9;
    aclOpExecutor *executor = NULL, *unused = NULL;

    FAILS(161001, aclnnExpGetWorkspaceSize(self, out, NULL, &executor), "workspaceSize");
    CODE(161001, aclnnExpGetWorkspaceSize(self, out, &size, NULL));
    executor = planExp(self, out);
    OK(aclnnExp(NULL, 0, executor, stream));
    FAILS(561103, aclnnExp(NULL, 0, executor, stream), "uses it up");
    CODE(561103, aclDestroyAclOpExecutor(executor));
    CODE(561103, aclSetAclOpExecutorRepeatable(executor));
    FAILS(161001, aclnnExp(NULL, 0, NULL, stream), "executor");
    CODE(561103, aclDestroyAclOpExecutor(NULL));
    CODE(561103, aclSetAclOpExecutorRepeatable(NULL));
    OK(aclrtSynchronizeStream(stream));
    TRUE(firstOf(b) == 1);

    /* One that is never run is destroyed by hand, and only once. */
    unused = planExp(self, out);
    OK(aclDestroyAclOpExecutor(unused));
    CODE(561103, aclDestroyAclOpExecutor(unused));

    /* A repeatable one runs again, on other memory too. */
    executor = planExp(self, out);
    CODE(161002, aclSetInputTensorAddr(executor, 0, self, c)); /* not repeatable yet */
    OK(aclSetAclOpExecutorRepeatable(executor));
    OK(aclnnExp(NULL, 0, executor, stream));
    OK(aclnnExp(NULL, 0, executor, stream));
    OK(aclSetInputTensorAddr(executor, 0, self, c));
    OK(aclnnExp(NULL, 0, executor, stream));
    OK(aclrtSynchronizeStream(stream));
    TRUE(firstOf(b) > 2.7f);
    OK(aclSetOutputTensorAddr(executor, 0, out, a));
    OK(aclnnExp(NULL, 0, executor, stream));
    OK(aclrtSynchronizeStream(stream));
    TRUE(firstOf(a) > 2.7f);
    OK(aclSetTensorAddr(executor, 1, out, b));
    OK(AclSetTensorAddr(executor, 0, self, a));
    CODE(161002, aclSetInputTensorAddr(executor, 1, self, c));
    CODE(161002, aclSetTensorAddr(executor, 2, out, c));
    CODE(161002, aclSetTensorAddr(executor, 0, out, c));
    CODE(561103, aclSetTensorAddr(executor, 0, NULL, c));
    CODE(561103, aclSetTensorAddr(NULL, 0, self, c));
    OK(aclDestroyAclOpExecutor(executor));
    OK(aclDestroyTensor(self));
    OK(aclDestroyTensor(out));

    /* A strided operand needs a workspace. Without one the executor is gone. */
    self = tensorOf(2, 2, 0, a);
    out = tensorOf(2, 1, 0, b);
    OK(aclnnExpGetWorkspaceSize(self, out, &size, &executor));
    TRUE(size == 512);
    FAILS(161001, aclnnExp(NULL, size, executor, stream), "workspace");
    CODE(561103, aclDestroyAclOpExecutor(executor));
    OK(aclnnExpGetWorkspaceSize(self, out, &size, &executor));
    OK(aclSetAclOpExecutorRepeatable(executor));
    CODE(161001, aclnnExp(NULL, size, executor, stream)); /* repeatable or not */
    CODE(561103, aclDestroyAclOpExecutor(executor));
    OK(aclDestroyTensor(self));
    OK(aclDestroyTensor(out));
    OK(aclrtFree(a));
    OK(aclrtFree(b));
    OK(aclrtFree(c));
    end();
}

/* Which tensors an index counts, and that all places of a tensor move. */
static void testAddresses(void)
{
    begin(NULL);
    float one = 1;
    void *a = allocate(ones), *b = allocate(ones), *c = allocate(zeros), *address = NULL;
    aclTensor *x = tensorOf(N, 1, 0, a), *y = tensorOf(N, 1, 0, b), *scalar;
    aclScalar *alpha = aclCreateScalar(&one, ACL_FLOAT);
    uint64_t size = 0;
    aclOpExecutor *executor = NULL;

    /* What is overwritten is both the first input and the first output, and one tensor. */
    OK(aclnnInplaceAddGetWorkspaceSize(x, y, alpha, &size, &executor));
    OK(aclSetAclOpExecutorRepeatable(executor));
    OK(aclSetTensorAddr(executor, 0, x, c));
    OK(aclnnInplaceAdd(NULL, 0, executor, stream));
    OK(aclrtSynchronizeStream(stream));
    TRUE(firstOf(a) == 1 && firstOf(c) == 1);
    OK(aclGetRawTensorAddr(x, &address));
    TRUE(address == c);
    OK(aclSetInputTensorAddr(executor, 0, x, a));
    OK(aclSetOutputTensorAddr(executor, 0, x, c));
    OK(aclSetTensorAddr(executor, 1, y, b));
    CODE(161002, aclSetTensorAddr(executor, 2, x, c));
    CODE(161002, aclSetInputTensorAddr(executor, 2, x, c));
    CODE(161002, aclSetOutputTensorAddr(executor, 1, y, c));
    OK(aclnnInplaceAdd(NULL, 0, executor, stream));
    OK(aclrtSynchronizeStream(stream));
    TRUE(firstOf(a) == 1 && firstOf(c) == 2);
    ascendsimSetFaults("lost=1");
    OK(aclnnInplaceAdd(NULL, 0, executor, stream));
    FAILS(507899, aclSetTensorAddr(executor, 0, x, a), "lost");
    ascendsimSetFaults(NULL);
    OK(aclDestroyAclOpExecutor(executor));

    /* A tensor that is two arguments. */
    OK(aclSetRawTensorAddr(x, a));
    OK(aclnnAddGetWorkspaceSize(x, y, alpha, x, &size, &executor));
    OK(aclSetAclOpExecutorRepeatable(executor));
    OK(aclSetInputTensorAddr(executor, 0, x, c));
    OK(aclrtDestroyStreamForce(stream));
    OK(aclrtCreateStream(&stream));
    OK(aclrtMemset(c, BYTES, 0, BYTES));
    OK(aclnnAdd(NULL, 0, executor, stream));
    OK(aclrtSynchronizeStream(stream));
    TRUE(firstOf(a) == 1 && firstOf(c) == 1);
    OK(aclDestroyAclOpExecutor(executor));

    /* The order is the C function's, and also where a tensor comes first that is only written. */
    OK(aclnnInplaceCopyGetWorkspaceSize(x, y, &size, &executor));
    OK(aclSetAclOpExecutorRepeatable(executor));
    CODE(161002, aclSetTensorAddr(executor, 0, y, c));
    OK(aclSetTensorAddr(executor, 0, x, a));
    OK(aclSetTensorAddr(executor, 1, y, c));
    OK(aclDestroyAclOpExecutor(executor));

    /* What was NULL counts, and stays NULL. */
    scalar = aclCreateTensor(NULL, 0, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, NULL, 0, c);
    OK(aclnnBinaryCrossEntropyWithLogitsGetWorkspaceSize(x, y, NULL, NULL, 2, scalar, &size, &executor));
    OK(aclSetAclOpExecutorRepeatable(executor));
    FAILS(161002, aclSetTensorAddr(executor, 2, scalar, b), "NULL");
    CODE(161002, aclSetInputTensorAddr(executor, 3, scalar, b));
    OK(aclSetTensorAddr(executor, 4, scalar, b));
    OK(aclSetOutputTensorAddr(executor, 0, scalar, c));
    OK(aclDestroyAclOpExecutor(executor));
    OK(aclDestroyTensor(scalar));
    OK(aclDestroyTensor(x));
    OK(aclDestroyTensor(y));
    OK(aclDestroyScalar(alpha));
    OK(aclrtFree(a));
    OK(aclrtFree(b));
    OK(aclrtFree(c));
    end();
}

/* Plans out = exp(self) and launches it; the executor is used up. */
static int launchExp(aclTensor *self, aclTensor *out)
{
    uint64_t size = 0;
    aclOpExecutor *executor = NULL;
    void *workspace = NULL;
    int code = aclnnExpGetWorkspaceSize(self, out, &size, &executor);
    if (code != 0) return code;
    if (size > 0) OK(aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST));
    code = aclnnExp(workspace, size, executor, stream);
    if (workspace != NULL) {
        if (code == 0) OK(aclrtSynchronizeStream(stream));
        OK(aclrtFree(workspace));
    }
    return code;
}

static void testMisuse(void)
{
    begin(NULL);
    void *a = allocate(zeros), *b = allocate(zeros), *workspace = NULL;
    _Alignas(64) float host[N];
    uint64_t size = 0;
    aclOpExecutor *executor = NULL;
    aclTensor *good = tensorOf(N, 1, 0, a), *out = tensorOf(N, 1, 0, b);

    struct {
        int64_t stride, offset;
        void *memory;
        const char *words;
    } bad[] = {
        {1, 0, host, "no device memory"},
        {1, 0, NULL, "no device memory"},
        {1, 1, a, "allocation of 16"},
        {1, -1, a, "bytes -4 to 12"},
        {2, 0, a, "allocation of 16"},
        {-1, 0, a, "bytes -12 to 4"},
        {1, 0, (char *)a + 4, "multiple of 32"},
        {INT64_MAX, 0, a, "further"},
        {1, ((char *)b - (char *)a) / 4, a, "allocation of 16"}, /* b is live, but not what a points to */
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        aclTensor *t = tensorOf(N, bad[i].stride, bad[i].offset, bad[i].memory);
        OK(aclnnExpGetWorkspaceSize(t, out, &size, &executor));
        (void)aclGetRecentErrMsg();
        if (size > 0) OK(aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST));
        CODE(161002, aclnnExp(workspace, size, executor, stream));
        const char *message = aclGetRecentErrMsg();
        if (message == NULL || strstr(message, bad[i].words) == NULL || strstr(message, "self") == NULL)
            fprintf(stderr, "bad[%d]: %s\n", (int)i, message == NULL ? "no message" : message), failures++;
        if (workspace != NULL) OK(aclrtFree(workspace));
        workspace = NULL;
        OK(aclDestroyTensor(t));
    }
    aclTensor *reversed = tensorOf(N, -1, 3, a); /* which is within its memory */
    OK(launchExp(reversed, out));
    OK(aclDestroyTensor(reversed));

    /* Handles of the wrong kind, or stale ones. */
    FAILS(161002, aclnnExpGetWorkspaceSize((aclTensor *)stream, out, &size, &executor), "no live tensor");
    CODE(161002, aclnnExpGetWorkspaceSize((aclTensor *)a, out, &size, &executor));
    CODE(161002, aclnnExpGetWorkspaceSize((aclTensor *)host, out, &size, &executor));
    aclTensor *stale = tensorOf(N, 1, 0, a);
    executor = planExp(stale, out);
    OK(aclDestroyTensor(stale));
    FAILS(161002, aclnnExp(NULL, 0, executor, stream), "destroyed before phase two");
    CODE(161002, aclnnExpGetWorkspaceSize(stale, out, &size, &executor));
    CODE(561103, aclDestroyAclOpExecutor((aclOpExecutor *)good));
    CODE(107017, aclrtSetCurrentContext(stream));

    /* An executor of another operator, a stream of nobody, a workspace that is short or not there. */
    executor = planExp(good, out);
    FAILS(161002, aclnnMul(NULL, 0, executor, stream), "aclnnExpGetWorkspaceSize");
    CODE(561103, aclDestroyAclOpExecutor(executor));
    executor = planExp(good, out);
    CODE(107003, aclnnExp(NULL, 0, executor, good));
    aclTensor *strided = tensorOf(2, 2, 0, a), *pair = tensorOf(2, 1, 0, b);
    OK(aclnnExpGetWorkspaceSize(strided, pair, &size, &executor));
    FAILS(161002, aclnnExp(NULL, 0, executor, stream), "phase one asked for 512");
    OK(aclnnExpGetWorkspaceSize(strided, pair, &size, &executor));
    FAILS(161002, aclnnExp(b, size, executor, stream), "workspace");
    OK(aclnnExpGetWorkspaceSize(strided, pair, &size, &executor));
    FAILS(161002, aclnnExp(host, size, executor, stream), "workspace");
    OK(aclDestroyTensor(strided));
    OK(aclDestroyTensor(pair));

    /* Something that is no format; CANN's own are all taken. */
    const int64_t n = N;
    for (int format = -2; format < 60; format++) {
        static const int known[] = {-1, 0, 1, 2, 3, 4, 12, 16, 27, 29, 30, 32, 33, 35, 47, 50, 51, 52, 53, 54};
        bool is = false;
        for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) is = is || known[i] == format;
        aclTensor *t = aclCreateTensor(&n, 1, ACL_FLOAT, NULL, 0, (aclFormat)format, &n, 1, a);
        CODE(is ? 0 : 161002, aclnnExpGetWorkspaceSize(t, out, &size, &executor));
        if (is) OK(aclDestroyAclOpExecutor(executor));
        OK(aclDestroyTensor(t));
    }

    /* Phase two in another context than phase one. */
    aclrtContext usual = NULL, another = NULL;
    executor = planExp(good, out);
    OK(aclrtGetCurrentContext(&usual));
    OK(aclrtCreateContext(&another, 0));
    FAILS(107003, aclnnExp(NULL, 0, executor, NULL), "another context");
    CODE(561103, aclDestroyAclOpExecutor(executor));
    OK(aclrtSetCurrentContext(usual));
    OK(aclrtDestroyContext(another));

    /* Memory that goes between launch and run. */
    ascendsimSetFaults("stall=50");
    OK(launchExp(good, out));
    OK(aclrtFree(b));
    FAILS(507035, aclrtSynchronizeStream(stream), "not allocated");
    CODE(507035, aclrtSynchronizeStream(stream)); /* a failed stream stays failed */
    CODE(507035, aclrtSynchronizeDevice());
    b = allocate(zeros);
    OK(aclrtMemcpyAsync(b, BYTES, ones, BYTES, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    CODE(507035, aclrtSynchronizeStream(stream));
    TRUE(firstOf(b) == 0);
    aclrtEvent event = NULL;
    OK(aclrtCreateEvent(&event));
    OK(aclrtRecordEvent(event, stream));
    CODE(507035, aclrtSynchronizeEvent(event)); /* reported, not waited for for ever */
    OK(aclrtDestroyEvent(event));
    OK(aclDestroyTensor(good));
    OK(aclDestroyTensor(out));
    OK(aclrtFree(a));
    OK(aclrtFree(b));
    end();
}

/* ---- faults, counters and leaks ---- */

static void testFaults(void)
{
    void *a = NULL, *b = NULL, *p = NULL;
    aclTensor *self, *out;

    begin("malloc=2");
    a = allocate(zeros);
    FAILS(207001, aclrtMallocHost(&p, 8), "no room");
    b = allocate(zeros);
    self = tensorOf(N, 1, 0, a), out = tensorOf(N, 1, 0, b);

    ascendsimSetFaults("plan=2;copy=1");
    OK(launchExp(self, out));
    CODE(561103, launchExp(self, out));
    OK(launchExp(self, out));
    CODE(507899, aclrtMemcpy(a, BYTES, zeros, BYTES, ACL_MEMCPY_HOST_TO_DEVICE));
    OK(aclrtMemcpy(a, BYTES, zeros, BYTES, ACL_MEMCPY_HOST_TO_DEVICE));
    TRUE(ascendsimCounter("malloc") == 3 && ascendsimCounter("plan") == 3);
    TRUE(ascendsimCounter("launch") == 2 && ascendsimCounter("copy") == 4 && ascendsimCounter("task") == 0);

    ascendsimSetFaults("launch=1");
    aclOpExecutor *executor = planExp(self, out);
    OK(aclSetAclOpExecutorRepeatable(executor));
    FAILS(507015, aclnnExp(NULL, 0, executor, stream), "launch");
    OK(aclnnExp(NULL, 0, executor, stream)); /* a repeatable executor outlives a failure */
    OK(aclDestroyAclOpExecutor(executor));
    ascendsimSetFaults("no-repeat");
    executor = planExp(self, out);
    FAILS(561000, aclSetAclOpExecutorRepeatable(executor), "repeat");
    OK(aclnnExp(NULL, 0, executor, stream));

    ascendsimSetFaults("no-bf16");
    const int64_t n = N;
    uint64_t size;
    aclTensor *brain = aclCreateTensor(&n, 1, ACL_BF16, NULL, 0, ACL_FORMAT_ND, &n, 1, a);
    FAILS(161002, aclnnExpGetWorkspaceSize(brain, out, &size, &executor), "BFLOAT16");
    ascendsimSetFaults("");
    OK(aclnnExpGetWorkspaceSize(brain, out, &size, &executor));
    OK(aclDestroyAclOpExecutor(executor));
    OK(aclDestroyTensor(brain));

    OK(aclrtSynchronizeStream(stream));
    ascendsimSetFaults("task=2");
    OK(launchExp(self, out));
    OK(launchExp(self, out));
    FAILS(507015, aclrtSynchronizeStream(stream), "was to fail");

    /* A lost device refuses everything but being tidied up. */
    ascendsimSetFaults("lost=1");
    aclrtStream other = NULL;
    OK(aclrtCreateStream(&other));
    executor = planExp(self, out);
    OK(aclnnExp(NULL, 0, executor, other));
    FAILS(507899, aclrtSynchronizeStream(other), "lost");
    CODE(507899, aclrtSynchronizeDevice());
    CODE(507899, aclrtMalloc(&p, 8, ACL_MEM_MALLOC_HUGE_FIRST));
    CODE(507899, aclrtMemcpy(a, BYTES, zeros, BYTES, ACL_MEMCPY_HOST_TO_DEVICE));
    CODE(507899, aclrtSetDevice(0));
    CODE(507899, launchExp(self, out));
    OK(aclDestroyTensor(self));
    OK(aclDestroyTensor(out));
    OK(aclrtDestroyStream(other));
    OK(aclrtFree(a));
    OK(aclrtFree(b));
    end();

    /* And it is back after initialising again. */
    begin(NULL);
    a = allocate(ones);
    TRUE(firstOf(a) == 1);
    TRUE(ascendsimCounter("malloc") == 1 && ascendsimCounter("copy") == 2);
    OK(aclrtFree(a));
    end();
}

/* The naive form of the loss overflows, the one without the fault does not. */
static void testOverflow(void)
{
    const float margins[N] = {-100, -1, 1, 100};
    for (int naive = 0; naive < 2; naive++) {
        begin(naive ? "exp-overflow" : "");
        void *a = allocate(margins), *b = allocate(ones), *c = allocate(zeros);
        aclTensor *self = tensorOf(N, 1, 0, a), *target = tensorOf(N, 1, 0, b), *out = tensorOf(N, 1, 0, c);
        uint64_t size = 0;
        aclOpExecutor *executor = NULL;
        OK(aclnnSoftMarginLossGetWorkspaceSize(self, target, 0, out, &size, &executor));
        OK(aclnnSoftMarginLoss(NULL, 0, executor, stream));
        OK(aclrtSynchronizeStream(stream));
        TRUE(naive ? isinf(firstOf(c)) : firstOf(c) == 100);
        OK(aclDestroyTensor(self));
        OK(aclDestroyTensor(target));
        OK(aclDestroyTensor(out));
        OK(aclrtFree(a));
        OK(aclrtFree(b));
        OK(aclrtFree(c));
        end();
    }
}

/* Faults at every allocation, phase one, launch, task and copy of a small program: an error, and nothing left. */
static int smallProgram(void)
{
    int code = 0, worst = 0;
    void *memory[2] = {NULL, NULL};
    aclTensor *tensors[2] = {NULL, NULL};
    for (int i = 0; i < 2; i++) {
        code = aclrtMalloc(&memory[i], BYTES, ACL_MEM_MALLOC_HUGE_FIRST);
        if (code == 0) code = aclrtMemcpy(memory[i], BYTES, ones, BYTES, ACL_MEMCPY_HOST_TO_DEVICE);
        if (code != 0) worst = code;
        tensors[i] = tensorOf(N, 1, 0, memory[i]);
    }
    for (int i = 0; i < 2 && worst == 0; i++) worst = launchExp(tensors[0], tensors[1]);
    code = aclrtSynchronizeStream(stream);
    if (code != 0) worst = code;
    for (int i = 0; i < 2; i++) {
        OK(aclDestroyTensor(tensors[i]));
        if (memory[i] != NULL) OK(aclrtFree(memory[i]));
    }
    return worst;
}

static void testEveryFault(void)
{
    const struct {
        const char *name;
        int count, code;
    } kinds[] = {{"malloc", 2, 207001}, {"plan", 2, 561103}, {"launch", 2, 507015},
                 {"task", 2, 507015},   {"copy", 2, 507899}, {"lost", 2, 507899}};
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        for (int i = 1; i <= kinds[k].count + 1; i++) {
            char spec[32];
            snprintf(spec, sizeof spec, "%s=%d", kinds[k].name, i);
            begin(spec);
            CODE(i <= kinds[k].count ? kinds[k].code : 0, smallProgram());
            end();
        }
    }
}

/* What a careless program leaves is gone after aclFinalize, and the report has it. */
static void testLeaks(void)
{
    const char *report = getenv("REPORT");
    char spec[300];
    snprintf(spec, sizeof spec, "report=%s", report == NULL ? "stderr" : report);
    begin(spec);
    aclrtEvent event;
    aclrtContext context;
    float one = 1;
    void *a = allocate(ones), *h = NULL;
    OK(aclrtMallocHost(&h, 48));
    OK(aclrtCreateEvent(&event));
    aclTensor *t = tensorOf(N, 1, 0, a);
    aclScalar *scalar = aclCreateScalar(&one, ACL_FLOAT);
    aclOpExecutor *left = planExp(t, t);
    OK(aclrtCreateContext(&context, 0));
    OK(aclFinalize());
    CODE(0, (int)ascendsimAlive());
    CODE(107000, aclrtFree(a));
    CODE(107002, aclrtSynchronizeStream(stream));

    /* What was left can be destroyed, once, and nothing else be done with it, also after initialising again. */
    begin(NULL);
    uint64_t size = 0;
    aclOpExecutor *executor = NULL;
    aclDataType type = ACL_DT_UNDEFINED;
    CODE(0, (int)ascendsimAlive() - 2); /* the context and the stream */
    CODE(161002, aclGetDataType(t, &type));
    CODE(161002, aclnnExpGetWorkspaceSize(t, t, &size, &executor));
    FAILS(561103, aclnnExp(NULL, 0, left, stream), "not live");
    OK(aclDestroyAclOpExecutor(left));
    CODE(561103, aclDestroyAclOpExecutor(left));
    OK(aclDestroyTensor(t));
    CODE(161002, aclDestroyTensor(t));
    OK(aclDestroyScalar(scalar));
    CODE(161002, aclDestroyScalar(scalar));
    end();
}

/* As destructors do that run at the end of main. */
static void testLateDestroying(void)
{
    const int64_t dims[] = {N};
    float one = 1;
    begin("report=/dev/null");
    const aclTensor *t = tensorOf(N, 1, 0, NULL);
    const aclScalar *s = aclCreateScalar(&one, ACL_FLOAT);
    aclTensorList *tensors = aclCreateTensorList(&t, 1);
    aclScalarList *scalars = aclCreateScalarList(&s, 1);
    aclIntArray *array = aclCreateIntArray(dims, 1);
    OK(aclrtDestroyStream(stream));
    OK(aclrtResetDevice(0));
    OK(aclFinalize());
    OK(aclDestroyTensorList(tensors)); /* with its tensor */
    CODE(161002, aclDestroyTensor(t));
    OK(aclDestroyScalarList(scalars));
    CODE(161002, aclDestroyScalar(s));
    OK(aclDestroyIntArray(array));
    CODE(161002, aclDestroyIntArray(array));
    ascendsimSetFaults(NULL);
}

/* ---- threads ---- */

enum { THREADS = 4, STEPS = 200 };

static aclrtContext shared;
static aclrtEvent common;

static void *work(void *argument)
{
    float expected = 0, *add = argument;
    aclrtStream mine = NULL;
    aclrtEvent event = NULL;
    OK(aclrtSetCurrentContext(shared));
    OK(aclrtCreateStream(&mine));
    OK(aclrtCreateEvent(&event));
    void *a = allocate(zeros);
    aclTensor *t = tensorOf(N, 1, 0, a);
    aclScalar *number = aclCreateScalar(add, ACL_FLOAT), *one = aclCreateScalar((void *)(uintptr_t)ones, ACL_FLOAT);
    for (int i = 0; i < STEPS; i++) {
        uint64_t size = 0;
        aclOpExecutor *executor = NULL;
        OK(aclnnInplaceAddsGetWorkspaceSize(t, number, one, &size, &executor));
        OK(aclnnInplaceAdds(NULL, 0, executor, mine));
        expected += *add;
        OK(aclrtRecordEvent(common, mine));
        OK(aclrtStreamWaitEvent(mine, common));    /* any thread's record */
        CODE(107003, aclrtSynchronizeStream(add)); /* a message of this thread */
        if (i % 20 == 0) {
            OK(aclrtRecordEvent(event, mine));
            OK(aclrtStreamWaitEvent(NULL, event));
            OK(aclrtSynchronizeEvent(event));
            TRUE(firstOf(a) == expected);
        }
    }
    OK(aclrtSynchronizeStream(mine));
    TRUE(firstOf(a) == expected);
    OK(aclDestroyTensor(t));
    OK(aclDestroyScalar(number));
    OK(aclDestroyScalar(one));
    OK(aclrtFree(a));
    OK(aclrtDestroyEvent(event));
    OK(aclrtDestroyStream(mine));
    return NULL;
}

static void testThreads(void)
{
    pthread_t threads[THREADS];
    float adds[THREADS];
    begin(NULL);
    OK(aclrtGetCurrentContext(&shared));
    OK(aclrtCreateEvent(&common));
    for (int i = 0; i < THREADS; i++) {
        adds[i] = (float)(i + 1);
        TRUE(pthread_create(&threads[i], NULL, work, &adds[i]) == 0);
    }
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    OK(aclrtDestroyEvent(common));
    end();
}

enum { RACERS = 3 };

static aclOpExecutor *contested;
static atomic_int ready, launched;

static void *launchContested(void *repeatable)
{
    OK(aclrtSetCurrentContext(shared));
    atomic_fetch_add(&ready, 1);
    while (atomic_load(&ready) < RACERS) {
    }
    int code = aclnnExp(NULL, 0, contested, stream);
    if (code == 0) atomic_fetch_add(&launched, 1);
    else CODE(561103, code);
    TRUE(code == 0 || repeatable == NULL);
    return NULL;
}

/*
 * Of several threads that launch one executor at once, one succeeds, or all if it is repeatable. The simulator warns of
 * the other thread, once.
 */
static void testExecutorRace(void)
{
    enum { ROUNDS = 300 };
    begin(NULL);
    OK(aclrtGetCurrentContext(&shared));
    void *a = allocate(zeros);
    for (int round = 0; round < ROUNDS && failures == 0; round++) {
        bool repeatable = round % 8 == 0;
        pthread_t threads[RACERS];
        aclTensor *self = tensorOf(N, 1, 0, a), *out = tensorOf(N, 1, 0, a);
        contested = planExp(self, out);
        if (repeatable) OK(aclSetAclOpExecutorRepeatable(contested));
        atomic_store(&ready, 0);
        atomic_store(&launched, 0);
        for (int i = 0; i < RACERS; i++)
            TRUE(pthread_create(&threads[i], NULL, launchContested, repeatable ? &contested : NULL) == 0);
        for (int i = 0; i < RACERS; i++) pthread_join(threads[i], NULL);
        CODE(repeatable ? RACERS : 1, atomic_load(&launched));
        CODE(repeatable ? 0 : 561103, aclDestroyAclOpExecutor(contested));
        OK(aclrtSynchronizeStream(stream));
        OK(aclDestroyTensor(self));
        OK(aclDestroyTensor(out));
    }
    OK(aclrtFree(a));
    end();
}

static void *createAgain(void *argument)
{
    _Atomic bool *stop = argument;
    while (!*stop) { /* each call may come too late */
        aclrtStream created = NULL;
        aclrtEvent event = NULL;
        aclrtContext context = NULL;
        (void)aclrtSetDevice(0);
        if (aclrtCreateStream(&created) == 0) (void)aclrtDestroyStream(created);
        if (aclrtCreateEvent(&event) == 0) (void)aclrtDestroyEvent(event);
        if (aclrtCreateContext(&context, 0) == 0) (void)aclrtDestroyContext(context);
    }
    return NULL;
}

/* Whatever is made while another thread finalises goes with that or the next time. */
static void testFinalizeRace(void)
{
    enum { ROUNDS = 60 };
    _Atomic bool stop = false;
    pthread_t thread;
    ascendsimSetFaults("report=/dev/null");
    OK(aclInit(NULL));
    TRUE(pthread_create(&thread, NULL, createAgain, &stop) == 0);
    for (int i = 0; i < ROUNDS; i++) {
        struct timespec pause = {.tv_nsec = 1000000};
        nanosleep(&pause, NULL);
        OK(aclFinalize());
        OK(aclInit(NULL));
    }
    stop = true;
    pthread_join(thread, NULL);
    OK(aclFinalize());
    CODE(0, (int)ascendsimAlive());
    ascendsimSetFaults(NULL);
}

int main(int argc, char **argv)
{
    const struct {
        const char *name;
        void (*run)(void);
    } tests[] = {{"init", testInit},
                 {"types", testTypes},
                 {"contexts", testContexts},
                 {"memory", testMemory},
                 {"large", testLargeMemory},
                 {"allocator", testAllocator},
                 {"streams", testStreams},
                 {"events", testEvents},
                 {"failure-crosses", testFailureCrosses},
                 {"recorded-again", testRecordedAgain},
                 {"force", testForce},
                 {"descriptors", testDescriptors},
                 {"executors", testExecutors},
                 {"addresses", testAddresses},
                 {"misuse", testMisuse},
                 {"faults", testFaults},
                 {"overflow", testOverflow},
                 {"every-fault", testEveryFault},
                 {"leaks", testLeaks},
                 {"late", testLateDestroying},
                 {"finalize-race", testFinalizeRace},
                 {"threads", testThreads},
                 {"executor-race", testExecutorRace}};
    int ran = 0;
    for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++) {
        bool chosen = argc == 1;
        for (int k = 1; k < argc; k++) chosen = chosen || strcmp(argv[k], tests[i].name) == 0;
        if (!chosen) continue;
        int before = failures;
        tests[i].run();
        printf("%s %s\n", failures == before ? "ok  " : "FAIL", tests[i].name);
        fflush(stdout);
        ran++;
    }
    return failures > 0 || ran == 0;
}
