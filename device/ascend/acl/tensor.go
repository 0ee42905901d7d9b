package acl

import (
	"unsafe"

	"github.com/pullback-go/pullback/device"
)

const formatND = 2 // ACL_FORMAT_ND: axes without a meaning

// CreateTensor describes a strided view of device memory. The element at index (i, j, …) is
// data[offset + i·strides[0] + j·strides[1] + …]; strides and offset count elements, and may be 0.
// storage is the shape of the memory that the view lies in. Strides of nil mean contiguous.
// C copies the slices. The memory must outlive all work with the tensor.
func (l *Library) CreateTensor(t DataType, shape, strides []int64, offset int64, storage []int64, data Pointer) (Tensor, error) {
	if strides != nil && len(strides) != len(shape) {
		return 0, errorf(device.ErrParamInvalid, names[aclCreateTensor], "strides",
			"there are %d for a shape of %d axes; give as many, or nil", len(strides), len(shape))
	}
	tensor := Tensor(call(l.address[aclCreateTensor],
		uintptr(unsafe.Pointer(first(shape))), uintptr(len(shape)), uintptr(t),
		uintptr(unsafe.Pointer(first(strides))), uintptr(offset), formatND,
		uintptr(unsafe.Pointer(first(storage))), uintptr(len(storage)), uintptr(data)))
	return tensor, l.created(aclCreateTensor, uintptr(tensor))
}

// DestroyTensor destroys the description; the memory stays. That is safe once all launches with it have
// returned, unless their executors are repeatable.
func (l *Library) DestroyTensor(t Tensor) error { return l.callValues(aclDestroyTensor, uintptr(t)) }

// CreateScalar makes a number of type Float for operators that take one from the host.
func (l *Library) CreateScalar(value float32) (Scalar, error) {
	scalar := Scalar(call(l.address[aclCreateScalar], uintptr(unsafe.Pointer(&value)), uintptr(Float)))
	return scalar, l.created(aclCreateScalar, uintptr(scalar))
}

// DestroyScalar destroys a scalar.
func (l *Library) DestroyScalar(s Scalar) error { return l.callValues(aclDestroyScalar, uintptr(s)) }

// CreateIntArray makes an array of integers, which C copies.
func (l *Library) CreateIntArray(values []int64) (IntArray, error) {
	array := IntArray(call(l.address[aclCreateIntArray], uintptr(unsafe.Pointer(first(values))), uintptr(len(values))))
	return array, l.created(aclCreateIntArray, uintptr(array))
}

// DestroyIntArray destroys an array.
func (l *Library) DestroyIntArray(a IntArray) error {
	return l.callValues(aclDestroyIntArray, uintptr(a))
}

// SetRepeatable lets an executor be launched any number of times, until DestroyExecutor; otherwise the
// first launch, failed or not, destroys it. Error 561000 ([device.ErrInternal]) says that this executor
// cannot be repeated, [device.ErrUnsupported] that this CANN does not offer it for any, or has no function
// by which a repeatable one could be destroyed.
func (l *Library) SetRepeatable(exe Executor) error {
	if l.address[aclDestroyExecutor] == 0 {
		return l.missing(names[aclDestroyExecutor])
	}
	return l.callValues(aclSetRepeatable, uintptr(exe))
}

// DestroyExecutor destroys an executor that is repeatable, or was never launched. Where this CANN has no
// function for that it does nothing: an executor that is not launched then stays for good.
func (l *Library) DestroyExecutor(exe Executor) error {
	if l.address[aclDestroyExecutor] == 0 {
		return nil
	}
	return l.callValues(aclDestroyExecutor, uintptr(exe))
}

// created returns the error of a function that returns a handle, which has no status but NULL.
func (l *Library) created(f function, handle uintptr) error {
	if handle != 0 {
		return nil
	}
	reason := "CANN returned NULL"
	if message := oneLine(l.recentErrMsg()); message != "" {
		reason += ": " + message
	}
	return errorf(device.ErrParamInvalid, names[f], "", "%s", reason)
}

// first returns the address of the first element, nil if there is none.
func first(s []int64) *int64 {
	if len(s) == 0 {
		return nil
	}
	return &s[0]
}
