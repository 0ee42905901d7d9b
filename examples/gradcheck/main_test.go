package main

func Example() {
	main()
	// Output:
	// soft margin loss: first and second derivatives are right
	// loss of tanh of a product: first and second derivatives are right
	// square whose rule lacks a factor 2: wrong
	//   gradcheck: first derivative for input 0 at [0,0]: -49.82006733 by the gradient rules, -99.64013466 by differences, relative error 0.5 (tolerance 1e-08); 4 of 4 elements fail
	//   gradcheck: second derivative for input 0 at [1,0]: 0.3633913179 by the gradient rules, 2.194939378 by differences, relative error 0.83 (tolerance 1e-08); 4 of 4 elements fail
}
