/* The device, its contexts, and which context each thread works in. */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

enum { DEVICES = 1 };

static _Thread_local void *current; /* a handle, perhaps a stale one */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void *defaultContext; /* of device 0, while it is set */
static int uses;             /* aclrtSetDevice less aclrtResetDevice */
static struct simOptions processOptions;

static void destroyContext(void *destroyed)
{
    struct simContext *context = destroyed;
    pthread_mutex_destroy(&context->mutex);
    free(context);
}

static aclError checkDevice(const char *function, int32_t id)
{
    if (id < 0 || id >= DEVICES)
        return simFail(ACL_ERROR_RT_INVALID_DEVICEID, "%s: there is no device %d; the simulator has only device 0",
                       function, (int)id);
    return ACL_SUCCESS;
}

/* Makes a context with its default stream. On failure returns NULL and sets *code. Needs the mutex. */
static void *newContext(const char *function, bool isDefault, aclError *code)
{
    if (!simInitialised()) {
        *code = simFail(ACL_ERROR_UNINITIALIZE, "%s: aclInit has not been called", function);
        return NULL;
    }
    struct simContext *context = calloc(1, sizeof *context);
    if (context == NULL) {
        *code = simFail(ACL_ERROR_BAD_ALLOC, "%s: out of host memory", function);
        return NULL;
    }
    pthread_mutex_init(&context->mutex, NULL);
    context->isDefault = isDefault;
    void *handle =
        simOpen(context, SIM_CONTEXT, isDefault ? "of aclrtSetDevice" : "of aclrtCreateContext", destroyContext);
    if (handle == NULL) {
        destroyContext(context);
        *code = simFail(ACL_ERROR_BAD_ALLOC, "%s: no handle is left", function);
        return NULL;
    }
    context->defaultStream = simNewStream(handle, SIM_DEFAULT_STREAM, "of a context");
    if (context->defaultStream == NULL) {
        simClose(handle, SIM_CONTEXT);
        *code = simFail(ACL_ERROR_RT_NO_STREAM_RESOURCE, "%s: the default stream's thread cannot be started", function);
        return NULL;
    }
    return handle;
}

/* Makes the context's handle stale and ends its streams, after what is queued or at once. */
static void closeContext(void *handle, bool finish)
{
    if (simClose(handle, SIM_CONTEXT)) simStopStreams(handle, finish);
}

struct simContext *simAcquireContext(const char *function, aclError *code)
{
    struct simContext *context = current == NULL ? NULL : simAcquire(current, SIM_CONTEXT);
    if (context == NULL)
        *code =
            simFail(ACL_ERROR_RT_CONTEXT_NULL, "%s: %s", function,
                    current == NULL ? "this thread has no context; call aclrtSetDevice or aclrtSetCurrentContext on it"
                                    : "the context of this thread has been destroyed");
    return context;
}

const void *simCurrentContext(const char *function, aclError *code)
{
    struct simContext *context = simAcquireContext(function, code);
    if (context == NULL) return NULL;
    const void *handle = context->object.handle;
    simRelease(context);
    return handle;
}

bool simContextLives(const void *handle)
{
    void *context = simAcquire(handle, SIM_CONTEXT);
    if (context != NULL) simRelease(context);
    return context != NULL;
}

/* The library is not initialised any more, and so no context is made once the mutex has been held. */
void simCloseContexts(void)
{
    size_t count;
    pthread_mutex_lock(&mutex);
    void **contexts = simAcquireAll(SIM_CONTEXT, &count);
    defaultContext = NULL;
    uses = 0;
    memset(&processOptions, 0, sizeof processOptions);
    pthread_mutex_unlock(&mutex);
    for (size_t i = 0; i < count; i++) {
        struct simContext *context = contexts[i];
        closeContext(context->object.handle, false);
        simRelease(context);
    }
    free(contexts);
}

aclError aclrtSetDevice(int32_t deviceId)
{
    aclError code = checkDevice("aclrtSetDevice", deviceId);
    if (code != ACL_SUCCESS) return code;
    SIM_REFUSE_IF_LOST();
    pthread_mutex_lock(&mutex);
    if (defaultContext == NULL) defaultContext = newContext("aclrtSetDevice", true, &code);
    if (defaultContext != NULL) {
        uses++;
        current = defaultContext;
    }
    pthread_mutex_unlock(&mutex);
    return code;
}

