package report

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/pullback-go/pullback/classifier/metrics"
)

//go:embed page.html
var pageText string

var pageTemplate = template.Must(template.New(PageName).Funcs(template.FuncMap{
	"number": short,
	"png": func(data []byte) template.URL {
		return template.URL("data:image/png;base64," + base64.StdEncoding.EncodeToString(data))
	},
	"svg": func(data []byte) template.URL {
		return template.URL("data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString(data))
	},
}).Parse(pageText))

// metric is a row of the table of metrics.
type metric struct{ Name, Value, Meaning string }

// page returns the HTML page. The evaluation is nil without scores, and svg without a
// drawn graph.
func (r *Report) page(e *evaluation, pictures []picture, notes []string, svg []byte) ([]byte, error) {
	data := struct {
		*Report
		Heading  string
		Measured string
		Table    []metric
		Pictures []picture
		Notes    []string
		SVG      []byte
		Features []feature
		Times    []timing
	}{
		Report: r, Heading: r.Title, Pictures: pictures, Notes: notes, SVG: svg,
		Features: r.Importance.ranked(), Times: timings(r.Operations),
	}
	if data.Heading == "" {
		data.Heading = "Report"
	}
	if e != nil {
		s := e.summary
		data.Measured = fmt.Sprintf("%d rows", s.Rows)
		if r.Rows != "" {
			data.Measured = fmt.Sprintf("%d %s rows", s.Rows, r.Rows)
		}
		data.Measured += fmt.Sprintf(": %d %s, %d %s", s.Negatives, cmp.Or(r.Negative, "negative"), s.Positives, cmp.Or(r.Positive, "positive"))
		data.Table = r.metrics(e)
	}
	var b bytes.Buffer
	if err := pageTemplate.Execute(&b, data); err != nil {
		return nil, fmt.Errorf("report: the page cannot be made: %w", err)
	}
	return b.Bytes(), nil
}

func (r *Report) metrics(e *evaluation) []metric {
	s := e.summary
	return []metric{
		{"ROC AUC", decimal(s.AUC), "chance that a positive row scores higher than a negative one"},
		{"Average precision", decimal(s.AveragePrecision), "area under the precision-recall curve, as steps"},
		{"Accuracy", decimal(s.Accuracy), "share of rows predicted right"},
		{"Balanced accuracy", decimal(s.BalancedAccuracy), "mean of recall and specificity"},
		{"Precision", decimal(s.Precision), "share of rows predicted positive that are"},
		{"Recall", decimal(s.Recall), "share of positive rows that are found"},
		{"Specificity", decimal(s.Specificity), "share of negative rows that are found"},
		{"F1", decimal(s.F1), "harmonic mean of precision and recall"},
		{"MCC", decimal(s.MCC), "correlation of predictions with labels, from -1 to 1"},
		{"Log loss", decimal(s.LogLoss), fmt.Sprintf("binary cross-entropy; %.4f for a fair coin", math.Ln2)},
		{"Brier score", decimal(s.Brier), "mean squared error of the probability; 0 is best"},
		{"Calibration error", decimal(s.CalibrationError), fmt.Sprintf("mean distance of probabilities from outcomes, in %d bins", metrics.CalibrationBins)},
		{"Threshold", short(r.Threshold), "score from which on a row is predicted positive"},
		{"Threshold of the best F1", short(s.F1Threshold), "where F1 is " + decimal(s.MaxF1)},
		{"Threshold of the best Youden's J", short(s.YoudenThreshold), "where recall + specificity - 1 is " + decimal(s.MaxYouden)},
	}
}

// short shows up to four significant digits.
func short(v float64) string {
	if math.IsNaN(v) {
		return "undefined"
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}

// decimal shows four decimals, or as many digits where those would be zeros. What is less than
// rounding makes of a measure of about 1 is 0.
func decimal(v float64) string {
	switch size := math.Abs(v); {
	case size < negligible:
		v = 0
	case math.IsNaN(v) || size < 1e-3 || size >= 1e6:
		return short(v)
	}
	return strconv.FormatFloat(v, 'f', 4, 64)
}

// timing is a row of the table of operations.
type timing struct {
	Name              string
	Launches          int64
	Total, Mean, Part string
}

// timings are the operations by decreasing time.
func timings(operations []Operation) []timing {
	sorted := slices.Clone(operations)
	slices.SortStableFunc(sorted, func(a, b Operation) int {
		return cmp.Or(cmp.Compare(b.Total, a.Total), cmp.Compare(a.Name, b.Name))
	})
	var all time.Duration
	for _, o := range sorted {
		all += o.Total
	}
	var rows []timing
	for _, o := range sorted {
		row := timing{Name: o.Name, Launches: o.Launches, Total: duration(o.Total), Mean: "–", Part: "–"}
		if o.Launches > 0 {
			row.Mean = duration(o.Total / time.Duration(o.Launches))
		}
		if all > 0 {
			row.Part = fmt.Sprintf("%.1f%%", 100*float64(o.Total)/float64(all))
		}
		rows = append(rows, row)
	}
	return rows
}

// duration shows three significant digits.
func duration(d time.Duration) string {
	switch {
	case d >= time.Second:
		return fmt.Sprintf("%.3g s", d.Seconds())
	case d >= time.Millisecond:
		return fmt.Sprintf("%.3g ms", d.Seconds()*1e3)
	default:
		return fmt.Sprintf("%.3g µs", d.Seconds()*1e6)
	}
}
