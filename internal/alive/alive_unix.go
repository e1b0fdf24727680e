//go:build unix

package alive

import (
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
)

// PID reports whether the process with that number runs. A zombie, which its new parent has not reaped yet, does not.
func PID(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return runtime.GOOS != "linux"
	}
	return !strings.Contains(string(stat), ") Z ")
}
