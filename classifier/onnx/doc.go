// Package onnx writes classifiers as ONNX models (https://onnx.ai), which other
// runtimes and languages can run.
//
// A model takes rows as they are, before any scaling, and gives a score and a
// probability a row. It is one graph:
//
//	features [N,F] double
//	  │  IsNaN, Where     missing values filled in, if any feature has a fill value
//	  │  Sub, Div         (x - mean) / scale
//	  │  Cast             to float
//	  │  Gemm, Relu       a layer: x · weight + bias, max(0, ·) but after the last
//	  ▼
//	score [N,1] float     the logit
//	  │  Sigmoid
//	  ▼
//	probability [N,1] float
//
// Features are double so that standardising is exact where it matters: a float holds a
// date or an amount in cents to 7 digits, and the difference from the mean would
// keep few of them.
//
// The operator set is version 13 and the format version 8, which runtimes since 2021 read.
// Feature names, class names and the threshold are in the model's metadata under
// "features" (a JSON array), "labels" (a JSON array: the negative class, the positive
// class) and "threshold" (a number).
package onnx
