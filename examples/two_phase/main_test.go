package main

func Example() {
	if err := run("cpu"); err != nil {
		panic(err)
	}
	// Output:
	// -0
	// -0.06723536
	// -0.05960146
	// -0.0355694
	// SoftMarginLossBackward: reduction: 7 is not one of 0 (none), 1 (mean), 2 (sum) (161002 ACLNN_ERR_PARAM_INVALID)
}
