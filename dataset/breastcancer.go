package dataset

import (
	_ "embed"
	"io"
	"strings"
)

//go:embed wdbc.csv
var wdbc string

// BreastCancer returns the Breast Cancer Wisconsin (Diagnostic) data of Wolberg,
// Mangasarian, Street and Street (UCI Machine Learning Repository, CC BY 4.0):
// 30 measurements of the cell nuclei in each of 569 fine needle aspirates of
// breast masses, and the diagnosis, malignant (+1, 212 rows) or benign (-1, 357
// rows). Provenance and changes are in wdbc.md beside this file.
//
// Each call returns a frame of its own.
func BreastCancer() *Frame {
	f, err := ReadFrame(BreastCancerCSV(), "wdbc.csv", Options{Label: "diagnosis", Positive: "malignant"})
	if err != nil {
		panic(err) // the embedded file is part of the program
	}
	return f
}

// BreastCancerCSV returns the file behind [BreastCancer], for [ReadFrame].
func BreastCancerCSV() io.Reader { return strings.NewReader(wdbc) }
