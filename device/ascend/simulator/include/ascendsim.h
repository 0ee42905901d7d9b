/*
 * What the simulator has beside CANN's interface. These functions are in libascendcl.so;
 * the vendor's library has none of them, and looking one up tells the two apart.
 */
#ifndef ASCENDSIM_ASCENDSIM_H
#define ASCENDSIM_ASCENDSIM_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Faults to come, as "name=value" separated by semicolons; NULL or "" clears them.
 * N counts from 1, from this call or the last aclInit, whichever is later.
 *
 *   malloc=N      the N-th allocation, of device or pinned host memory, fails with 207001
 *   plan=N        the N-th phase one fails with 561103
 *   launch=N      the N-th phase two fails with 507015, at once
 *   task=N        the N-th task that a stream runs fails, which synchronising reports as 507015
 *   copy=N        the N-th copy fails with 507899
 *   lost=N        the device is lost after the N-th phase two: whatever needs it returns 507899, which is
 *                 all but destroying, freeing, resetting, finalising, and describing tensors
 *   stall=MS      every task of a stream waits MS milliseconds before it runs
 *   no-bf16       phase one refuses BFLOAT16 with 161002, as older chips do
 *   no-repeat     aclSetAclOpExecutorRepeatable refuses with 561000
 *   exp-overflow  soft margin losses take the vendor's unstable form: infinity and NaN once exp overflows
 *   report=FILE   aclFinalize always writes its leak report, to FILE or to "stderr"
 *
 * The environment variable ASCENDSIM_FAULTS says the same; aclInit reads it in a
 * process that has not called this function. What cannot be read is refused: here
 * with a line on standard error and no faults at all, by aclInit with 100000.
 */
__attribute__((visibility("default"))) void ascendsimSetFaults(const char *spec);

/*
 * How often something was asked for since the last aclInit, whether or not it succeeded: "malloc", "plan" (phase
 * one), "launch" (phase two), "copy". 0 for any other name.
 */
__attribute__((visibility("default"))) uint64_t ascendsimCounter(const char *name);

/*
 * The number of live objects: tensors, scalars, arrays, lists, executors, buffers,
 * streams, contexts, events. The default context counts while its device is set.
 */
__attribute__((visibility("default"))) int64_t ascendsimAlive(void);

#ifdef __cplusplus
}
#endif

#endif
