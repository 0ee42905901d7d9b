//go:build linux

package simulator

// refusedCalls has what phase one refuses, beside what TestStatus has.
func refusedCalls() []call {
	const null, invalid = 161001, 161002
	x := contiguous(float, []int{2, 3}, 1, 2, 3, 4, 5, 6)
	wide := contiguous(double, []int{2, 3}, 1, 2, 3, 4, 5, 6)
	brain := contiguous(bfloat, []int{2, 3}, 1, 2, 3, 4, 5, 6)
	whole := contiguous(int32_, []int{2, 3}, 1, 2, 3, 4, 5, 6)
	truth := contiguous(boolean, []int{2, 3}, 1, 0, 1, 0, 1, 0)
	deep := contiguous(float, []int{1, 1, 1, 1, 1, 1, 1, 1, 2}, 1, 2)
	pair, empty, one := contiguous(float, []int{2}, 1, 2), contiguous(float, []int{0}), contiguous(float, []int{}, 1)
	square := contiguous(float, []int{2, 2}, 1, 2, 3, 4)
	n := number(1)
	f := float32(0.5)
	return []call{
		{name: "no self", op: "aclnnExp", args: []any{nil, x}, code: null},
		{name: "no out", op: "aclnnExp", args: []any{x, nil}, code: null},
		{name: "NULL before data type", op: "aclnnExp", args: []any{wide, nil}, code: null},
		{name: "double", op: "aclnnExp", args: []any{wide, wide}, code: invalid},
		{name: "double out", op: "aclnnExp", args: []any{x, wide}, code: invalid},
		{name: "integers", op: "aclnnExp", args: []any{whole, x}, code: invalid},
		{name: "nine dimensions", op: "aclnnExp", args: []any{deep, deep}, code: invalid},
		{name: "another shape", op: "aclnnExp", args: []any{x, pair}, code: invalid},
		{name: "no alpha", op: "aclnnAdd", args: []any{x, x, nil, x}, code: null},
		{name: "no other", op: "aclnnAdd", args: []any{x, nil, n, x}, code: null},
		{name: "no broadcast", op: "aclnnAdd", args: []any{x, pair, n, x}, code: invalid},
		{name: "float into integers", op: "aclnnAdd", args: []any{x, whole, n, whole}, code: invalid},
		{name: "self too small in place", op: "aclnnInplaceMul", args: []any{one, x}, code: invalid},
		{name: "no number", op: "aclnnInplaceMuls", args: []any{x, nil}, code: null},
		{name: "mode 3", op: "aclnnDivMod", args: []any{x, x, 3, x}, code: invalid},
		{name: "integers", op: "aclnnDiv", args: []any{whole, whole, x}, code: invalid},
		{name: "double", op: "aclnnGtTensor", args: []any{wide, wide, truth}, code: invalid},
		{name: "no number", op: "aclnnGtScalar", args: []any{x, nil, truth}, code: null},
		{name: "a condition of numbers", op: "aclnnSWhere", args: []any{x, x, x, x}, code: invalid},
		{name: "float into bool", op: "aclnnSWhere", args: []any{truth, x, x, truth}, code: invalid},
		{name: "a result with a negative slope", op: "aclnnLeakyReluBackward", args: []any{x, x, number(-1), true, x}, code: invalid},
		{name: "no threshold", op: "aclnnSoftplus", args: []any{x, n, nil, x}, code: null},
		{name: "no dims", op: "aclnnReduceSum", args: []any{x, nil, false, float, one}, code: null},
		{name: "another type", op: "aclnnReduceSum", args: []any{x, ints{}, false, half, one}, code: invalid},
		{name: "no type", op: "aclnnReduceSum", args: []any{x, ints{}, false, -1, one}, code: invalid},
		{name: "no type", op: "aclnnMean", args: []any{x, ints{}, false, -1, one}, code: invalid},
		{name: "a dimension too many", op: "aclnnReduceSum", args: []any{x, ints{2}, false, float, pair}, code: invalid},
		{name: "a dimension twice", op: "aclnnReduceSum", args: []any{x, ints{1, -1}, false, float, pair}, code: invalid},
		{name: "dimensions not kept", op: "aclnnReduceSum", args: []any{x, ints{1}, true, float, pair}, code: invalid},
		{name: "no dim", op: "aclnnMean", args: []any{x, nil, false, float, one}, code: null},
		{name: "integers", op: "aclnnMean", args: []any{whole, ints{}, false, int32_, one}, code: invalid},
		{name: "no dim", op: "aclnnMeanV2", args: []any{x, nil, false, false, one}, code: null},
		{name: "nothing", op: "aclnnMax", args: []any{empty, one}, code: invalid},
		{name: "another shape", op: "aclnnMax", args: []any{x, pair}, code: invalid},
		{name: "no src", op: "aclnnInplaceCopy", args: []any{x, nil}, code: null},
		{name: "src too large", op: "aclnnInplaceCopy", args: []any{one, x}, code: invalid},
		{name: "another type", op: "aclnnCast", args: []any{x, half, x}, code: invalid},
		{name: "another shape", op: "aclnnCast", args: []any{x, float, pair}, code: invalid},
		{name: "no dims", op: "aclnnPermute", args: []any{x, nil, x}, code: null},
		{name: "a dimension twice", op: "aclnnPermute", args: []any{x, ints{1, 1}, x}, code: invalid},
		{name: "another shape", op: "aclnnPermute", args: []any{x, ints{1, 0}, x}, code: invalid},
		{name: "no value", op: "aclnnInplaceFillScalar", args: []any{x, nil}, code: null},
		{name: "nine dimensions", op: "aclnnInplaceZero", args: []any{deep}, code: invalid},
		{name: "inner dimensions", op: "aclnnMm", args: []any{x, x, x, 0}, code: invalid},
		{name: "a vector", op: "aclnnMm", args: []any{x, pair, x, 0}, code: invalid},
		{name: "another shape", op: "aclnnMm", args: []any{square, x, square, 0}, code: invalid},
		{name: "cubeMathType", op: "aclnnMm", args: []any{square, x, x, 5}, code: invalid},
		{name: "cubeMathType of bfloat16", op: "aclnnMm", args: []any{square, brain, x, 2}, code: invalid},
		{name: "no dimensions", op: "aclnnMatmul", args: []any{one, x, x, 0}, code: invalid},
		{name: "no mat2", op: "aclnnMatmul", args: []any{x, nil, x, 0}, code: null},
		{name: "no beta", op: "aclnnAddmm", args: []any{x, square, x, nil, n, x, 0}, code: null},
		{name: "bias", op: "aclnnAddmm", args: []any{pair, square, x, n, n, x, 0}, code: invalid},
		{name: "inner dimensions", op: "aclnnInplaceAddmm", args: []any{x, x, x, n, n, 0}, code: invalid},
		{name: "std", op: "aclnnInplaceNormal", args: []any{x, f, float32(-1), 0, 0}, code: invalid},
		{name: "no range", op: "aclnnInplaceRandom", args: []any{x, 3, 3, 0, 0}, code: invalid},
		{name: "no grad", op: "aclnnApplyAdamWV2", args: []any{x, x, x, nil, nil, one, f, f, f, f, f, false, false}, code: null},
		{name: "no maximum", op: "aclnnApplyAdamWV2", args: []any{x, x, x, nil, x, one, f, f, f, f, f, true, false}, code: null},
		{name: "two steps", op: "aclnnApplyAdamWV2", args: []any{x, x, x, nil, x, pair, f, f, f, f, f, false, false}, code: invalid},
		{name: "step of int32", op: "aclnnApplyAdamWV2", args: []any{x, x, x, nil, x, contiguous(int32_, []int{1}, 1), f, f, f, f, f, false, false}, code: invalid},
		{name: "another shape", op: "aclnnApplyAdamWV2", args: []any{x, square, x, nil, x, one, f, f, f, f, f, false, false}, code: invalid},
		{name: "two rates", op: "aclnnApplyAdamW", args: []any{x, x, x, one, one, pair, one, one, one, one, x, nil, false, false}, code: invalid},
		{name: "reduction 3", op: "aclnnBinaryCrossEntropyWithLogits", args: []any{x, x, nil, nil, 3, one}, code: invalid},
		{name: "target's shape", op: "aclnnBinaryCrossEntropyWithLogits", args: []any{x, one, nil, nil, 0, x}, code: invalid},
		{name: "weight's shape", op: "aclnnBinaryCrossEntropyWithLogits", args: []any{x, x, pair, nil, 0, x}, code: invalid},
		{name: "out's shape", op: "aclnnBinaryCrossEntropyWithLogits", args: []any{x, x, nil, nil, 1, x}, code: invalid},
		{name: "no gradOutput", op: "aclnnBinaryCrossEntropyWithLogitsBackward", args: []any{nil, x, x, nil, nil, 0, x}, code: null},
		{name: "out's shape", op: "aclnnBinaryCrossEntropyWithLogitsBackward", args: []any{x, x, x, nil, nil, 0, pair}, code: invalid},
	}
}
