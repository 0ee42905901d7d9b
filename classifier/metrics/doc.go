// Package metrics measures how well the scores of a binary classifier agree with
// labels.
//
// There are three kinds of measures, and this package has a type or a function for each.
// Decisions are judged once a threshold has turned scores into classes: a [Confusion]
// counts the four outcomes, and accuracy, precision, recall and the others are its
// methods. The order of the scores is judged over all thresholds at once: a [Ranking]
// has the ROC and the precision-recall curve, the areas under them and the best
// thresholds. Probabilities are judged by [LogLoss], [Brier] and [Calibrate].
// [Summarize] computes all of it:
//
//	summary, err := metrics.Summarize(scores, labels, 0)
//	fmt.Println(summary.AUC, summary.F1)
//
// Scores, probabilities and labels are float64, one of each a row, and a label is -1 or
// +1. A score is any number, higher for the positive class, such as a logit; it may be
// infinite. A row is predicted positive if its score is at least the threshold.
//
// # Edge cases
//
// The definitions are scikit-learn's, down to ties. They are undefined in two ways:
//
//   - The labels lack a class that the measure needs. It is NaN, whereas scikit-learn
//     refuses, warns or returns 0, depending on the measure and its version.
//   - The predictions lack a class: nothing is predicted positive, so that precision is 0/0.
//     It is 0, as in scikit-learn, where a warning comes with it.
//
// No rows, a NaN, a label other than -1 and +1, a probability outside 0 to 1 and slices
// of unequal lengths are errors.
package metrics
