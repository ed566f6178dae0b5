package a2a_test

import (
	"runtime"
	"syscall"
	"testing"
	"time"
)

// cpuTime is what f costs the thread it runs on; unlike the clock on the wall
// it does not grow when the machine is busy with something else.
func cpuTime(t *testing.T, f func()) time.Duration {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before := threadTime(t)
	f()
	return threadTime(t) - before
}

func threadTime(t *testing.T) time.Duration {
	const thisThread = 1 // RUSAGE_THREAD
	var u syscall.Rusage
	if err := syscall.Getrusage(thisThread, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
