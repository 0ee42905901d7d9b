//go:build !noascend

package main

// The Ascend device loads CANN's libraries when it is opened, for which the program needs libc's loader.
// Built with -tags noascend it is static, and knows no such device.
import _ "github.com/pullback-go/pullback/device/ascend"
