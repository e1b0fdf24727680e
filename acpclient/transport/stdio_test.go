package transport

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/must"
)

// patience is how long a test waits for something that must happen.
const patience = 20 * time.Second

func startChild(t *testing.T, mode string, o StdioOptions) *Stdio {
	t.Helper()
	o.Command = os.Args[0]
	if o.Env == nil {
		o.Env = os.Environ()
	}
	o.Env = append(o.Env, childMode+"="+mode)
	s := must.Get(StartStdio(o))(t)
	t.Cleanup(func() { s.Close() })
	return s
}

func wantLine(t *testing.T, s *Stdio, want string) {
	t.Helper()
	if line, err := s.Recv(); err != nil || string(line) != want {
		t.Fatalf("Recv = %.80q, %v; want %q", line, err, want)
	}
}

// within fails the test when f takes too long.
func within(t *testing.T, what string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); f() }()
	select {
	case <-done:
	case <-time.After(patience):
		t.Fatalf("%s takes longer than %v", what, patience)
	}
}

func waitExit(t *testing.T, s *Stdio) ExitState {
	t.Helper()
	within(t, "exit", func() { <-s.Exit() })
	return s.ExitState()
}

// Case 18.
func TestStdioLargeMessage(t *testing.T) {
	s := startChild(t, "large", StdioOptions{})
	if line, err := s.Recv(); err != nil || len(line) != 20<<20 {
		t.Fatalf("%d bytes, %v", len(line), err)
	}
	wantLine(t, s, "small")
}

// Case 19.
func TestStdioMessageOverTheLimit(t *testing.T) {
	s := startChild(t, "large", StdioOptions{MaxLine: 1 << 20})
	var long *TooLongError
	if _, err := s.Recv(); !errors.As(err, &long) || long.Size != 20<<20 || long.Limit != 1<<20 {
		t.Fatalf("got %v", err)
	}
	wantLine(t, s, "small")
	if _, err := s.Recv(); err != io.EOF {
		t.Fatalf("at the end: %v", err)
	}
}

// Cases 20 and 29.
func TestStdioOneByteWrites(t *testing.T) {
	s := startChild(t, "drip", StdioOptions{})
	wantLine(t, s, `{"a":"é"}`)
	wantLine(t, s, `{"b":2}`)
	if _, err := s.Recv(); err != io.EOF {
		t.Fatalf("at the end: %v", err)
	}
}

// Cases 21 and 22: bytes are passed unchanged, and a message stays one line.
func TestStdioSend(t *testing.T) {
	s := startChild(t, "echo", StdioOptions{})
	large := "\"" + strings.Repeat("y", 3<<20) + "\""
	go func() {
		for _, m := range []string{`{"a":"\r\n` + "\u2028\xff" + `"}`, "{\r\n \"b\":\n2}", large, "[]"} {
			if err := s.Send(Message{Data: []byte(m)}); err != nil {
				t.Error(err)
			}
		}
	}()
	wantLine(t, s, `{"a":"\r\n`+"\u2028\xff"+`"}`)
	wantLine(t, s, `{   "b": 2}`)
	wantLine(t, s, large)
	wantLine(t, s, "[]")
	must.Do(t, s.Close())
	if state := s.ExitState(); state != (ExitState{Code: 0, Exited: true}) {
		t.Fatalf("an agent that leaves at the end of its input: %+v", state)
	}
	if _, err := s.Recv(); !errors.Is(err, ErrClosed) {
		t.Errorf("Recv after Close: %v", err)
	}
	if err := s.Send(Message{}); !errors.Is(err, ErrClosed) {
		t.Errorf("Send after Close: %v", err)
	}
}

// Case 23.
func TestStdioStderrNeverBlocks(t *testing.T) {
	var lines int
	var last string
	s := startChild(t, "noisy", StdioOptions{OnStderr: func(line string) { lines++; last = line }})
	within(t, "first line", func() { wantLine(t, s, "ready") })
	must.Do(t, s.Close())
	if lines != 100_001 || last != "last words" {
		t.Errorf("%d lines seen, last %q", lines, last)
	}
	if kept := len(s.Stderr().String()); kept != 256<<10 {
		t.Errorf("%d bytes kept", kept)
	}
	if got := s.Stderr().Tail(1); !slices.Equal(got, []string{"last words"}) {
		t.Errorf("tail %q", got)
	}
	if dropped := s.Stderr().Dropped(); dropped != 100_000*100+11-256<<10 {
		t.Errorf("%d bytes dropped", dropped)
	}
}

