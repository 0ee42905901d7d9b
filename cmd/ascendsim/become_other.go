//go:build !unix

package main

import "errors"

// become is out of reach here: the simulator needs Linux.
func become(string, []string) error { return errors.New("programs can be run on Linux only") }
