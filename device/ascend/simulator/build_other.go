//go:build !linux

package simulator

import (
	"context"
	"fmt"
	"runtime"
)

// Build fails: the simulator needs Linux.
func Build(context.Context) (string, error) { return "", errPlatform() }

// WriteTo fails: the simulator needs Linux.
func WriteTo(context.Context, string) error { return errPlatform() }

func errPlatform() error {
	return fmt.Errorf("simulator: it runs on Linux, not on %s", runtime.GOOS)
}
