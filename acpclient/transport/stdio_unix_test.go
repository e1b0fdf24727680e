//go:build unix

package transport

import (
	"io"
	"strconv"
	"testing"
	"time"

	"parley/internal/alive"
	"parley/internal/must"
)

// Case 26.
func TestStdioStubbornAgentIsKilled(t *testing.T) {
	s := startChild(t, "stubborn", StdioOptions{Grace: 100 * time.Millisecond})
	wantLine(t, s, "ready")
	within(t, "close", func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	if state := s.ExitState(); state != (ExitState{Code: -1, Signal: "SIGKILL", Exited: true}) {
		t.Errorf("got %+v", state)
	}
	if alive.PID(s.Pid()) {
		t.Error("still runs")
	}
}

// An agent that ignores the end of its input may still clean up on SIGTERM.
func TestStdioTerminatesBeforeItKills(t *testing.T) {
	s := startChild(t, "obeys SIGTERM", StdioOptions{Grace: 4 * time.Second})
	wantLine(t, s, "ready")
	s.grace = 2 * time.Second // half of it must be enough for SIGTERM on a busy machine
	within(t, "close", func() { s.Close() })
	if state := s.ExitState(); state.Code != 5 {
		t.Errorf("got %+v", state)
	}
}

// Case 26 with a wrapper: the program has exited long ago, and its child holds all streams
// and ignores signals.
func TestStdioCloseEndsWhatAWrapperLeft(t *testing.T) {
	s := startChild(t, "wrapper", StdioOptions{Grace: 200 * time.Millisecond})
	var child int
	for child == 0 { // the child's "ready" may arrive first
		line := must.Get(s.Recv())(t)
		child, _ = strconv.Atoi(string(line))
	}
	if state := waitExit(t, s); state.Code != 0 {
		t.Fatalf("got %+v", state)
	}
	if !alive.PID(child) {
		t.Fatal("the test is void: the child is gone already")
	}
	within(t, "close", func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	within(t, "the end of the child", func() { // what was killed ends when it is next scheduled
		for alive.PID(child) {
			time.Sleep(time.Millisecond)
		}
	})
}

// The program has exited and a silent child keeps its output open: Recv must not wait
// forever.
func TestStdioRecvEndsAfterTheProgram(t *testing.T) {
	s := startChild(t, "wrapper", StdioOptions{Grace: 100 * time.Millisecond})
	within(t, "end of the output", func() {
		for {
			if _, err := s.Recv(); err != nil {
				if err != io.EOF {
					t.Error(err)
				}
				return
			}
		}
	})
}
