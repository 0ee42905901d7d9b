// Package classifier trains and uses binary classifiers on tables of data: the
// whole job in a few calls.
//
//	train, test, err := dataset.BreastCancer().Split(0.2, 1)
//	model, err := classifier.Fit(ctx, dev, train, classifier.DefaultOptions())
//	defer model.Close()
//	scores, err := model.Scores(test)        // > 0 means the positive class
//	metrics, err := model.Evaluate(test)     // loss, accuracy, AUC
//
// A model is a multi-layer perceptron on standardised features, trained with the
// soft margin loss on mini-batches. Its score is a logit: the probability of the
// positive class is 1/(1+exp(-score)).
package classifier
