/* Events: marks in streams that the host and other streams can wait for. */
#include "internal.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/*
 * One aclrtRecordEvent. Whoever waits holds on to the record that was the event's latest when the wait was asked for,
 * so recording the event again changes nothing for it.
 */
struct record {
    atomic_int references;          /* of the event whose latest it is, of marks, and of a waiting host */
    bool passed;                    /* the stream has come to it, and what follows is known; guarded by the mutex */
    int status;                     /* of the stream when it did */
    double time;                    /* in milliseconds */
    char message[SIM_MESSAGE_SIZE]; /* that goes with status */
};

struct event {
    struct simObject object;
    bool timed;            /* tells the time of its records */
    struct record *latest; /* NULL if it was never recorded; guarded by the mutex */
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* one for all events */
static pthread_cond_t reached;                            /* some record has been passed, or some stream is aborting */
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

/* Adds a reference to a record, which may be NULL. */
static struct record *hold(struct record *record)
{
    if (record != NULL) atomic_fetch_add(&record->references, 1);
    return record;
}

static void letGo(struct record *record)
{
    if (record != NULL && atomic_fetch_sub(&record->references, 1) == 1) free(record);
}

static void destroy(void *destroyed)
{
    struct event *event = destroyed;
    letGo(event->latest);
    free(event);
}

/* A mark in a stream: a record, or a wait for one. */
struct mark {
    struct record *record;
    void *stream;
};

static void dropMark(void *dropped)
{
    struct mark *mark = dropped;
    letGo(mark->record);
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
    void *opened = simOpen(event, SIM_EVENT, "of aclrtCreateEvent", destroy);
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
    struct record *record = mark->record;
    lock();
    record->passed = true;
    record->status = status;
    record->time = simMilliseconds();
    memcpy(record->message, message, sizeof record->message);
    pthread_cond_broadcast(&reached);
    unlock();
    return ACL_SUCCESS;
}

/* A stream that waits for one that has failed fails as well: what it would go on with is not there. */
static int await(void *argument, int status, char message[SIM_MESSAGE_SIZE])
{
    const struct mark *mark = argument;
    const struct record *record = mark->record;
    if (status != ACL_SUCCESS) return status; /* nothing after this will run */
    lock();
    while (!record->passed && !simAborting(mark->stream)) pthread_cond_wait(&reached, &mutex);
    if (record->passed) status = record->status;
    if (status != ACL_SUCCESS)
        snprintf(message, SIM_MESSAGE_SIZE, "before the event that it waits for, %.450s", record->message);
    unlock();
    return status;
}

/* Puts a mark into an acquired stream: a new record, which becomes the event's latest, or a wait for the latest. */
static aclError submit(const char *function, struct event *event, void *stream, bool record)
{
    aclError code = ACL_SUCCESS;
    struct mark *mark = malloc(sizeof *mark);
    struct record *made = record ? calloc(1, sizeof *made) : NULL;
    if (mark == NULL || (record && made == NULL)) {
        free(mark);
        free(made);
        return simFail(ACL_ERROR_BAD_ALLOC, "%s: out of host memory", function);
    }
    (void)hold(made);
    lock();
    *mark = (struct mark){hold(record ? made : event->latest), stream};
    if (mark->record == NULL) free(mark); /* the event was never recorded: there is nothing to wait for */
    else code = simSubmitMark(stream, record ? pass : await, dropMark, mark);
    if (record && code == ACL_SUCCESS) { /* one that is refused is never passed */
        struct record *before = event->latest;
        event->latest = made;
        made = before;
    }
    unlock();
    letGo(made);
    return code;
}

static aclError place(const char *function, aclrtEvent eventHandle, aclrtStream streamHandle, bool record)
{
    if (simLost()) return simFail(ACL_ERROR_RT_DRV_INTERNAL_ERROR, "%s: the device is lost", function);
    aclError code;
    struct event *event = acquire(function, eventHandle, &code);
    if (event == NULL) return code;
    void *stream = simAcquireStream(function, streamHandle, &code);
    if (stream != NULL) {
        code = submit(function, event, stream, record);
        simRelease(stream);
    }
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

/* The answer to whoever finds that a record has been passed. Needs the mutex. */
static aclError outcome(const char *function, const struct record *record)
{
    if (record->status == ACL_SUCCESS) return ACL_SUCCESS;
    return simFail(record->status, "%s: a task before the event failed: %s", function, record->message);
}

aclError aclrtQueryEventStatus(aclrtEvent handle, aclrtEventRecordedStatus *status)
{
    if (status == NULL) return simFail(ACL_ERROR_INVALID_PARAM, "aclrtQueryEventStatus: status is NULL");
    SIM_REFUSE_IF_LOST();
    aclError code;
    struct event *event = acquire("aclrtQueryEventStatus", handle, &code);
    if (event == NULL) return code;
    lock();
    bool complete = event->latest != NULL && event->latest->passed;
    code = complete ? outcome("aclrtQueryEventStatus", event->latest) : ACL_SUCCESS;
    unlock();
    if (code == ACL_SUCCESS)
        *status = complete ? ACL_EVENT_RECORDED_STATUS_COMPLETE : ACL_EVENT_RECORDED_STATUS_NOT_READY;
    simRelease(event);
    return code;
}

/* Waits for the latest record as it is now; -1 milliseconds are forever. */
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
    struct record *record = hold(event->latest);
    while (record != NULL && !record->passed && !late) {
        if (milliseconds < 0) pthread_cond_wait(&reached, &mutex);
        else late = pthread_cond_timedwait(&reached, &mutex, &until) != 0;
    }
    if (record == NULL) code = ACL_SUCCESS; /* never recorded: nothing to wait for */
    else if (record->passed) code = outcome(function, record);
    else code = simFail(ACL_ERROR_RT_EVENT_SYNC_TIMEOUT, "%s: not reached after %d ms", function, (int)milliseconds);
    unlock();
    letGo(record);
    simRelease(event);
    return code;
}

aclError aclrtSynchronizeEvent(aclrtEvent event) { return synchronise("aclrtSynchronizeEvent", event, -1); }

aclError aclrtSynchronizeEventWithTimeout(aclrtEvent event, int32_t timeout)
{
    return synchronise("aclrtSynchronizeEventWithTimeout", event, timeout);
}

/* Reads when the stream passed the event's latest record; false if that is not known. */
static bool timeOf(struct event *event, double *time)
{
    lock();
    bool known = event->timed && event->latest != NULL && event->latest->passed;
    if (known) *time = event->latest->time;
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
    double from = 0, to = 0;
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