func TestStderrLinesAreBounded(t *testing.T) {
	var got []string
	tap := stderrLines{emit: func(s string) { got = append(got, s) }}
	for range 100 {
		tap.write(bytes.Repeat([]byte("x"), 1000))
	}
	tap.write([]byte("\nshort\r\n\nbad \xff\nrest"))
	tap.flush()
	want := []string{strings.Repeat("x", maxStderrLine), "short", "", "bad \uFFFD", "rest"}
	if !slices.Equal(got, want) || cap(tap.partial) > 2*maxStderrLine {
		t.Fatalf("%d lines, %d bytes held: %.300q", len(got), cap(tap.partial), got)
	}
}

// Case 24.
func TestStdioExitDuringPrompt(t *testing.T) {
	s := startChild(t, "exit3", StdioOptions{})
	if state := s.ExitState(); state.Exited {
		t.Fatalf("exited before it began: %+v", state)
	}
	must.Do(t, s.Send(Message{Data: []byte("{}")}))
	if _, err := s.Recv(); err != io.EOF {
		t.Fatalf("got %v", err)
	}
	if state := waitExit(t, s); state != (ExitState{Code: 3, Exited: true}) {
		t.Fatalf("got %+v", state)
	}
	if tail := s.Stderr().Tail(1); !slices.Equal(tail, []string{"no money left"}) {
		t.Fatalf("stderr tail %q", tail)
	}
	if err := s.Send(Message{Data: []byte("{}")}); err == nil || errors.Is(err, ErrClosed) {
		t.Fatalf("Send to a dead agent: %v", err)
	}
}

// Case 25.
func TestStdioOutputEndsBeforeTheProcess(t *testing.T) {
	s := startChild(t, "mute", StdioOptions{Grace: 50 * time.Millisecond})
	if _, err := s.Recv(); err != io.EOF {
		t.Fatalf("got %v", err)
	}
	if s.ExitState().Exited {
		t.Fatal("the process is not meant to end by itself")
	}
	within(t, "close", func() { s.Close() })
	if state := s.ExitState(); !state.Exited {
		t.Fatalf("not reaped: %+v", state)
	}
}

func TestStdioCloseUnblocksRecvAndSend(t *testing.T) {
	s := startChild(t, "stubborn", StdioOptions{Grace: 100 * time.Millisecond})
	wantLine(t, s, "ready")
	errs := make(chan error, 2)
	go func() { _, err := s.Recv(); errs <- err }()
	sending := make(chan struct{})
	go func() {
		close(sending)
		errs <- s.Send(Message{Data: make([]byte, 4<<20)}) // more than the pipe holds, and nothing reads it
	}()
	<-sending
	within(t, "close", func() { s.Close(); s.Close() })
	for range 2 {
		within(t, "Recv and Send", func() {
			if err := <-errs; !errors.Is(err, ErrClosed) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestStdioCloseEmptiesTheOutput(t *testing.T) {
	s := startChild(t, "flood", StdioOptions{Grace: 50 * time.Millisecond})
	must.Get(s.Recv())(t)
	within(t, "close", func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestStdioStartErrors(t *testing.T) {
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain")
	must.Do(t, os.WriteFile(plain, []byte("text"), 0o644))
	for _, tc := range []struct {
		name string
		o    StdioOptions
		want error
	}{
		{"not in PATH", StdioOptions{Command: "no-such-agent-here"}, exec.ErrNotFound},
		{"not in the PATH given", StdioOptions{Command: "sh", Env: []string{"PATH=" + dir}}, exec.ErrNotFound},
		{"no such file", StdioOptions{Command: filepath.Join(dir, "none")}, fs.ErrNotExist},
		{"no such folder", StdioOptions{Command: os.Args[0], Dir: filepath.Join(dir, "none")}, fs.ErrNotExist},
		{"not executable", StdioOptions{Command: plain}, fs.ErrPermission},
		{"empty", StdioOptions{}, exec.ErrNotFound},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if runtime.GOOS == "windows" && tc.want == fs.ErrPermission {
				t.Skip("Windows knows executables by their names")
			}
			if s, err := StartStdio(tc.o); !errors.Is(err, tc.want) {
				t.Fatalf("got %v, %v; want %v", s, err, tc.want)
			}
		})
	}
}

func TestStdioArgumentsAndEnvironment(t *testing.T) {
	dir := must.Get(filepath.EvalSymlinks(t.TempDir()))(t)
	s := startChild(t, "environment", StdioOptions{
		Args: []string{"a b", "$HOME"}, Dir: dir, Env: append(os.Environ(), "COLOUR=red", "COLOUR=blue"),
	})
	wantLine(t, s, fmt.Sprintf("blue a b|$HOME %s", dir))
}

func BenchmarkStdioEcho(b *testing.B) {
	s := must.Get(StartStdio(StdioOptions{Command: os.Args[0], Env: append(os.Environ(), childMode+"=echo")}))(b)
	defer s.Close()
	m := Message{Data: []byte(`{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{}}`)}
	b.ReportAllocs()
	for b.Loop() {
		must.Do(b, s.Send(m))
		must.Get(s.Recv())(b)
	}
}
