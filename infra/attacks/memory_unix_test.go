//go:build unix

package attacks

import (
	"os"
	"runtime"
	"syscall"
)

// peakMemory is the most that a process that ended held, in bytes.
func peakMemory(p *os.ProcessState) int64 {
	usage, ok := p.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" { // which counts bytes where others count kibibytes
		return int64(usage.Maxrss)
	}
	return int64(usage.Maxrss) << 10
}
