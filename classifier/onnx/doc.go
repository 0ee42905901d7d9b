// Package onnx writes classifiers as ONNX models (https://onnx.ai), which other
// runtimes and languages can run.
//
// A model takes rows as they are, before any scaling, and gives a score, a
// probability and a decision a row. It is one graph:
//
//	features [N,F] double
//	  │  IsNaN, Where     missing values filled in, if any feature has a fill value
//	  │  Sub, Div         (x - mean) / scale
//	  │  Cast             to float
//	  │  Gemm, Relu       a layer: x · weight + bias, max(0, ·) but after the last
//	  ▼
//	score [N,1] float     the logit
//	  ├─ Sigmoid          probability [N,1] float
//	  └─ GreaterOrEqual   positive [N,1] bool, whether the score is at least the threshold
//
// The threshold is for the score, since the probability as a float rounds different scores to one number,
// of which some are below the threshold and some are not.
//
// Features are double so that standardising is exact where it matters: a float holds a
// date or an amount in cents to 7 digits, and the difference from the mean would
// keep few of them.
//
// The operator set is version 13 and the format version 8, which runtimes since 2021 read.
// A category is a feature of 0 and 1 of its own. Where one is missing, NaN in all features of its
// column is filled in as well: 1 for the category that is most frequent, 0 for the others. One that is
// none of the features is 0 in all of them.
//
// Feature names, class names and the threshold are in the model's metadata under
// "features" (a JSON array), "labels" (a JSON array: the negative class, the positive
// class) and "threshold" (a number, for the score), and, if it has categories, under "imputed" which of them a
// missing one is taken for (a JSON object: the column, the category).
package onnx
