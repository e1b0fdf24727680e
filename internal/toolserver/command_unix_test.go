//go:build unix

package toolserver_test

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"parley/acpclient/event"
	"parley/internal/must"
)

// run calls run_command and allows it.
func (r *rig) run(client *mcp.ClientSession, args in) outcome {
	r.t.Helper()
	done := r.begin(r.t.Context(), client, "run_command", args)
	r.answer("once")
	return r.ended(done)
}

func TestRunCommand(t *testing.T) {
	r, client := bound(t)
	must.Do(t, os.Mkdir(filepath.Join(r.dir, "sub"), 0o755))
	for _, tc := range []struct {
		args in
		want string
	}{
		{in{"command": "echo", "args": []string{"a  b", "$HOME"}}, "a  b $HOME\n|[exit code 0]"},
		{in{"command": "echo out; echo err >&2; exit 3"}, "out\nerr\n|[exit code 3]"},
		{in{"command": "true"}, "[exit code 0]"},
		{in{"command": "sh", "args": []string{"-c", "kill -TERM $$"}}, "[ended by SIGTERM]"},
		{in{"command": "pwd"}, r.dir + "\n|[exit code 0]"},
		{in{"command": "pwd", "cwd": "sub"}, filepath.Join(r.dir, "sub") + "\n|[exit code 0]"},
		{in{"command": "pwd", "cwd": r.dir + "/sub"}, filepath.Join(r.dir, "sub") + "\n|[exit code 0]"},
		{in{"command": "echo $A$B", "env": in{"A": "1", "B": "2"}}, "12\n|[exit code 0]"},
		{in{"command": "cat"}, "[exit code 0]"}, // standard input is empty
		{in{"command": "echo 0123456789", "output_byte_limit": 5}, "6789\n|[exit code 0; the beginning of the output is left out]"},
		{in{"command": "echo 0123456789", "output_byte_limit": 0}, "[exit code 0; the beginning of the output is left out]"},
		{in{"command": "head -c 100000 /dev/zero | tr '\\0' x"}, strings.Repeat("x", 64<<10) + "|[exit code 0; the beginning of the output is left out]"},
	} {
		r.want(r.run(client, tc.args), strings.Split(tc.want, "|")...)
	}
	for _, tc := range []struct {
		args in
		says string
	}{
		{in{"command": "no-such-command-here"}, "There is no such command"},
		{in{"command": "true", "cwd": "missing"}, "no such working directory"},
		{in{"command": "true", "env": in{"A=B": "x"}}, "environment variable"},
	} {
		r.wantError(r.run(client, tc.args), tc.says)
	}
}

func TestRunCommandIsAsked(t *testing.T) {
	r, client := bound(t)
	args := in{"command": "touch", "args": []string{"made it"}, "env": in{"B": "2", "A": "1"}}
	done := r.begin(t.Context(), client, "run_command", args)
	q := r.answer("reject")
	if q.Kind != "execute" || q.Heading != "Run a command" || q.Body[0].Text != "A=1 B=2 touch 'made it'" {
		t.Errorf("got %+v", q)
	}
	r.wantError(r.ended(done), "The user did not allow it: running A=1 B=2 touch 'made it'")
	if _, err := os.Stat(filepath.Join(r.dir, "made it")); !os.IsNotExist(err) {
		t.Errorf("the command ran: %v", err)
	}
	done = r.begin(t.Context(), client, "run_command", args)
	r.answer("session")
	r.want(r.ended(done), "[exit code 0]")
	r.want(r.call(client, "run_command", args), "[exit code 0]")
	r.unasked()
}

// sleeper runs a command that does not end on its own and returns its process id.
func (r *rig) sleeper(client *mcp.ClientSession, ctx context.Context, more in) (pid int, done <-chan outcome) {
	r.t.Helper()
	args := in{"command": "echo $$ > pid.new; mv pid.new pid; echo started; exec sleep 1000"}
	maps.Copy(args, more)
	done = r.begin(ctx, client, "run_command", args)
	r.answer("once")
	find(r, "output", func(o event.TerminalOutput) bool { return strings.Contains(string(o.Data), "started") })
	text := must.Get(os.ReadFile(filepath.Join(r.dir, "pid")))(r.t)
	pid = must.Get(strconv.Atoi(strings.TrimSpace(string(text))))(r.t)
	if err := syscall.Kill(pid, 0); err != nil {
		r.t.Fatalf("it does not run: %v", err)
	}
	return pid, done
}

