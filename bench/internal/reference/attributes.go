package reference

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/pullback-go/pullback/device"
)

// Attributes returns an operation's attributes as JSON, such as {"Reduction":1}, and
// nil where it has none.
func Attributes(op device.Op) (json.RawMessage, error) {
	data, err := json.Marshal(op)
	if string(data) == "{}" {
		return nil, err
	}
	return data, err
}

// Op returns the operation with the given name and attributes. A name without a rule and an
// attribute that the operation does not have are errors.
func Op(name string, attributes json.RawMessage) (device.Op, error) {
	rule, ok := rules[name]
	if !ok {
		return nil, fmt.Errorf("there is no operation %q with a float64 reference", name)
	}
	op := reflect.New(reflect.TypeOf(rule.Op))
	if len(attributes) > 0 {
		d := json.NewDecoder(bytes.NewReader(attributes))
		d.DisallowUnknownFields()
		if err := d.Decode(op.Interface()); err != nil {
			return nil, fmt.Errorf("the attributes of %s cannot be read: %w", name, err)
		}
	}
	return op.Elem().Interface().(device.Op), nil
}
