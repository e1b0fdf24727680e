//go:build !windows

package record

// busy reports whether a file could not be removed because it is open.
func busy(error) bool { return false }
