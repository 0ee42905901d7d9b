package main

func Example() {
	main()
	// Output:
	// the gradient of Mish agrees with finite differences
	// loss on exclusive or: 0.667 before, 0.000 after 200 steps
}
