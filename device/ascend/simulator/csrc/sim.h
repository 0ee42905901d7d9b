/*
 * What libascendcl.so offers the other libraries of the simulator: error messages,
 * handles, faults, device memory and streams.
 */
#ifndef ASCENDSIM_SIM_H
#define ASCENDSIM_SIM_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "acl/acl.h"

#define SIM_SHARED __attribute__((visibility("default")))

/* ---- message.c: the calling thread's error message ---- */

/* Sets the message that aclGetRecentErrMsg returns next on this thread, and returns code. */
SIM_SHARED int simFail(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Writes a line to standard error about what a device would log and take. */
SIM_SHARED void simWarn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ---- handle.c: what a program holds of an object ---- */

/*
 * A handle is an address in a range that nobody can read, given out once and never
 * again. So a stale handle is recognised, whatever became of the object's memory.
 */
enum simKind {
    SIM_CONTEXT,
    SIM_STREAM,
    SIM_DEFAULT_STREAM, /* never handed out, and not counted as alive */
    SIM_EVENT,
    SIM_TENSOR,
    SIM_SCALAR,
    SIM_ARRAY,
    SIM_LIST,
    SIM_EXECUTOR,
    SIM_KINDS
};

/* The first member of whatever has a handle. */
struct simObject {
    enum simKind kind;
    int references;
    void *handle;
    void (*destroy)(void *object); /* frees the object when its last reference goes */
    const char *label;             /* for the leak report; a string that outlives the object */
    bool left;                     /* alive at aclFinalize: can only be destroyed, and is not counted */
    struct simObject *next;
};

/*
 * Gives an object its handle and its first reference, the registry's. NULL when no
 * handle can be had, and then the object is still the caller's to free.
 */
SIM_SHARED void *simOpen(void *object, enum simKind kind, const char *label, void (*destroy)(void *object));

/* Returns the object with one more reference, or NULL if handle is no live handle of that kind. */
SIM_SHARED void *simAcquire(const void *handle, enum simKind kind);
/* Adds a reference to an object that the caller has one of. */
SIM_SHARED void simRetain(void *object);
SIM_SHARED void simRelease(void *object);

/*
 * Makes a handle stale and returns the object with the registry's reference, NULL if there is none. Unlike
 * simAcquire, it finds what was left at aclFinalize.
 */
SIM_SHARED void *simTake(const void *handle, enum simKind kind);
/* Takes an object and releases it; false if there is none. */
SIM_SHARED bool simClose(const void *handle, enum simKind kind);

/* ---- init.c ---- */

SIM_SHARED bool simInitialised(void);

/* ---- context.c ---- */

/* Returns the handle of the calling thread's context. On failure returns NULL and sets *code. */
SIM_SHARED const void *simCurrentContext(const char *function, aclError *code);

/* ---- fault.c: counters and faults on request ---- */

enum simCounter { SIM_MALLOC, SIM_PLAN, SIM_LAUNCH, SIM_COPY, SIM_TASK, SIM_COUNTERS };

enum simSwitch { SIM_NO_BF16, SIM_NO_REPEAT, SIM_EXP_OVERFLOW, SIM_SWITCHES };

/* Counts one more; true if this is the one that is to fail. */
SIM_SHARED bool simCount(enum simCounter counter);
SIM_SHARED bool simSwitchedOn(enum simSwitch fault);
SIM_SHARED bool simLost(void);
SIM_SHARED void simLaunched(void); /* ends a phase two, after which the device may be lost */

/* ---- memory.c: device memory ---- */

/*
 * One task at a time has device memory, as if the device had one core; whoever reads,
 * writes, allocates or frees holds this lock. It makes no promise of order.
 */
SIM_SHARED void simLockMemory(void);
SIM_SHARED void simUnlockMemory(void);

enum { SIM_REASON_SIZE = 160 };

/*
 * Returns where the library sees bytes begin to end, counted from address, or NULL, with the reason as the end of a
 * sentence, if they are not all within the allocation that address points into. Needs the lock.
 */
SIM_SHARED void *simResolve(const void *address, int64_t begin, int64_t end, char reason[SIM_REASON_SIZE]);

/* ---- stream.c ---- */

/*
 * Returns a stream of the calling thread's context, with a reference; NULL stands for
 * the context's default stream. On failure returns NULL and sets *code.
 */
SIM_SHARED void *simAcquireStream(const char *function, aclrtStream stream, aclError *code);

enum { SIM_MESSAGE_SIZE = 512 };

/*
 * Appends a task to an acquired stream. run returns 0, or the code that synchronising
 * shall report with its sentence in message; drop frees argument, whether or not
 * the task ran, and also if it cannot be appended.
 */
SIM_SHARED aclError simSubmit(void *stream, int (*run)(void *argument, char message[SIM_MESSAGE_SIZE]),
                              void (*drop)(void *argument), void *argument);

#endif
