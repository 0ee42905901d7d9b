/* Streams: queues of tasks, each drained by a thread of its own. */
#include "internal.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct task {
    struct task *next;
    int (*run)(void *argument, char message[SIM_MESSAGE_SIZE]);
    int (*mark)(void *argument, int status, char message[SIM_MESSAGE_SIZE]); /* instead of run */
    void (*drop)(void *argument);
    void *argument;
};

struct stream {
    struct simObject object;
    void *context; /* a handle */
    pthread_t thread;

    pthread_mutex_t mutex; /* guards what follows */
    pthread_cond_t work;   /* a task has come, or the end */
    pthread_cond_t done;   /* a task has finished */
    struct task *first, **last;
    uint64_t submitted, finished;
    bool ending;   /* the thread ends when the queue is empty */
    bool aborting; /* tasks are dropped, not run */
    bool joined;
    int status; /* the first failure, which stays: what comes after it is dropped */
    char message[SIM_MESSAGE_SIZE];
};

/* Runs a task that has been taken off the queue. Needs the mutex, which it gives up meanwhile. */
static void perform(struct stream *stream, struct task *task)
{
    char message[SIM_MESSAGE_SIZE] = "";
    int code = ACL_SUCCESS;
    if (task->run != NULL && stream->status == ACL_SUCCESS) simStall(&stream->mutex, &stream->work, &stream->aborting);
    if (stream->aborting && stream->status == ACL_SUCCESS) {
        stream->status = ACL_ERROR_RT_DEVICE_TASK_ABORT;
        snprintf(stream->message, sizeof stream->message, "the stream was destroyed before its tasks were done");
    }
    int status = stream->status;
    if (status != ACL_SUCCESS) memcpy(message, stream->message, sizeof message);
    pthread_mutex_unlock(&stream->mutex);
    if (task->mark != NULL) {
        code = task->mark(task->argument, status, message);
    } else if (status != ACL_SUCCESS) {
        /* dropped */
    } else if (simLost()) {
        code = ACL_ERROR_RT_DRV_INTERNAL_ERROR;
        snprintf(message, sizeof message, "the device is lost");
    } else if (simCount(SIM_TASK)) {
        code = ACL_ERROR_RT_AICORE_EXCEPTION;
        snprintf(message, sizeof message, "this task was to fail");
    } else {
        code = task->run(task->argument, message);
    }
    task->drop(task->argument);
    free(task);
    pthread_mutex_lock(&stream->mutex);
    if (code != ACL_SUCCESS && stream->status == ACL_SUCCESS) {
        stream->status = code;
        memcpy(stream->message, message, sizeof message);
    }
    stream->finished++;
    pthread_cond_broadcast(&stream->done);
}

static void *drain(void *argument)
{
    struct stream *stream = argument;
    pthread_mutex_lock(&stream->mutex);
    for (;;) {
        while (stream->first == NULL && !stream->ending) pthread_cond_wait(&stream->work, &stream->mutex);
        struct task *task = stream->first;
        if (task == NULL) break;
        stream->first = task->next;
        if (stream->first == NULL) stream->last = &stream->first;
        perform(stream, task);
    }
    pthread_mutex_unlock(&stream->mutex);
    return NULL;
}

/* Ends the stream's thread, after what is queued or as soon as the task in hand is done. */
static void stop(struct stream *stream, bool finish)
{
    pthread_mutex_lock(&stream->mutex);
    stream->ending = true;
    if (!finish) stream->aborting = true;
    bool join = !stream->joined;
    stream->joined = true;
    pthread_cond_broadcast(&stream->work);
    pthread_mutex_unlock(&stream->mutex);
    if (!finish) simWakeEvents();
    if (join) pthread_join(stream->thread, NULL);
}

bool simAborting(void *of)
{
    struct stream *stream = of;
    pthread_mutex_lock(&stream->mutex);
    bool is = stream->aborting;
    pthread_mutex_unlock(&stream->mutex);
    return is;
}

static void destroy(void *destroyed)
{
    struct stream *stream = destroyed;
    stop(stream, false);
    pthread_cond_destroy(&stream->work);
    pthread_cond_destroy(&stream->done);
    pthread_mutex_destroy(&stream->mutex);
    free(stream);
}

