package onnx

import (
	"encoding/binary"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// Fields of the messages that a model is made of, from
// https://github.com/onnx/onnx/blob/v1.12.0/onnx/onnx.proto3, which has format version 8.
const (
	modelIRVersion       protowire.Number = 1 // ModelProto
	modelProducerName    protowire.Number = 2
	modelProducerVersion protowire.Number = 3
	modelGraph           protowire.Number = 7
	modelOpsetImport     protowire.Number = 8
	modelMetadata        protowire.Number = 14

	opsetVersionNumber protowire.Number = 2 // OperatorSetIdProto; no domain is that of ONNX itself

	entryKey   protowire.Number = 1 // StringStringEntryProto
	entryValue protowire.Number = 2

	graphNode        protowire.Number = 1 // GraphProto
	graphName        protowire.Number = 2
	graphInitializer protowire.Number = 5
	graphInput       protowire.Number = 11
	graphOutput      protowire.Number = 12

	nodeInput     protowire.Number = 1 // NodeProto
	nodeOutput    protowire.Number = 2
	nodeName      protowire.Number = 3
	nodeOperator  protowire.Number = 4
	nodeAttribute protowire.Number = 5

	attributeName protowire.Number = 1 // AttributeProto
	attributeInt  protowire.Number = 3
	attributeType protowire.Number = 20

	tensorDimension protowire.Number = 1 // TensorProto
	tensorElements  protowire.Number = 2
	tensorName      protowire.Number = 8
	tensorRawData   protowire.Number = 9

	valueName protowire.Number = 1 // ValueInfoProto
	valueType protowire.Number = 2

	typeTensor protowire.Number = 1 // TypeProto

	tensorTypeElements protowire.Number = 1 // TypeProto.Tensor
	tensorTypeShape    protowire.Number = 2

	shapeDimension protowire.Number = 1 // TensorShapeProto

	dimensionSize protowire.Number = 1 // TensorShapeProto.Dimension
	dimensionName protowire.Number = 2
)

// Values of its enumerations.
const (
	typeFloat        = 1  // TensorProto.DataType FLOAT
	typeBool         = 9  // TensorProto.DataType BOOL
	typeDouble       = 11 // TensorProto.DataType DOUBLE
	attributeTypeInt = 2  // AttributeProto.AttributeType INT
)

// message is an encoded protocol buffer message, to which fields are added.
type message []byte

func (m message) integer(field protowire.Number, v uint64) message {
	return protowire.AppendVarint(protowire.AppendTag(m, field, protowire.VarintType), v)
}

func (m message) text(field protowire.Number, s string) message {
	return protowire.AppendString(protowire.AppendTag(m, field, protowire.BytesType), s)
}

func (m message) nested(field protowire.Number, inner message) message {
	return protowire.AppendBytes(protowire.AppendTag(m, field, protowire.BytesType), inner)
}

// append adds the fields of another message of the same type.
func (m message) append(fields message) message { return append(m, fields...) }

// floats returns a TensorProto of float.
func floats(name string, values []float32, shape ...int) message {
	data := make([]byte, 0, 4*len(values))
	for _, v := range values {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(v))
	}
	return constant(name, typeFloat, data, shape)
}

// doubles returns a TensorProto of double with one dimension.
func doubles(name string, values []float64) message {
	data := make([]byte, 0, 8*len(values))
	for _, v := range values {
		data = binary.LittleEndian.AppendUint64(data, math.Float64bits(v))
	}
	return constant(name, typeDouble, data, []int{len(values)})
}

func constant(name string, elements uint64, data []byte, shape []int) message {
	m := message{}
	for _, d := range shape {
		m = m.integer(tensorDimension, uint64(d))
	}
	return m.integer(tensorElements, elements).text(tensorName, name).nested(tensorRawData, data)
}
