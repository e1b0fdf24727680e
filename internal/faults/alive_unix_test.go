//go:build unix

package faults

import (
	"os"
	"strconv"
	"strings"
	"syscall"
)

// lives reports whether a process runs. A zombie does not.
func lives(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err != nil || !strings.Contains(string(stat), ") Z ")
}
