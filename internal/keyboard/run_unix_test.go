//go:build unix

package keyboard

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/must"
)

// running is a program at the user's terminal, and the last lines that it wrote once it has ended.
type running struct {
	*desk
	last []string
}

// runs runs a script at the user's terminal.
func runs(t *testing.T, ctx context.Context, script string) *running {
	t.Helper()
	d := &running{desk: newDesk(t)}
	cmd := exec.Command("/bin/sh", "-c", script)
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = t.TempDir(), d.tty, d.tty, d.tty
	go func() {
		last, err := RunOnPTY(ctx, cmd, "agent login")
		d.last = last
		d.done <- err
	}()
	return d
}

// The user sees what runs and which key ends it, the program has a terminal of the same size, and
// its last output is returned.
func TestRunThatFails(t *testing.T) {
	d := runs(t, t.Context(), `stty size; printf '\033[31mno browser\033[m\n\n'; tty -s && echo "$0 gave up"; exit 3`)
	if err := d.ends(); err == nil || err.Error() != "exit status 3" {
		t.Fatalf("it ended with %v", err)
	}
	if !slices.Equal(d.last, []string{"20 90", "no browser", "/bin/sh gave up"}) {
		t.Errorf("got %q", d.last)
	}
	d.sees("parley: agent login · ctrl+] ends it\r\n20 90\r\n\x1b[31mno browser")
}

func TestRunThatSucceeds(t *testing.T) {
	d := runs(t, t.Context(), `read line; echo "set a key"; test "$line" = yes`)
	d.sees("ends it")
	d.master.WriteString("yes\r")
	if err := d.ends(); err != nil || !slices.Equal(d.last, []string{"yes", "set a key"}) {
		t.Errorf("it ended with %v, %q", err, d.last)
	}
}

// ctrl+c interrupts the program and nothing else.
func TestRunInterrupted(t *testing.T) {
	// If the tests run in the background, they and their children may ignore ctrl+c.
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	defer signal.Stop(interrupts)
	d := runs(t, t.Context(), `echo waiting; read line`) // a shell that is just starting a program may miss the interrupt
	d.sees("waiting")
	d.master.WriteString("\x03")
	if err := d.ends(); err == nil || err.Error() != "signal: interrupt" {
		t.Errorf("it ended with %v", err)
	}
}

// A program that ignores all keys is ended by ctrl+], and when parley ends.
func TestRunEnded(t *testing.T) {
	const ignoresKeys = `trap "" INT TERM; echo $$; stty raw -echo; while :; do sleep 1000; done`
	why := errors.New("a signal")
	for _, want := range []error{errEnded, why} {
		ctx, end := context.WithCancelCause(t.Context())
		d := runs(t, ctx, ignoresKeys)
		d.sees("ends it\r\n")
		if want == why {
			end(why)
		} else {
			d.master.WriteString("\x1d")
		}
		if err := d.ends(); !errors.Is(err, want) {
			t.Errorf("it ended with %v, want %v", err, want)
		}
		end(nil)
	}
}

// A browser opened by a login outlives it.
func TestRunLeavesTheRest(t *testing.T) {
	d := newDesk(t)
	file := filepath.Join(t.TempDir(), "alive")
	cmd := exec.Command("/bin/sh", "-c", `(sleep 0.3; echo yes > "$0") & echo opened`, file)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = d.tty, d.tty, d.tty
	go func() {
		_, err := RunOnPTY(t.Context(), cmd, "agent login")
		d.done <- err
	}()
	must.Do(t, d.ends())
	for deadline := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		if text, _ := os.ReadFile(file); strings.TrimSpace(string(text)) == "yes" {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("it ended with the program")
		}
	}
}

func TestRunThatCannotStart(t *testing.T) {
	missing := errors.New("not there")
	if _, err := RunOnPTY(t.Context(), &exec.Cmd{Err: missing}, "x"); !errors.Is(err, missing) {
		t.Errorf("got %v", err)
	}
}

// Without a terminal the program gets the streams as they are.
func TestGiveWithoutATerminal(t *testing.T) {
	var out strings.Builder
	cmd := exec.Command("/bin/sh", "-c", "echo done; exit 2")
	cmd.Stdout = &out
	if err := RunForeground(t.Context(), cmd); err == nil || err.Error() != "exit status 2" || out.String() != "done\n" {
		t.Errorf("%v, %q", err, out.String())
	}
	ctx, end := context.WithCancelCause(t.Context())
	why := errors.New("a signal")
	end(why)
	if err := RunForeground(ctx, exec.Command("/bin/sh", "-c", "exec sleep 1000")); !errors.Is(err, why) {
		t.Errorf("got %v", err)
	}
}
