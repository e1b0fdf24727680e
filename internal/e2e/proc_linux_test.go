package e2e

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// processesOf returns the command lines, by process id, of all processes whose environment names
// the root of a test's directories. It does not see zombies, which have no environment.
func processesOf(root string) map[int]string {
	out := map[int]string{}
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range dirs {
		env, err := os.ReadFile(filepath.Join(dir, "environ"))
		if err != nil || !bytes.Contains(env, []byte(root)) {
			continue
		}
		words, _ := os.ReadFile(filepath.Join(dir, "cmdline"))
		if pid, err := strconv.Atoi(filepath.Base(dir)); err == nil {
			out[pid] = strings.ReplaceAll(strings.TrimRight(string(words), "\x00"), "\x00", " ")
		}
	}
	return out
}

// cpuTicks returns the processor time of a process so far, in clock ticks.
func cpuTicks(pid int) (int, bool) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, false
	}
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return user + system, true
}
