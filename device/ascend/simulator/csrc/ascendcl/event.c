/* Events: marks in streams that the host and other streams can wait for. */
#include "internal.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* What is in an event is guarded by the mutex, which is one for all events. */
struct event {
    struct simObject object;
    bool timed;                     /* keeps the time of its mark */
    uint64_t recorded;              /* how often aclrtRecordEvent was called */
    uint64_t passed;                /* up to which of these the streams have come */
    int status;                     /* of the stream at the last mark */
    double time;                    /* in milliseconds */
    char message[SIM_MESSAGE_SIZE]; /* that goes with status */
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t reached; /* some event has been passed, or some stream is aborting */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void initialise(void) { simCondInit(&reached); }

static void lock(void)
{
    pthread_once(&once, initialise);
    pthread_mutex_lock(&mutex);
}

static void unlock(void) { pthread_mutex_unlock(&mutex); }

void simWakeEvents(void)
{
    lock();
    pthread_cond_broadcast(&reached);
    unlock();
}

/* A mark in a stream: the event's n-th record, or a wait for it. */
struct mark {
    struct event *event;
    uint64_t n;
    void *stream;
};

static void dropMark(void *dropped)
{
    struct mark *mark = dropped;
    simRelease(mark->event);
    free(mark);
}

static struct event *acquire(const char *function, aclrtEvent handle, aclError *code)
{
    if (handle == NULL) {
        *code = simFail(ACL_ERROR_INVALID_PARAM, "%s: the event is NULL", function);
        return NULL;
    }
    struct event *event = simAcquire(handle, SIM_EVENT);
    if (event == NULL) *code = simFail(ACL_ERROR_RT_INVALID_HANDLE, "%s: %p is no live event", function, handle);
    return event;
}

static aclError create(const char *function, aclrtEvent *handle, bool timed)
{
    if (handle == NULL) return simFail(ACL_ERROR_INVALID_PARAM, "%s: event is NULL", function);
    if (simLost()) return simFail(ACL_ERROR_RT_DRV_INTERNAL_ERROR, "%s: the device is lost", function);
    aclError code;
    const void *context = simCurrentContext(function, &code);
    if (context == NULL) return code;
    struct event *event = calloc(1, sizeof *event);
    if (event == NULL) return simFail(ACL_ERROR_BAD_ALLOC, "%s: out of host memory", function);
    event->timed = timed;
    void *opened = simOpen(event, SIM_EVENT, "of aclrtCreateEvent", free);
    if (opened == NULL) {
        free(event);
        return simFail(ACL_ERROR_RT_NO_EVENT_RESOURCE, "%s: no handle is left", function);
    }
    if (!simContextLives(context)) { /* aclFinalize may have passed by the event */
        simClose(opened, SIM_EVENT);
        return simFail(ACL_ERROR_RT_CONTEXT_NULL, "%s: the context of this thread has been destroyed", function);
    }
    *handle = opened;
    return ACL_SUCCESS;
}

aclError aclrtCreateEvent(aclrtEvent *event) { return create("aclrtCreateEvent", event, true); }

aclError aclrtCreateEventWithFlag(aclrtEvent *event, uint32_t flag)
{
    return create("aclrtCreateEventWithFlag", event, (flag & ACL_EVENT_TIME_LINE) != 0);
}

aclError aclrtCreateEventExWithFlag(aclrtEvent *event, uint32_t flag)
{
    return create("aclrtCreateEventExWithFlag", event, (flag & ACL_EVENT_TIME_LINE) != 0);
}

aclError aclrtDestroyEvent(aclrtEvent event)
{
    if (event == NULL) return simFail(ACL_ERROR_INVALID_PARAM, "aclrtDestroyEvent: event is NULL");
    if (!simClose(event, SIM_EVENT))
        return simFail(ACL_ERROR_RT_INVALID_HANDLE, "aclrtDestroyEvent: %p is no live event", event);
    return ACL_SUCCESS;
}

static int pass(void *argument, int status, char message[SIM_MESSAGE_SIZE])
{
    const struct mark *mark = argument;
    struct event *event = mark->event;
    lock();
    if (mark->n > event->passed) {
        event->passed = mark->n;
        event->status = status;
        event->time = simMilliseconds();
        memcpy(event->message, message, sizeof event->message);
    }
    pthread_cond_broadcast(&reached);
    unlock();
    return ACL_SUCCESS;
}

/* A stream that waits for one that has failed fails as well: what it would go on with is not there. */
static int await(void *argument, int status, char message[SIM_MESSAGE_SIZE])
{
    const struct mark *mark = argument;
    struct event *event = mark->event;
    if (status != ACL_SUCCESS) return status; /* nothing after this will run */
    lock();
    while (event->passed < mark->n && !simAborting(mark->stream)) pthread_cond_wait(&reached, &mutex);
    if (event->passed >= mark->n) status = event->status;
    if (status != ACL_SUCCESS)
        snprintf(message, SIM_MESSAGE_SIZE, "before the event that it waits for, %.450s", event->message);
    unlock();
    return status;
}

/* Puts a mark into a stream: one more record of the event, or a wait for the last one. */
static aclError place(const char *function, aclrtEvent eventHandle, aclrtStream streamHandle, bool record)
{
    if (simLost()) return simFail(ACL_ERROR_RT_DRV_INTERNAL_ERROR, "%s: the device is lost", function);
    aclError code;
    struct event *event = acquire(function, eventHandle, &code);
    if (event == NULL) return code;
    void *stream = simAcquireStream(function, streamHandle, &code);
    if (stream == NULL) {
        simRelease(event);
        return code;
    }
    struct mark *mark = malloc(sizeof *mark);
    if (mark == NULL) {
        code = simFail(ACL_ERROR_BAD_ALLOC, "%s: out of host memory", function);
    } else {
        simRetain(event);
        lock();
        uint64_t n = event->recorded + (record ? 1 : 0);
        *mark = (struct mark){event, n, stream};
        code = simSubmitMark(stream, record ? pass : await, dropMark, mark);
        if (code == ACL_SUCCESS) event->recorded = n; /* a record that is refused is never passed */
        unlock();
    }
    simRelease(stream);
    simRelease(event);
    return code;
}

aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream)
{
    return place("aclrtRecordEvent", event, stream, true);
}

aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event)
{
    return place("aclrtStreamWaitEvent", event, stream, false);
}

/* The answer to whoever finds that an event has been passed. Needs the mutex. */
static aclError outcome(const char *function, const struct event *event)
{
    if (event->status == ACL_SUCCESS) return ACL_SUCCESS;
    return simFail(event->status, "%s: a task before the event failed: %s", function, event->message);
}

aclError aclrtQueryEventStatus(aclrtEvent handle, aclrtEventRecordedStatus *status)
{
    if (status == NULL) return simFail(ACL_ERROR_INVALID_PARAM, "aclrtQueryEventStatus: status is NULL");
    SIM_REFUSE_IF_LOST();
    aclError code;
    struct event *event = acquire("aclrtQueryEventStatus", handle, &code);
    if (event == NULL) return code;
    lock();
    bool complete = event->recorded > 0 && event->passed == event->recorded;
    code = complete ? outcome("aclrtQueryEventStatus", event) : ACL_SUCCESS;
    unlock();
    if (code == ACL_SUCCESS)
        *status = complete ? ACL_EVENT_RECORDED_STATUS_COMPLETE : ACL_EVENT_RECORDED_STATUS_NOT_READY;
    simRelease(event);
    return code;
}

static aclError synchronise(const char *function, aclrtEvent handle, int32_t milliseconds)
{
    if (milliseconds == 0 || milliseconds < -1)
        return simFail(ACL_ERROR_RT_PARAM_INVALID, "%s: a timeout of %d ms; it must be positive, or -1 for none",
                       function, (int)milliseconds);
    if (simLost()) return simFail(ACL_ERROR_RT_DRV_INTERNAL_ERROR, "%s: the device is lost", function);
    aclError code;
    struct event *event = acquire(function, handle, &code);
    if (event == NULL) return code;
    struct timespec until = simDeadline(milliseconds);
    bool late = false;
    lock();
    uint64_t target = event->recorded;
    while (event->passed < target && !late) {
        if (milliseconds < 0) pthread_cond_wait(&reached, &mutex);
        else late = pthread_cond_timedwait(&reached, &mutex, &until) != 0;
    }
    if (event->passed < target)
        code = simFail(ACL_ERROR_RT_EVENT_SYNC_TIMEOUT, "%s: not reached after %d ms", function, (int)milliseconds);
    else code = outcome(function, event);
    unlock();
    simRelease(event);
    return code;
}

aclError aclrtSynchronizeEvent(aclrtEvent event) { return synchronise("aclrtSynchronizeEvent", event, -1); }

aclError aclrtSynchronizeEventWithTimeout(aclrtEvent event, int32_t timeout)
{
    return synchronise("aclrtSynchronizeEventWithTimeout", event, timeout);
}

/* Reads when the streams passed the event's last record; false if that is not known. */
static bool timeOf(struct event *event, double *time)
{
    lock();
    bool known = event->timed && event->recorded > 0 && event->passed == event->recorded;
    *time = event->time;
    unlock();
    return known;
}

aclError aclrtEventElapsedTime(float *ms, aclrtEvent startEvent, aclrtEvent endEvent)
{
    if (ms == NULL) return simFail(ACL_ERROR_INVALID_PARAM, "aclrtEventElapsedTime: ms is NULL");
    SIM_REFUSE_IF_LOST();
    aclError code;
    struct event *start = acquire("aclrtEventElapsedTime", startEvent, &code);
    if (start == NULL) return code;
    struct event *end = acquire("aclrtEventElapsedTime", endEvent, &code);
    if (end == NULL) {
        simRelease(start);
        return code;
    }
    double from, to;
    bool known = timeOf(start, &from);
    known = timeOf(end, &to) && known;
    simRelease(start);
    simRelease(end);
    if (!known)
        return simFail(
            ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID,
            "aclrtEventElapsedTime: both events must have been made with ACL_EVENT_TIME_LINE, recorded and reached");
    if (to < from)
        return simFail(ACL_ERROR_RT_EVENT_TIMESTAMP_REVERSAL, "aclrtEventElapsedTime: the end comes before the start");
    *ms = (float)(to - from);
    return ACL_SUCCESS;
}
