//go:build unix && !linux

package e2e

// processesOf needs /proc.
func processesOf(string) map[int]string { return nil }

func cpuTicks(int) (int, bool) { return 0, false }
