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
// The definitions are scikit-learn's, down to ties, and so are the numbers where the labels or
// the predictions lack a class, so that a definition says 0/0:
//
//   - Precision, recall, specificity and F1 are 0 then, the zero_division of scikit-learn, and so
//     are MCC and average precision. Balanced accuracy is the recall of the class that is there.
//   - The area under the ROC curve, the rates of that curve and Youden's J are NaN if the labels
//     lack a class that they need. Of these scikit-learn refuses the area, and has NaN on the curve.
//
// testdata/make_sklearn.py has made the numbers that tests hold every measure to.
//
// No rows, a NaN, a label other than -1 and +1, a probability outside 0 to 1 and slices
// of unequal lengths are errors.
package metrics