void *simNewStream(void *context, enum simKind kind, const char *label)
{
    struct stream *stream = calloc(1, sizeof *stream);
    if (stream == NULL) return NULL;
    stream->context = context;
    stream->last = &stream->first;
    pthread_mutex_init(&stream->mutex, NULL);
    simCondInit(&stream->work);
    simCondInit(&stream->done);

    /* Signals are the program's; and kernels want more stack than some C libraries give a thread. */
    sigset_t all, before;
    sigfillset(&all);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 1 << 20);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    stream->joined = pthread_create(&stream->thread, &attributes, drain, stream) != 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);

    void *handle = stream->joined ? NULL : simOpen(stream, kind, label, destroy);
    if (handle == NULL) destroy(stream);
    return handle;
}

void simStopStreams(void *context, bool finish)
{
    static const enum simKind kinds[] = {SIM_STREAM, SIM_DEFAULT_STREAM};
    for (int k = 0; k < 2; k++) {
        size_t count;
        void **streams = simAcquireAll(kinds[k], &count);
        for (size_t i = 0; i < count; i++) {
            struct stream *stream = streams[i];
            if (stream->context == context) {
                simClose(stream->object.handle, kinds[k]);
                stop(stream, finish);
            }
            simRelease(stream);
        }
        free(streams);
    }
}

void *simAcquireStream(const char *function, aclrtStream handle, aclError *code)
{
    struct simContext *context = simAcquireContext(function, code);
    if (context == NULL) return NULL;
    void *contextHandle = context->object.handle;
    struct stream *stream =
        handle == NULL ? simAcquire(context->defaultStream, SIM_DEFAULT_STREAM) : simAcquire(handle, SIM_STREAM);
    simRelease(context);
    if (stream != NULL && stream->context == contextHandle) return stream;
    *code =
        simFail(ACL_ERROR_RT_STREAM_CONTEXT, "%s: %s", function,
                stream == NULL ? "the stream is not live" : "the stream belongs to another context than this thread's");
    if (stream != NULL) simRelease(stream);
    return NULL;
}

static aclError append(struct stream *stream, struct task task)
{
    struct task *added = malloc(sizeof *added);
    if (added == NULL) {
        task.drop(task.argument);
        return simFail(ACL_ERROR_BAD_ALLOC, "out of host memory for a task");
    }
    *added = task;
    pthread_mutex_lock(&stream->mutex);
    bool refused = stream->ending;
    if (!refused) {
        *stream->last = added;
        stream->last = &added->next;
        stream->submitted++;
        pthread_cond_broadcast(&stream->work);
    }
    pthread_mutex_unlock(&stream->mutex);
    if (!refused) return ACL_SUCCESS;
    task.drop(task.argument);
    free(added);
    return simFail(ACL_ERROR_RT_STREAM_CONTEXT, "the stream is being destroyed");
}

aclError simSubmit(void *stream, int (*run)(void *argument, char message[SIM_MESSAGE_SIZE]),
                   void (*drop)(void *argument), void *argument)
{
    return append(stream, (struct task){.run = run, .drop = drop, .argument = argument});
}

aclError simSubmitMark(void *stream, int (*mark)(void *argument, int status, char message[SIM_MESSAGE_SIZE]),
                       void (*drop)(void *argument), void *argument)
{
    return append(stream, (struct task){.mark = mark, .drop = drop, .argument = argument});
}

/* Waits for what is queued now; -1 milliseconds are forever. */
static aclError synchronise(const char *function, struct stream *stream, int32_t milliseconds)
{
    struct timespec until = simDeadline(milliseconds);
    bool late = false;
    pthread_mutex_lock(&stream->mutex);
    uint64_t target = stream->submitted;
    while (stream->finished < target && !late) {
        if (milliseconds < 0) pthread_cond_wait(&stream->done, &stream->mutex);
        else late = pthread_cond_timedwait(&stream->done, &stream->mutex, &until) != 0;
    }
    late = stream->finished < target;
    aclError code = ACL_SUCCESS;
    if (late) code = simFail(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, "%s: not done after %d ms", function, (int)milliseconds);
    else if (stream->status != ACL_SUCCESS)
        code = simFail(stream->status, "%s: a task of the stream failed: %s", function, stream->message);
    pthread_mutex_unlock(&stream->mutex);
    return code;
}

