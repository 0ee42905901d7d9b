package acl

import (
	"fmt"
	"reflect"
	"sync"

	"github.com/pullback-go/pullback/device"
)

// maxArgs is the number of arguments before workspaceSize and executor that a call of C can have here.
const maxArgs = 30

// signature is the types of the arguments of a phase one.
type signature [maxArgs]reflect.Type

// An Operator is one operator of aclnn: the C functions of its two phases.
type Operator struct {
	lib    *Library
	name   string  // of phase two: aclnnAdd
	plan   uintptr // aclnnAddGetWorkspaceSize
	launch uintptr // aclnnAdd

	mu       sync.Mutex
	planners map[signature]reflect.Value // phase one as a Go function
}

// Name returns the name of phase two, such as aclnnAdd.
func (op *Operator) Name() string { return op.name }

// Operator returns the operator of a name such as aclnnAdd. If CANN lacks one of its two functions, as
// older versions do, the error is [device.ErrUnsupported].
func (l *Library) Operator(name string) (*Operator, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if op, ok := l.operators[name]; ok {
		return op, nil
	}
	op := &Operator{lib: l, name: name, planners: map[signature]reflect.Value{}}
	for symbol, address := range map[string]*uintptr{name: &op.launch, name + "GetWorkspaceSize": &op.plan} {
		var ok bool
		if *address, ok = l.Symbol(symbol); !ok {
			return nil, l.missing(name)
		}
	}
	l.operators[name] = op
	return op, nil
}

var (
	statusType    = reflect.TypeFor[int32]()
	workspaceType = reflect.TypeFor[*uint64]()
	executorType  = reflect.TypeFor[*Executor]()
)

// Plan is phase one. args are the C function's arguments in order, without the last two. Each has the
// Go type for its C type: Tensor, Scalar, IntArray, int64, int32, int8, bool, float32 or DataType (an
// int32). A handle of 0 is NULL. Number and types must be right: C functions do not carry theirs, so
// nothing can check them, and with wrong ones C reads something else.
//
// It returns the size of the workspace in bytes, which may be 0, and an executor that [Operator.Launch]
// consumes unless [Library.SetRepeatable] was called. An executor that is not launched needs
// [Library.DestroyExecutor].
func (op *Operator) Plan(args ...any) (workspace uint64, exe Executor, err error) {
	var s signature
	if len(args) > maxArgs {
		return 0, 0, errorf(device.ErrParamInvalid, op.phaseOne(), "",
			"there are %d arguments, but at most %d can be passed", len(args), maxArgs)
	}
	values := make([]reflect.Value, 0, len(args)+2)
	for i, arg := range args {
		switch arg.(type) {
		case Tensor, Scalar, IntArray, int64, int32, int8, bool, float32, DataType:
		default:
			return 0, 0, errorf(device.ErrParamInvalid, op.phaseOne(), fmt.Sprintf("argument %d", i),
				"it is a %T, which stands for no C type; use Tensor, Scalar, IntArray, int64, int32, int8, bool, float32 or DataType", arg)
		}
		s[i] = reflect.TypeOf(arg)
		values = append(values, reflect.ValueOf(arg))
	}
	values = append(values, reflect.ValueOf(&workspace), reflect.ValueOf(&exe))
	status := int32(op.planner(s, len(args)).Call(values)[0].Int())
	if status != success {
		return 0, 0, op.lib.failure(op.phaseOne(), status)
	}
	return workspace, exe, nil
}

func (op *Operator) phaseOne() string { return op.name + "GetWorkspaceSize" }

// planner returns phase one as a Go function of n arguments of the signature's types and two more.
// Integers and floating-point numbers travel in different registers, so the call has to know the types.
func (op *Operator) planner(s signature, n int) reflect.Value {
	op.mu.Lock()
	defer op.mu.Unlock()
	if f, ok := op.planners[s]; ok {
		return f
	}
	in := append(append(make([]reflect.Type, 0, n+2), s[:n]...), workspaceType, executorType)
	f := reflect.New(reflect.FuncOf(in, []reflect.Type{statusType}, false))
	bind(f.Interface(), op.plan)
	op.planners[s] = f.Elem()
	return f.Elem()
}

// Launch is phase two: it puts the operator on a stream, and returns before it has run. workspace is
// device memory of at least size bytes, the size that Plan returned; 0 if that is 0. All memory must stay
// until the stream has passed the launch. Launch allocates nothing when it succeeds.
//
// Launch destroys the executor, even when it fails, unless it is repeatable.
func (op *Operator) Launch(workspace Pointer, size uint64, exe Executor, s Stream) error {
	return op.lib.status(op.name, callValues(op.launch, uintptr(workspace), uintptr(size), uintptr(exe), uintptr(s)))
}
