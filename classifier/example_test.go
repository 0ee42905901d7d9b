package classifier_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/pullback-go/pullback/classifier"
	"github.com/pullback-go/pullback/dataset"
	"github.com/pullback-go/pullback/device"
	_ "github.com/pullback-go/pullback/device/cpu"
)

// From a file to a model that is known to do well on rows it has not seen.
func ExampleFit() {
	dev, err := device.Open("cpu")
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	frame, err := dataset.ReadFrame(dataset.BreastCancerCSV(), "wdbc.csv", dataset.Options{Label: "diagnosis"})
	if err != nil {
		log.Fatal(err)
	}
	train, validation, test, err := frame.Split(0.1, 0.2, 1)
	if err != nil {
		log.Fatal(err)
	}
	opts := classifier.DefaultOptions()
	opts.Validation, opts.Patience = validation, 5
	model, err := classifier.Fit(context.Background(), dev, train, opts)
	if err != nil {
		log.Fatal(err)
	}
	defer model.Close()
	result, err := model.Evaluate(test)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("AUC above 0.98:", result.AUC > 0.98)
	// Output: AUC above 0.98: true
}

// loans is a table as it comes: a category, and gaps.
const loans = `income,owner,years,paid
10,yes,1,yes
90,no,,yes
20,no,3,no
80,yes,9,yes
15,,2,no
25,no,1,no
70,yes,7,yes
30,yes,0,no
`

// fitLoans trains a model on the loans.
func fitLoans(dev device.Device) *classifier.Model {
	frame, err := dataset.ReadFrame(strings.NewReader(loans), "loans.csv", dataset.Options{})
	if err != nil {
		log.Fatal(err)
	}
	opts := classifier.DefaultOptions()
	opts.Epochs = 200
	model, err := classifier.Fit(context.Background(), dev, frame, opts)
	if err != nil {
		log.Fatal(err)
	}
	return model
}

// Rows to predict need the columns of the training rows, in any order, and no label.
func ExampleModel_Predict() {
	dev, err := device.Open("cpu")
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	model := fitLoans(dev)
	defer model.Close()
	rows, err := dataset.ReadFrame(strings.NewReader("owner,income,years\nyes,85,8\nno,12,2\n"), "new.csv", dataset.Options{For: model.Encoder()})
	if err != nil {
		log.Fatal(err)
	}
	predictions, err := model.Predict(rows)
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range predictions {
		fmt.Println("paid:", p.Label)
	}
	// Output:
	// paid: yes
	// paid: no
}

// A model that was saved is used by another program.
func ExampleLoad() {
	dev, err := device.Open("cpu")
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "loans.safetensors")
	trained := fitLoans(dev)
	defer trained.Close()
	if err := trained.Save(path); err != nil {
		log.Fatal(err)
	}

	model, err := classifier.Load(dev, path)
	if err != nil {
		log.Fatal(err)
	}
	defer model.Close()
	file := strings.NewReader("owner,income,years\nyes,85,8\nno,12,2\n") // of any length
	for p, err := range model.PredictStream(file, "new.csv", dataset.Options{}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println("paid:", p.Label)
	}
	// Output:
	// paid: yes
	// paid: no
}

// Training that was interrupted goes on from its last checkpoint, to the bit.
func ExampleOptions_resume() {
	dev, err := device.Open("cpu")
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "moons.safetensors")
	moons, err := dataset.Toy("moons", 200, 0.1, 1)
	if err != nil {
		log.Fatal(err)
	}

	ctx, cancel := context.WithCancel(context.Background())
	opts := classifier.DefaultOptions()
	opts.Checkpoint = func(m *classifier.Model) error { return m.Save(path) }
	opts.Progress = func(p classifier.Progress) {
		if p.Step == 20 {
			cancel()
		}
	}
	_, err = classifier.Fit(ctx, dev, moons, opts)
	fmt.Println(err)

	if opts.Resume, err = classifier.Load(dev, path); err != nil {
		log.Fatal(err)
	}
	defer opts.Resume.Close()
	opts.Progress = nil
	model, err := classifier.Fit(context.Background(), dev, moons, opts)
	if err != nil {
		log.Fatal(err)
	}
	defer model.Close()
	fmt.Println(len(model.History()), "epochs")
	// Output:
	// classifier: stopped after step 20 of 195: context canceled
	// 15 epochs
}

// How well would such a model do?
func ExampleCrossValidate() {
	dev, err := device.Open("cpu")
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	moons, err := dataset.Toy("moons", 400, 0.1, 1)
	if err != nil {
		log.Fatal(err)
	}
	opts := classifier.DefaultOptions()
	opts.Epochs, opts.Patience = 60, 10
	folds, err := classifier.CrossValidate(context.Background(), dev, moons, 5, 0.1, opts) // a tenth says when to stop
	if err != nil {
		log.Fatal(err)
	}
	mean, deviation := folds.Of(func(e *classifier.Evaluation) float64 { return e.AUC })
	fmt.Println("AUC above 0.98:", mean > 0.98, "in each fold:", deviation < 0.02)
	// Output: AUC above 0.98: true in each fold: true
}
