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
// aligned to 64 bytes and not zeroed; it is filled with NaN, by the time that it is used. Executors are used up by
// phase two. Phase one asks for a workspace wherever an operand has to be converted, made contiguous or broadcast, and
// phase two overwrites it. An output may be another view of an input's memory. aclGetRecentErrMsg is per thread, and
// reading consumes it.
//
// # What is not, on purpose
//
// Misuse is found that goes unnoticed on a device:
//
//   - a stale handle of any kind; an executor used twice (561103), by another operator (161002) or in another context than phase
//     one's (107003); phase one before aclInit (100001) or on a thread without a context (107002);
//   - tensors destroyed between the phases; a workspace smaller than phase one said; a format that is not in aclFormat (161002);
//   - memory that is freed, not the device's, or unaligned, and a view that is not within the allocation which the tensor's address
//     points into (161002 at launch, where a device faults later; 507035 at synchronising if it is freed in between);
//   - a reduction of aclnnSoftMarginLossBackward other than 0, 1, 2 (161002), which on a device is undefined.
//
// Some is taken that a device may not take:
//
//   - The phases may run on two threads, which is warned of once. CANN keeps state between them for each thread.
//   - An output may overlap inputs in any way, which are read first. On a device that holds only where phase one
//     asks for a workspace to make one of them contiguous.
//   - storageDims are kept and returned, but not compared with what the view reaches: the allocation is. Strides may be negative.
//   - Every format is read as ND.
//   - Descriptors, such as tensors, scalars and executors, may be destroyed after aclFinalize, as destructors do; its report has them.
//   - Of aclInit's configuration only the syntax is checked.
//
// Some is done differently:
//
//   - The soft margin loss and its gradient are finite for every finite margin. The fault exp-overflow gives
//     the vendor's form, infinite and NaN where exp overflows.
//   - A stream that failed stays failed: later tasks are dropped, every synchronising and query says so, and a stream
//     that waits for one of its events fails with it.
//   - A wait for an event, by a stream or the host, is for the record that is the event's latest when the wait is asked for, with its
//     completion and its failure. Recording the event again changes nothing for it.
//   - aclFinalize reports what is still alive on standard error.
//   - Numbers: inputs become double, sums are double, results are rounded to float32 and from there to the
//     output's type. A device computes in float32 or less. Integers saturate where a device's wrap around.
//   - aclnnThreshold and its gradient follow CANN's formula, by which NaN is not above the threshold; PyTorch's kernels keep it.
//   - Arithmetic is for FLOAT, FLOAT16, BFLOAT16 and, where it makes sense, integers; DOUBLE can only be cast and copied.
//   - There is one device, tasks of different streams take turns, and overflow is INFNAN only.
//
// In aclSetTensorAddr and its relatives an index counts the tensors of the operator's C function in their order, also those
// that were NULL, which cannot be set. A parameter named …Ref is an input and an output. The address is the tensor's: wherever
// else the operator has the same tensor, it moves along.
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
