//go:build !linux

package a2a_test

import (
	"testing"
	"time"
)

// cpuTime is what f costs, other work of the machine included.
func cpuTime(_ *testing.T, f func()) time.Duration {
	start := time.Now()
	f()
	return time.Since(start)
}
