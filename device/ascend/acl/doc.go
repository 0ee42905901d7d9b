// Package acl calls CANN, the software stack of Ascend NPUs, without cgo: it opens
// CANN's shared libraries while the program runs and calls their C functions.
//
// CANN has two layers, and so has this package. AscendCL (functions acl… and aclrt…) is
// the run-time: devices, contexts, streams, memory and copies. aclnn is the library of
// operators, each of which is a pair of C functions:
//
//	phase one  aclnnAddGetWorkspaceSize(self, other, alpha, out, &workspaceSize, &executor)
//	           checks the arguments, and says how much scratch memory the launch needs
//	phase two  aclnnAdd(workspace, workspaceSize, executor, stream)
//	           puts the work on the stream and returns before it is done
//
// They are [Operator.Plan] and [Operator.Launch]. This package adds nothing to what the C functions do,
// and leaves checks to them but for what would let C read past Go's memory. A failure is a
// [*device.Error] with CANN's code, the C function's name, CANN's message and, for codes that have
// puzzled people, a hint and what CANN knows of the matter, such as the memory that is free.
//
//	cann, err := acl.Load("")
//	err = cann.Init()
//	err = cann.SetDevice(0)
//	stream, err := cann.CreateStream()
//	add, err := cann.Operator("aclnnAdd")
//	size, exe, err := add.Plan(x, y, alpha, out)   // tensors and a scalar
//	workspace, err := cann.Malloc(int64(size))     // where size is not 0
//	err = add.Launch(workspace, size, exe, stream)
//	err = cann.SynchronizeStream(stream)
//
// # Threads
//
// CANN keeps the current context, error messages and the state between the two phases in variables of
// the OS thread. So a goroutine that calls methods of [Library] and [Operator] must be locked to its
// thread by runtime.LockOSThread, from the first call on; only Symbol and [Library.Operator] do
// not care. A goroutine that is not locked sees error 107002 sooner or later, and the messages of somebody
// else's errors. Several threads may call at once, as in C, each with a current context.
//
// # Go and C
//
// C runs on the stack of the OS thread, as it does with cgo, which is as large as ulimit -s says, and
// not on a goroutine's small one. A call cannot be preempted.
//
// C keeps no Go memory. CANN copies shapes, strides and scalars while it is called. It does keep the
// addresses of an asynchronous copy, which is why a [Pointer] names memory that C allocated;
// [Pointer.Bytes] lets Go read and write it where it is in the host.
//
// Recent releases of CANN install handlers for the signals of a crash (with SA_ONSTACK and an alternative
// stack, as Go demands of C), touch SIGPIPE while logging and SIGINT while profiling. Go has installed
// its own handlers by then, and CANN's take their place. A nil dereference in Go may then end the
// process with CANN's report instead of becoming a panic that can be recovered from.
//
// Importing this package makes a program for linux/amd64 or linux/arm64, the hosts of CANN, a
// dynamically linked one. On every other platform [Load] returns an error.
package acl
