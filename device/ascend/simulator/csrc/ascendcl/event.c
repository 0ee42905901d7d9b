/* Events: marks in streams that the host and other streams can wait for. */
#include "internal.h"

#include <stdlib.h>
#include <time.h>

struct event {
    struct simObject object;
    bool timed; /* keeps the time of its mark */

    pthread_mutex_t mutex; /* guards what follows */
    pthread_cond_t reached;
    uint64_t recorded; /* how often aclrtRecordEvent was called */
    uint64_t passed;   /* up to which of these the streams have come */
    int status;        /* of the stream at the last mark */
    double time;       /* in milliseconds */
};

/* A mark in a stream: the event's n-th record, or a wait for it. */
struct mark {
    struct event *event;
    uint64_t n;
};

static void destroy(void *destroyed)
{
    struct event *event = destroyed;
    pthread_cond_destroy(&event->reached);
    pthread_mutex_destroy(&event->mutex);
    free(event);
}

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
    struct simContext *context = simAcquireContext(function, &code);
    if (context == NULL) return code;
    simRelease(context);
    struct event *event = calloc(1, sizeof *event);
    if (event == NULL) return simFail(ACL_ERROR_BAD_ALLOC, "%s: out of host memory", function);
    event->timed = timed;
    pthread_mutex_init(&event->mutex, NULL);
    simCondInit(&event->reached);
    void *opened = simOpen(event, SIM_EVENT, "of aclrtCreateEvent", destroy);
    if (opened == NULL) {
        destroy(event);
        return simFail(ACL_ERROR_RT_NO_EVENT_RESOURCE, "%s: no handle is left", function);
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

static void pass(void *argument, int status)
{
    const struct mark *mark = argument;
    struct event *event = mark->event;
    pthread_mutex_lock(&event->mutex);
    if (mark->n > event->passed) {
        event->passed = mark->n;
        event->status = status;
        event->time = simMilliseconds();
    }
    pthread_cond_broadcast(&event->reached);
    pthread_mutex_unlock(&event->mutex);
}

static void await(void *argument, int status)
{
    const struct mark *mark = argument;
    struct event *event = mark->event;
    if (status != ACL_SUCCESS) return; /* nothing after this will run */
    pthread_mutex_lock(&event->mutex);
    while (event->passed < mark->n) pthread_cond_wait(&event->reached, &event->mutex);
    pthread_mutex_unlock(&event->mutex);
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
        simRelease(event);
        code = simFail(ACL_ERROR_BAD_ALLOC, "%s: out of host memory", function);
    } else {
        /* The mark has the reference now. */
        pthread_mutex_lock(&event->mutex);
        if (record) event->recorded++;
        *mark = (struct mark){event, event->recorded};
        pthread_mutex_unlock(&event->mutex);
        code = simSubmitMark(stream, record ? pass : await, dropMark, mark);
    }
    simRelease(stream);
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

aclError aclrtQueryEventStatus(aclrtEvent handle, aclrtEventRecordedStatus *status)
{
    if (status == NULL) return simFail(ACL_ERROR_INVALID_PARAM, "aclrtQueryEventStatus: status is NULL");
    SIM_REFUSE_IF_LOST();
    aclError code;
    struct event *event = acquire("aclrtQueryEventStatus", handle, &code);
    if (event == NULL) return code;
    pthread_mutex_lock(&event->mutex);
    bool complete = event->recorded > 0 && event->passed == event->recorded;
    pthread_mutex_unlock(&event->mutex);
    *status = complete ? ACL_EVENT_RECORDED_STATUS_COMPLETE : ACL_EVENT_RECORDED_STATUS_NOT_READY;
    simRelease(event);
    return ACL_SUCCESS;
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
    code = ACL_SUCCESS;
    pthread_mutex_lock(&event->mutex);
    uint64_t target = event->recorded;
    while (event->passed < target && !late) {
        if (milliseconds < 0) pthread_cond_wait(&event->reached, &event->mutex);
        else late = pthread_cond_timedwait(&event->reached, &event->mutex, &until) != 0;
    }
    if (event->passed < target)
        code = simFail(ACL_ERROR_RT_EVENT_SYNC_TIMEOUT, "%s: not reached after %d ms", function, (int)milliseconds);
    else if (event->status != ACL_SUCCESS)
        code = simFail(event->status, "%s: a task before the event failed", function);
    pthread_mutex_unlock(&event->mutex);
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
    pthread_mutex_lock(&event->mutex);
    bool known = event->timed && event->recorded > 0 && event->passed == event->recorded;
    *time = event->time;
    pthread_mutex_unlock(&event->mutex);
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
