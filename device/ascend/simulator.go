package ascend

import (
	"context"
	"path/filepath"

	"github.com/pullback-go/pullback/device/ascend/simulator"
)

// simulatorPath builds the simulator if that has not been done yet, and returns where its libraries are.
func simulatorPath() (string, error) {
	dir, err := simulator.Build(context.Background())
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "lib"), nil
}
