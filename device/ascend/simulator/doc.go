// Package simulator is Ascend's C interface in software: AscendCL and the aclnn operators that a
// small classifier needs, in portable C11, held in this package and built with the system's C compiler.
//
//	dir, err := simulator.Build(ctx)   // dir/include, dir/lib/libascendcl.so, libnnopbase.so, libopapi.so
//
// A program written for CANN compiles, links and runs on it unchanged, without an Ascend NPU, and
// device/ascend is developed and tested on it. Command ascendsim does both from a shell. The libraries
// have the vendor's file names, so they are built into the user's cache and never installed; aclrtGetSocName
// says Ascend-Simulator, and the exports of include/ascendsim.h tell the libraries apart from the vendor's.
//
// It is written from published documentation of the interface, with nothing of CANN's own sources.
//
// # What is as on the device
//
// Names, argument orders, enumerations, status codes, and the order of checks in phase one. Contexts belong to
// threads. Streams are queues drained by threads of their own, so a copy before synchronising sees stale bytes.
// Device memory cannot be touched by the host: a read is a segmentation fault. What aclrtMalloc returns is
// aligned to 64 bytes and not zeroed; it is filled with NaN. Executors are used up by phase two. Phase one asks for a
// workspace wherever an operand has to be converted, made contiguous or broadcast, and phase two overwrites it.
// aclGetRecentErrMsg is per thread, and reading consumes it.
//
// # What is not, on purpose
//
//   - Misuse is found that goes unnoticed on a device: a stale handle of any kind, an executor used twice
//     or by another operator (561103, 161002), tensors destroyed between the phases, a workspace smaller than phase
//     one said, memory that is freed, not the device's, unaligned or too short for its tensor (161002 at launch, where a device
//     faults later; 507035 at synchronising if it is freed in between).
//   - aclnnSoftMarginLossBackward refuses a reduction other than 0, 1, 2 with 161002; on a device it is undefined.
//   - The soft margin loss and its gradient are finite for every finite margin. The fault exp-overflow gives
//     the vendor's form, infinite and NaN where exp overflows.
//   - A stream that failed stays failed: later tasks are dropped and every synchronising says so.
//   - aclFinalize reports what is still alive on standard error.
//   - Numbers: inputs become double, sums are double, results are rounded to float32 and from there to the
//     output's type. A device computes in float32 or less.
//   - Arithmetic is for FLOAT, FLOAT16, BFLOAT16 and, where it makes sense, integers; DOUBLE can only be cast and copied.
//   - There is one device, tasks of different streams take turns, and overflow is INFNAN only.
//
// # Faults
//
// ascendsimSetFaults or the environment variable ASCENDSIM_FAULTS make the n-th allocation, phase one, launch, task or
// copy fail, stall streams, lose the device, or play an older chip; include/ascendsim.h has the list. A run
// with each of them in turn is how programs are tested for what seldom happens.
//
// # The sources
//
// csrc has a folder for each library: ascendcl (contexts, streams, events, memory, handles, faults),
// nnopbase (tensors, the checks of phase one, executors) and opapi (operators, one file a kind). include has the headers,
// which are C11 and C++17.
package simulator
