/* What the files of libascendcl.so share. */
#ifndef ASCENDSIM_INTERNAL_H
#define ASCENDSIM_INTERNAL_H

#include <pthread.h>
#include <stdio.h>

#include "../sim.h"

enum { SIM_SYSTEM_OPTIONS = 4 };

struct simOptions {
    bool set[SIM_SYSTEM_OPTIONS];
    int64_t values[SIM_SYSTEM_OPTIONS];
};

struct simContext {
    struct simObject object;
    bool isDefault;
    void *defaultStream;   /* its handle */
    pthread_mutex_t mutex; /* guards options */
    struct simOptions options;
};

/* handle.c */
int64_t simAliveHandles(void);
/* Writes a line for each live object to file, unless it is NULL. */
void simListHandles(FILE *file);
/* Closes the objects of a kind. */
void simCloseKind(enum simKind kind);
/* Leaves the objects of a kind, which is one that is counted, to be destroyed and nothing else. */
void simLeaveKind(enum simKind kind);
/* Returns the objects of a kind, each with a reference, in an array to be freed; NULL if there are none. */
void **simAcquireAll(enum simKind kind, size_t *count);

/* fault.c */
aclError simReadFaults(void);                    /* for aclInit: counters and faults start anew */
void simReportFile(char name[SIM_MESSAGE_SIZE]); /* "" if none was asked for */
/* Waits as long as a stalling stream does, or until stop; held guards stop, wake wakes. */
void simStall(pthread_mutex_t *held, pthread_cond_t *wake, const bool *stop);

/* memory.c */
int64_t simAliveBuffers(void);
void simListBuffers(FILE *file);
void simFreeAll(void);

/* config.c */
aclError simCheckConfig(const char *path); /* for aclInit: a file that holds a JSON object */

/* context.c */
struct simContext *simAcquireContext(const char *function, aclError *code);
bool simContextLives(const void *handle);
void simCloseContexts(void); /* all of them, with their streams; what is queued is dropped */

/* stream.c */
void *simNewStream(void *context, enum simKind kind, const char *label); /* a handle, or NULL */
void simStopStreams(void *context, bool finish);                         /* also makes their handles stale */
aclError simSynchroniseAll(const char *function);
/*
 * Appends what a failed stream does as well, with its status and message: the marks of events. What a mark returns,
 * with the message that it leaves, is the status of a stream that had not failed before.
 */
aclError simSubmitMark(void *stream, int (*mark)(void *argument, int status, char message[SIM_MESSAGE_SIZE]),
                       void (*drop)(void *argument), void *argument);
bool simAborting(void *stream); /* whether the task in hand is to end at once */

/* event.c */
void simWakeEvents(void); /* lets streams that wait for an event see that they are aborting */

/* clock.c */
void simCondInit(pthread_cond_t *condition);
struct timespec simDeadline(int64_t milliseconds);
double simMilliseconds(void);

/* The answer to everything while the device is lost. */
#define SIM_REFUSE_IF_LOST()                                                                                \
    do {                                                                                                    \
        if (simLost()) return simFail(ACL_ERROR_RT_DRV_INTERNAL_ERROR, "%s: the device is lost", __func__); \
    } while (0)

#endif
