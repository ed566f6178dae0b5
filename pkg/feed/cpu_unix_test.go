//go:build unix

package feed_test

import (
	"syscall"
	"time"
)

// cpuTime is what the process has used so far, so that a benchmark can say what
// one core does while others want the machine too.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
