package device

import "fmt"

// Reduction says how a loss is reduced over its elements, numbered as in CANN
// and PyTorch.
type Reduction int64

const (
	None Reduction = 0 // no reduction: one loss an element
	Mean Reduction = 1 // the sum divided by the number of elements; NaN of none
	Sum  Reduction = 2 // the sum; 0 of none
)

// String returns "none", "mean" or "sum".
func (r Reduction) String() string {
	switch r {
	case None:
		return "none"
	case Mean:
		return "mean"
	case Sum:
		return "sum"
	}
	return fmt.Sprintf("reduction(%d)", int64(r))
}

// inferLoss is the rule of every loss: self and target promote and broadcast;
// the result has the broadcast shape, or none when it is reduced.
func inferLoss(op Op, inputs []Type, r Reduction) (Type, error) {
	t, err := inferLossBackward(op, inputs, 2, r)
	if err == nil && r != None {
		t.Shape = []int{}
	}
	return t, err
}

// inferLossBackward is the rule of a loss's gradient: all inputs promote and broadcast.
func inferLossBackward(op Op, inputs []Type, n int, r Reduction) (Type, error) {
	dtype, err := checkInputs(op, inputs, n)
	if err != nil {
		return Type{}, err
	}
	if r < None || r > Sum {
		return Type{}, invalidf(op.Name(), "reduction", "%d is not one of 0 (none), 1 (mean), 2 (sum)", int64(r))
	}
	shape, err := broadcastInputs(op, inputs)
	return Type{DType: dtype, Shape: shape}, err
}

// SoftMarginLoss: loss_i = log(1 + exp(-target_i · self_i)), reduced.
//
// It is finite and accurate for every finite self. Targets are -1 and +1; other values are
// legal, and a device may round their margin target·self to the compute type, which moves the loss by
// up to |margin|/2 units in the last place of a term near e^-|margin|. Of no elements the mean is NaN and the sum 0. Source:
// PyTorch's SoftMarginLoss and CANN's aclnnSoftMarginLoss.
type SoftMarginLoss struct {
	loss
	Reduction Reduction
}

// SoftMarginLossBackward: the gradient of [SoftMarginLoss] for self,
//
//	out_i = -target_i · sigmoid(-target_i · self_i) · gradOutput_i · norm
//
// with norm 1/N for mean, N the number of elements of the broadcast of all three
// inputs, and 1 otherwise. The loss is symmetric, so with self and target
// exchanged it is the gradient for target. Source: CANN's
// aclnnSoftMarginLossBackward, which PyTorch's differs from only where self itself is broadcast.
type SoftMarginLossBackward struct {
	lossBackward
	Reduction Reduction
}

// BCEWithLogits is binary cross-entropy on logits:
// loss_i = max(self_i, 0) - self_i·target_i + log(1 + exp(-|self_i|)), reduced, for
// targets 0 and 1 or probabilities between them. Source: PyTorch's BCEWithLogitsLoss.
type BCEWithLogits struct {
	loss
	Reduction Reduction
}

// BCEWithLogitsBackward: the gradient of [BCEWithLogits] for self,
// out_i = (sigmoid(self_i) - target_i) · gradOutput_i · norm, with norm as in
// [SoftMarginLossBackward].
type BCEWithLogitsBackward struct {
	lossBackward
	Reduction Reduction
}

func (SoftMarginLoss) Name() string         { return "SoftMarginLoss" }
func (SoftMarginLossBackward) Name() string { return "SoftMarginLossBackward" }
func (BCEWithLogits) Name() string          { return "BCEWithLogits" }
func (BCEWithLogitsBackward) Name() string  { return "BCEWithLogitsBackward" }

func (op SoftMarginLoss) Infer(inputs []Type) (Type, error) {
	return inferLoss(op, inputs, op.Reduction)
}
func (op SoftMarginLossBackward) Infer(inputs []Type) (Type, error) {
	return inferLossBackward(op, inputs, 3, op.Reduction)
}
func (op BCEWithLogits) Infer(inputs []Type) (Type, error) {
	return inferLoss(op, inputs, op.Reduction)
}
func (op BCEWithLogitsBackward) Infer(inputs []Type) (Type, error) {
	return inferLossBackward(op, inputs, 3, op.Reduction)
}