// gone checks that the process of the command has ended.
func (r *rig) gone(pid int) {
	r.t.Helper()
	find(r, "end of the command", func(event.TerminalExited) bool { return true })
	if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
		r.t.Errorf("it still runs: %v", err)
	}
}

func TestTimeout(t *testing.T) {
	r, client := bound(t)
	pid, done := r.sleeper(client, t.Context(), in{"timeout_seconds": 0.5})
	got := r.ended(done)
	if !got.failed || strings.Join(got.texts, "|") != "started\n|[not ended after 500ms, and stopped]" {
		t.Error(got)
	}
	r.gone(pid)
}

// A background process ends with the call.
func TestNothingIsLeftRunning(t *testing.T) {
	r, client := bound(t)
	r.want(r.run(client, in{"command": "sleep 1000 >/dev/null 2>&1 & echo $! > pid"}), "[exit code 0]")
	text := must.Get(os.ReadFile(filepath.Join(r.dir, "pid")))(t)
	pid := must.Get(strconv.Atoi(strings.TrimSpace(string(text))))(t)
	if state := stateOf(pid); state != "" {
		t.Errorf("the process in the background is in state %s", state)
	}
}

// stateOf returns the state of a process, "" if it is gone, or dead and not yet reaped.
func stateOf(pid int) string {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return ""
	}
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	if fields[0] == "Z" || fields[0] == "X" {
		return ""
	}
	return fields[0]
}

func TestCommandIsKilled(t *testing.T) {
	for name, how := range map[string]struct {
		end  func(r *rig, cancel func())
		says string // to the client; "" if the client does not wait for an answer
	}{
		"request cancelled": {func(_ *rig, cancel func()) { cancel() }, ""},
		"turn cancelled":    {func(r *rig, _ func()) { r.offer.Cancel() }, "The user stopped this."},
		"session over":      {func(r *rig, _ func()) { r.offer.Withdraw() }, "The session is over"},
		"server closed":     {func(r *rig, _ func()) { r.server.Close() }, "?"},
		"client gone":       {func(r *rig, _ func()) { r.conn.Close() }, "?"},
	} {
		t.Run(name, func(t *testing.T) {
			r, client := bound(t)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			pid, done := r.sleeper(client, ctx, nil)
			how.end(r, cancel)
			switch got := r.ended(done); how.says {
			case "":
				if !errors.Is(got.err, context.Canceled) {
					t.Error(got)
				}
			case "?":
				if got.err == nil && !got.failed {
					t.Error(got)
				}
			default:
				r.wantError(got, how.says)
			}
			r.gone(pid)
		})
	}
}

// When Close returns, nothing is running.
func TestCloseWaits(t *testing.T) {
	r, client := bound(t)
	pid, _ := r.sleeper(client, t.Context(), nil)
	r.server.Close()
	if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("it still runs: %v", err)
	}
}

// A client that does not read answers is not read from forever.
func TestClientThatDoesNotRead(t *testing.T) {
	r := newRig(t)
	r.offer.Bind(theSession)
	r.put("big", strings.Repeat("x", 200_000))
	conn, _ := r.raw()
	conn.SetWriteDeadline(time.Now().Add(time.Second))
	args, _ := json.Marshal(in{"path": "big"})
	for n := 1; ; n++ {
		_, err := conn.Write([]byte(`{"jsonrpc":"2.0","id":` + strconv.Itoa(n) + `,"method":"tools/call","params":{"name":"read_text_file","arguments":` + string(args) + `}}` + "\n"))
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if n == 10_000 {
			t.Fatal("all of it was read")
		}
	}
}
