//go:build !windows

package record

// busy tells whether a file could not be removed because somebody has it open.
func busy(error) bool { return false }