static aclError reset(const char *function, int32_t deviceId, bool force)
{
    aclError code = checkDevice(function, deviceId);
    if (code != ACL_SUCCESS) return code;
    void *closed = NULL;
    pthread_mutex_lock(&mutex);
    if (uses > 0) uses = force ? 0 : uses - 1;
    if (uses == 0) {
        closed = defaultContext;
        defaultContext = NULL;
    }
    pthread_mutex_unlock(&mutex);
    if (closed != NULL) closeContext(closed, !force);
    return ACL_SUCCESS;
}

aclError aclrtResetDevice(int32_t deviceId) { return reset("aclrtResetDevice", deviceId, false); }

aclError aclrtResetDeviceForce(int32_t deviceId) { return reset("aclrtResetDeviceForce", deviceId, true); }

aclError aclrtGetDevice(int32_t *deviceId)
{
    if (deviceId == NULL) return simFail(ACL_ERROR_INVALID_PARAM, "aclrtGetDevice: deviceId is NULL");
    SIM_REFUSE_IF_LOST();
    aclError code;
    struct simContext *context = simAcquireContext(__func__, &code);
    if (context == NULL) return code;
    simRelease(context);
    *deviceId = 0;
    return ACL_SUCCESS;
}

aclError aclrtGetDeviceCount(uint32_t *count)
{
    if (count == NULL) return simFail(ACL_ERROR_INVALID_PARAM, "aclrtGetDeviceCount: count is NULL");
    SIM_REFUSE_IF_LOST();
    *count = DEVICES;
    return ACL_SUCCESS;
}

aclError aclrtGetRunMode(aclrtRunMode *runMode)
{
    if (runMode == NULL) return simFail(ACL_ERROR_INVALID_PARAM, "aclrtGetRunMode: runMode is NULL");
    SIM_REFUSE_IF_LOST();
    *runMode = ACL_HOST;
    return ACL_SUCCESS;
}

aclError aclrtSynchronizeDevice(void)
{
    SIM_REFUSE_IF_LOST();
    aclError code;
    struct simContext *context = simAcquireContext(__func__, &code);
    if (context == NULL) return code;
    simRelease(context);
    return simSynchroniseAll("aclrtSynchronizeDevice");
}

aclError aclrtCreateContext(aclrtContext *context, int32_t deviceId)
{
    if (context == NULL) return simFail(ACL_ERROR_INVALID_PARAM, "aclrtCreateContext: context is NULL");
    aclError code = checkDevice("aclrtCreateContext", deviceId);
    if (code != ACL_SUCCESS) return code;
    SIM_REFUSE_IF_LOST();
    pthread_mutex_lock(&mutex);
    void *handle = newContext("aclrtCreateContext", false, &code);
    pthread_mutex_unlock(&mutex);
    if (handle == NULL) return code;
    current = handle;
    *context = handle;
    return ACL_SUCCESS;
}

aclError aclrtDestroyContext(aclrtContext context)
{
    if (context == NULL) return simFail(ACL_ERROR_INVALID_PARAM, "aclrtDestroyContext: context is NULL");
    struct simContext *c = simAcquire(context, SIM_CONTEXT);
    if (c == NULL) return simFail(ACL_ERROR_RT_INVALID_HANDLE, "aclrtDestroyContext: %p is no live context", context);
    bool isDefault = c->isDefault;
    simRelease(c);
    if (isDefault)
        return simFail(ACL_ERROR_RT_PARAM_INVALID,
                       "aclrtDestroyContext: the default context goes with aclrtResetDevice, not with this call");
    closeContext(context, true);
    if (current == context) current = NULL;
    return ACL_SUCCESS;
}

aclError aclrtSetCurrentContext(aclrtContext context)
{
    if (context == NULL) return simFail(ACL_ERROR_INVALID_PARAM, "aclrtSetCurrentContext: context is NULL");
    SIM_REFUSE_IF_LOST();
    struct simContext *c = simAcquire(context, SIM_CONTEXT);
    if (c == NULL)
        return simFail(ACL_ERROR_RT_INVALID_HANDLE, "aclrtSetCurrentContext: %p is no live context", context);
    simRelease(c);
    current = context;
    return ACL_SUCCESS;
}

