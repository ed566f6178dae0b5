//go:build !unix

package attacks

import "os"

// peakMemory is not told there.
func peakMemory(*os.ProcessState) int64 { return 0 }
