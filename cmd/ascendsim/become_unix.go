//go:build unix

package main

import (
	"fmt"
	"os"
	"syscall"
)

// become replaces this process by a program, which so gets its signals and gives its exit status.
func become(path string, args []string) error {
	return fmt.Errorf("cannot run %s: %w", path, syscall.Exec(path, args, os.Environ()))
}