aclError aclrtGetCurrentContext(aclrtContext *context)
{
    if (context == NULL) return simFail(ACL_ERROR_INVALID_PARAM, "aclrtGetCurrentContext: context is NULL");
    SIM_REFUSE_IF_LOST();
    aclError code;
    struct simContext *c = simAcquireContext(__func__, &code);
    if (c == NULL) return code;
    *context = c->object.handle;
    simRelease(c);
    return ACL_SUCCESS;
}

/* ---- options ---- */

static aclError setOption(const char *function, struct simOptions *options, int opt, int64_t value)
{
    if (opt < 0 || opt >= SIM_SYSTEM_OPTIONS)
        return simFail(ACL_ERROR_RT_PARAM_INVALID, "%s: %d is no option", function, opt);
    options->set[opt] = true;
    options->values[opt] = value;
    return ACL_SUCCESS;
}

static aclError getOption(const char *function, const struct simOptions *options, int opt, int64_t *value)
{
    if (opt < 0 || opt >= SIM_SYSTEM_OPTIONS)
        return simFail(ACL_ERROR_RT_PARAM_INVALID, "%s: %d is no option", function, opt);
    if (!options->set[opt])
        return simFail(ACL_ERROR_RT_SYSPARAMOPT_NOT_SET, "%s: option %d has not been set", function, opt);
    *value = options->values[opt];
    return ACL_SUCCESS;
}

aclError aclrtSetSysParamOpt(aclSysParamOpt opt, int64_t value)
{
    SIM_REFUSE_IF_LOST();
    pthread_mutex_lock(&mutex);
    aclError code = setOption("aclrtSetSysParamOpt", &processOptions, (int)opt, value);
    pthread_mutex_unlock(&mutex);
    return code;
}

aclError aclrtGetSysParamOpt(aclSysParamOpt opt, int64_t *value)
{
    if (value == NULL) return simFail(ACL_ERROR_INVALID_PARAM, "aclrtGetSysParamOpt: value is NULL");
    SIM_REFUSE_IF_LOST();
    pthread_mutex_lock(&mutex);
    aclError code = getOption("aclrtGetSysParamOpt", &processOptions, (int)opt, value);
    pthread_mutex_unlock(&mutex);
    return code;
}

aclError aclrtCtxSetSysParamOpt(aclSysParamOpt opt, int64_t value)
{
    SIM_REFUSE_IF_LOST();
    aclError code;
    struct simContext *context = simAcquireContext(__func__, &code);
    if (context == NULL) return code;
    pthread_mutex_lock(&context->mutex);
    code = setOption("aclrtCtxSetSysParamOpt", &context->options, (int)opt, value);
    pthread_mutex_unlock(&context->mutex);
    simRelease(context);
    return code;
}

aclError aclrtCtxGetSysParamOpt(aclSysParamOpt opt, int64_t *value)
{
    if (value == NULL) return simFail(ACL_ERROR_INVALID_PARAM, "aclrtCtxGetSysParamOpt: value is NULL");
    SIM_REFUSE_IF_LOST();
    aclError code;
    struct simContext *context = simAcquireContext(__func__, &code);
    if (context == NULL) return code;
    pthread_mutex_lock(&context->mutex);
    code = getOption("aclrtCtxGetSysParamOpt", &context->options, (int)opt, value);
    pthread_mutex_unlock(&context->mutex);
    simRelease(context);
    return code;
}

/* Results are IEEE's, infinities and NaN included; saturating arithmetic is not simulated. */
aclError aclrtSetDeviceSatMode(aclrtFloatOverflowMode mode)
{
    SIM_REFUSE_IF_LOST();
    if ((int)mode < ACL_RT_OVERFLOW_MODE_SATURATION || mode > ACL_RT_OVERFLOW_MODE_UNDEF)
        return simFail(ACL_ERROR_RT_PARAM_INVALID, "aclrtSetDeviceSatMode: %d is no mode", (int)mode);
    if (mode != ACL_RT_OVERFLOW_MODE_INFNAN)
        return simFail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                       "aclrtSetDeviceSatMode: the simulator has only INFNAN, mode 1");
    return ACL_SUCCESS;
}

aclError aclrtGetDeviceSatMode(aclrtFloatOverflowMode *mode)
{
    if (mode == NULL) return simFail(ACL_ERROR_INVALID_PARAM, "aclrtGetDeviceSatMode: mode is NULL");
    SIM_REFUSE_IF_LOST();
    *mode = ACL_RT_OVERFLOW_MODE_INFNAN;
    return ACL_SUCCESS;
}
