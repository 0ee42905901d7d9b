package device

// Device is one processor: it plans operations, owns memory and makes streams.
// All methods may be called from several goroutines at once.
type Device interface {
	// Name returns the name that opens the device, with its options in order, such as "cpu?simd=off&threads=2".
	Name() string

	// Plan is phase one for one operation: it checks op and its arguments with
	// [Check], sizes the workspace and returns the executor. It reads and writes
	// no tensor data. An invalid call returns an *Error; so does an operation or
	// dtype that the device does not have ([ErrUnsupported], [ErrParamInvalid]).
	//
	// The output must not share memory with an input, except where it is the same
	// view and the operation is [Elementwise], or as an [Updater] demands.
	Plan(op Op, inputs []View, output View) (Executor, error)

	// Alloc returns a buffer of size bytes, aligned for every dtype. Its contents
	// are undefined. A size below 0 is [ErrParamInvalid]; memory that cannot be
	// had is [ErrOutOfMemory].
	Alloc(size int64) (Buffer, error)

	// NewStream returns a queue for launches and copies.
	NewStream() (Stream, error)

	// Close ends everything the device started. Streams, buffers and executors
	// that are still open become unusable. Closing twice is not an error.
	Close() error
}

// Call is one operation with its operands, as [Device.Plan] takes them.
type Call struct {
	Op     Op
	Inputs []View
	Output View
}

// Fuser is a device that can run some sequences of operations as one, with fewer
// passes over memory.
type Fuser interface {
	Device

	// PlanFused plans the first n of calls that are to be launched one after the
	// other as a single executor, which leaves every output with what the n would
	// leave there, up to rounding. An n of 0 says that nothing is gained, and that the first
	// call is to be planned by itself. Errors are as of Plan.
	PlanFused(calls []Call) (n int, executor Executor, err error)
}

// Executor is a planned operation. It may be launched any number of times, by
// one goroutine at a time.
type Executor interface {
	// WorkspaceSize returns how many bytes of scratch memory Launch needs, often 0.
	WorkspaceSize() int64

	// Launch is phase two: it runs the operation on the stream, after everything
	// launched there before. The workspace must hold WorkspaceSize bytes and may
	// be shared by executors on one stream; it may be nil if WorkspaceSize is 0.
	// Launch may return before the work is done, see [Stream.Synchronize].
	Launch(workspace Buffer, stream Stream) error

	// Close frees the executor. It does not touch the views it was planned with.
	Close() error
}

// Buffer is a piece of device memory. Only streams and executors of the device
// that made it can read or write it.
type Buffer interface {
	// Size returns the buffer's length in bytes.
	Size() int64

	// Free returns the memory. Work that still uses it must have been synchronised.
	Free() error
}

// Stream is a queue of work that runs in order. It may be used by one goroutine at a time.
type Stream interface {
	// Upload copies src to dst, offset bytes into it, after the work queued before
	// it. src may be reused when Upload returns.
	Upload(dst Buffer, offset int64, src []byte) error

	// Download waits for the work queued before it and fills dst from src, offset
	// bytes into it. It returns the first failure of that work, as Synchronize does.
	Download(dst []byte, src Buffer, offset int64) error

	// Synchronize waits until everything queued has run, and returns the first failure.
	Synchronize() error

	// Close waits for the queue and ends it.
	Close() error
}
