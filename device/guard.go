package device

// What a device refuses besides the calls that [Check] does, for the packages that implement one: each is
// refused in the same words everywhere.

// Closed is the error of whatever is called of a closed device.
func Closed(op string) error { return errorf(ErrUninitialized, op, "", "the device is closed") }

// StreamClosed is the error of whatever is called of a closed stream.
func StreamClosed(op string) error { return errorf(ErrStream, op, "", "the stream is closed") }

// NegativeSize is the error of Alloc for a size below 0.
func NegativeSize(size int64) error { return invalidf("Alloc", "size", "%d is negative", size) }

// FreedBefore is the error of a second Free.
func FreedBefore() error { return invalidf("Free", "buffer", "it has been freed before") }

// CheckBuffer refuses a buffer that is not the own one of the device with the name, or that was freed.
func CheckBuffer(op, arg, name string, own, freed bool) error {
	switch {
	case !own:
		return invalidf(op, arg, "the buffer belongs to another device than this %s; allocate it here and upload the data", name)
	case freed:
		return invalidf(op, arg, "the buffer has been freed")
	}
	return nil
}

// CheckRange refuses a copy of n bytes that lie at the offset of a missing buffer, or not within it.
func CheckRange(op, arg string, b Buffer, offset, n int64) error {
	switch {
	case b == nil:
		return nullf(op, arg, "the buffer is missing")
	case offset < 0 || offset > b.Size() || n > b.Size()-offset:
		return invalidf(op, arg, "%d bytes at offset %d reach outside the buffer of %d bytes", n, offset, b.Size())
	}
	return nil
}

// CheckLaunch refuses to launch an executor that is closed, on a stream that is not an open one of
// the device with the name, or with a workspace of less than size bytes.
func CheckLaunch(op, name string, closed, openStream bool, workspace Buffer, size int64) error {
	switch {
	case closed:
		return errorf(ErrExecutorInvalid, op, "", "the executor is closed; plan the operation again")
	case !openStream:
		return errorf(ErrStream, op, "stream", "it is not an open stream of %s", name)
	case size > 0 && (workspace == nil || workspace.Size() < size):
		return nullf(op, "workspace", "it is missing or smaller than the %d bytes that WorkspaceSize asks for", size)
	}
	return nil
}
