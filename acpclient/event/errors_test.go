package event

import (
	"fmt"
	"io/fs"
	"syscall"
	"testing"
)

func TestStartErrorNamesTheProgramOnce(t *testing.T) {
	err := &StartError{"/bin/agent", fmt.Errorf("start /bin/agent: %w", &fs.PathError{Op: "fork/exec", Path: "/bin/agent", Err: syscall.EACCES})}
	if got, want := err.Error(), `cannot start "/bin/agent": `+syscall.EACCES.Error(); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
