//go:build !unix

package filetrust

// Check finds nothing wrong: modes and owners say nothing here.
func Check(string) error { return nil }
