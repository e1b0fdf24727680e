//go:build linux

package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// tick is the unit of processor time in /proc.
const tick = 10 * time.Millisecond

// usage is the cost of a process and everything it has started, without agents.
type usage struct {
	cpu time.Duration
	pss int64 // bytes of memory, shared pages divided among their users
}

// usageOf measures the process tree below pid. It skips processes that run this program as an
// agent, and their children.
func usageOf(pid int) (u usage) {
	cpu, parents := map[int]time.Duration{}, map[int][]int{}
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range dirs {
		stat, err := os.ReadFile(filepath.Join(dir, "stat"))
		if err != nil {
			continue // it has ended
		}
		id, _ := strconv.Atoi(filepath.Base(dir))
		fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
		parent, _ := strconv.Atoi(fields[1])
		for _, field := range fields[11:15] { // user and system, its own and that of children that have ended
			ticks, _ := strconv.Atoi(field)
			cpu[id] += time.Duration(ticks) * tick
		}
		parents[parent] = append(parents[parent], id)
	}
	for todo := []int{pid}; len(todo) > 0; {
		id := todo[0]
		todo = todo[1:]
		if isAgent(id) {
			continue
		}
		u.cpu += cpu[id]
		u.pss += pssOf(id)
		todo = append(todo, parents[id]...)
	}
	return u
}

func isAgent(pid int) bool {
	line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	words := strings.Split(string(line), "\x00")
	return len(words) > 1 && words[1] == "-agent"
}

// pssOf returns the memory of one process, 0 if it is unknown.
func pssOf(pid int) int64 {
	data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	for line := range strings.Lines(string(data)) {
		if f := strings.Fields(line); len(f) == 3 && f[0] == "Pss:" {
			kb, _ := strconv.ParseInt(f[1], 10, 64)
			return kb << 10
		}
	}
	return 0
}

// ownCPU returns the processor time of this process alone.
func ownCPU() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// loadAverage returns the load of the machine over the last minute.
func loadAverage() string {
	data, _ := os.ReadFile("/proc/loadavg")
	first, _, _ := strings.Cut(string(data), " ")
	return first
}

func millis(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
func micros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }
