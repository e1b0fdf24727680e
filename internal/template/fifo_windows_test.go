package template

import "testing"

// fifo skips the test: Windows has no FIFOs in directories.
func fifo(t *testing.T, _ string) { t.Skip("no FIFOs on Windows") }
