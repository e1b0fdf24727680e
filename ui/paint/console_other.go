//go:build !windows

package paint

// enableSequences does nothing: only the console of Windows must be told to obey sequences.
func enableSequences(uintptr) (restore func()) { return func() {} }
