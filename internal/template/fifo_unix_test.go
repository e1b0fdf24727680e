//go:build unix

package template

import (
	"syscall"
	"testing"
)

// fifo makes a FIFO.
func fifo(t *testing.T, name string) {
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Skip(err)
	}
}
