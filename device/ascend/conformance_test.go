package ascend_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/pullback-go/pullback/device"
	_ "github.com/pullback-go/pullback/device/cpu"
	"github.com/pullback-go/pullback/device/devicetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestConformance(t *testing.T) {
	requireSimulator(t)
	losses := []string{"SoftMarginLoss", "SoftMarginLossBackward"}
	hosted := []string{"Dropout", "Hypotenuse"} // CANN has no operator for either
	for name, o := range map[string]devicetest.Options{
		"ascend:sim": {Without: hosted, ULP: map[string]float64{
			"Adam":         256, // aclnnApplyAdamWV2 takes the betas as float32, and 1-0.999 is then 1.3e-5 off
			"GELU":         16,  // erfc of a large argument is subnormal in float32
			"GELUBackward": 64,
		}},
		"ascend:sim?loss=stable": {Only: losses, ULP: map[string]float64{
			"SoftMarginLossBackward": 32, // where the sigmoid is subnormal
		}},
		"ascend:sim?fallback=cpu": {Only: hosted},
	} {
		o.DTypes = []device.DType{device.Float32, device.Float16, device.BFloat16}
		t.Run(name, func(t *testing.T) { devicetest.Run(t, name, o) })
	}
}
