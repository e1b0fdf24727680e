//go:build unix && !linux

package filetrust

// readOnly returns false: it only matters in containers, which run Linux.
func readOnly(string) bool { return false }
