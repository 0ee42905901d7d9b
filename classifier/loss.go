package classifier

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/pullback-go/pullback/device"
	"github.com/pullback-go/pullback/graph"
	"github.com/pullback-go/pullback/ops"
	"github.com/pullback-go/pullback/ops/softmarginloss"
)

// Loss is a loss of a score s and a label y, -1 or +1.
type Loss int

const (
	SoftMargin Loss = iota // log(1 + exp(-y·s))
	BCE                    // binary cross-entropy of the logit s: the same function by another operation
	Hinge                  // max(0, 1 - y·s); its scores give no probabilities
)

var lossNames = []string{"softmargin", "bce", "hinge"}

// String returns the loss's name: softmargin, bce or hinge.
func (l Loss) String() string {
	if !l.valid() {
		return fmt.Sprintf("Loss(%d)", int(l))
	}
	return lossNames[l]
}

// ParseLoss returns the loss with the given name.
func ParseLoss(name string) (Loss, error) {
	i := slices.Index(lossNames, name)
	if i < 0 {
		return 0, fmt.Errorf("classifier: there is no loss %q; there is %s", name, strings.Join(lossNames, ", "))
	}
	return Loss(i), nil
}

func (l Loss) valid() bool { return l >= 0 && int(l) < len(lossNames) }

// node returns the loss of scores [n,1] against labels -1 and +1 [n,1], reduced.
func (l Loss) node(scores, labels *graph.Node, reduction device.Reduction) *graph.Node {
	switch l {
	case BCE:
		g := labels.Graph()
		half := g.Constant(labels.DType(), 0.5)
		return ops.BCEWithLogits(scores, ops.Add(ops.Mul(labels, half), half), reduction)
	case Hinge:
		return ops.Hinge(scores, labels, reduction)
	}
	return softmarginloss.Forward(scores, labels, reduction)
}

// mean returns the mean over rows of weight times loss.
func (l Loss) mean(scores, labels []float64, negative, positive float64) float64 {
	var sum float64
	for i, score := range scores {
		weight, margin := positive, labels[i]*score
		if labels[i] < 0 {
			weight = negative
		}
		if l == Hinge {
			sum += weight * max(0, 1-margin)
		} else {
			sum += weight * (max(-margin, 0) + math.Log1p(math.Exp(-math.Abs(margin))))
		}
	}
	return sum / float64(len(scores))
}
