package simulator

import "errors"

// ErrNoCompiler says that there is no C compiler to build the simulator with.
var ErrNoCompiler = errors.New("simulator: there is no C compiler: install one (gcc or clang, with the C library's headers) or name it in the environment variable CC")