aclError simSynchroniseAll(const char *function)
{
    static const enum simKind kinds[] = {SIM_STREAM, SIM_DEFAULT_STREAM};
    aclError first = ACL_SUCCESS;
    for (int k = 0; k < 2; k++) {
        size_t count;
        void **streams = simAcquireAll(kinds[k], &count);
        for (size_t i = 0; i < count; i++) {
            aclError code = synchronise(function, streams[i], -1);
            if (first == ACL_SUCCESS) first = code;
            simRelease(streams[i]);
        }
        free(streams);
    }
    return first;
}

aclError aclrtCreateStreamWithConfig(aclrtStream *stream, uint32_t priority, uint32_t flag)
{
    (void)priority; /* streams take turns */
    (void)flag;     /* both flags trade memory for time */
    if (stream == NULL) return simFail(ACL_ERROR_INVALID_PARAM, "aclrtCreateStream: stream is NULL");
    SIM_REFUSE_IF_LOST();
    aclError code;
    struct simContext *context = simAcquireContext("aclrtCreateStream", &code);
    if (context == NULL) return code;
    void *contextHandle = context->object.handle;
    void *handle = simNewStream(contextHandle, SIM_STREAM, "of aclrtCreateStream");
    simRelease(context);
    if (handle == NULL)
        return simFail(ACL_ERROR_RT_NO_STREAM_RESOURCE, "aclrtCreateStream: the stream's thread cannot be started");
    if (!simContextLives(contextHandle)) { /* whoever closed it may not have seen the stream */
        simClose(handle, SIM_STREAM);
        return simFail(ACL_ERROR_RT_CONTEXT_NULL, "aclrtCreateStream: the context of this thread has been destroyed");
    }
    *stream = handle;
    return ACL_SUCCESS;
}

aclError aclrtCreateStream(aclrtStream *stream) { return aclrtCreateStreamWithConfig(stream, 0, 0); }

static aclError destroyStream(const char *function, aclrtStream handle, bool finish)
{
    if (handle == NULL) return simFail(ACL_ERROR_INVALID_PARAM, "%s: stream is NULL", function);
    aclError code;
    struct stream *stream = simAcquireStream(function, handle, &code);
    if (stream == NULL) return code;
    bool mine = simClose(handle, SIM_STREAM); /* false if another thread was faster */
    if (mine) stop(stream, finish && !simLost());
    simRelease(stream);
    return mine ? ACL_SUCCESS : simFail(ACL_ERROR_RT_STREAM_CONTEXT, "%s: the stream is not live", function);
}

aclError aclrtDestroyStream(aclrtStream stream) { return destroyStream("aclrtDestroyStream", stream, true); }

aclError aclrtDestroyStreamForce(aclrtStream stream) { return destroyStream("aclrtDestroyStreamForce", stream, false); }

static aclError synchroniseStream(const char *function, aclrtStream handle, int32_t timeout)
{
    if (timeout == 0 || timeout < -1)
        return simFail(ACL_ERROR_RT_PARAM_INVALID, "%s: a timeout of %d ms; it must be positive, or -1 for none",
                       function, (int)timeout);
    if (simLost()) return simFail(ACL_ERROR_RT_DRV_INTERNAL_ERROR, "%s: the device is lost", function);
    aclError code;
    void *stream = simAcquireStream(function, handle, &code);
    if (stream == NULL) return code;
    code = synchronise(function, stream, timeout);
    simRelease(stream);
    return code;
}

aclError aclrtSynchronizeStream(aclrtStream stream) { return synchroniseStream("aclrtSynchronizeStream", stream, -1); }

aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeout)
{
    return synchroniseStream("aclrtSynchronizeStreamWithTimeout", stream, timeout);
}

aclError aclrtStreamQuery(aclrtStream handle, aclrtStreamStatus *status)
{
    if (status == NULL) return simFail(ACL_ERROR_INVALID_PARAM, "aclrtStreamQuery: status is NULL");
    SIM_REFUSE_IF_LOST();
    aclError code;
    struct stream *stream = simAcquireStream("aclrtStreamQuery", handle, &code);
    if (stream == NULL) return code;
    pthread_mutex_lock(&stream->mutex);
    if (stream->status != ACL_SUCCESS)
        code = simFail(stream->status, "aclrtStreamQuery: a task of the stream failed: %s", stream->message);
    else if (stream->finished == stream->submitted) *status = ACL_STREAM_STATUS_COMPLETE, code = ACL_SUCCESS;
    else *status = ACL_STREAM_STATUS_NOT_READY, code = ACL_SUCCESS;
    pthread_mutex_unlock(&stream->mutex);
    simRelease(stream);
    return code;
}
