//go:build unix

package host

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/acpclient"
	"parley/acpclient/event"
	"parley/acpclient/jsonrpc"
	"parley/acpclient/wire"
	"parley/internal/alive"
	"parley/internal/must"
	"parley/permissions"
)

// finish waits for a command and returns its output.
func (r *rig) finish(id string) string {
	r.t.Helper()
	ref := wire.TerminalRef{SessionID: theSession, TerminalID: id}
	must.Get(r.services.Terminals.WaitForExit(r.t.Context(), ref))(r.t)
	out := must.Get(r.services.Terminals.Output(ref))(r.t)
	return out.Output
}

func TestCommandIsAsked(t *testing.T) {
	r := newRig(t)
	req := wire.CreateTerminalRequest{Command: "echo", Args: []string{"two words", "x"}}
	q := r.refused(r.create(req))
	if q.Kind != "execute" || q.Origin != permissions.FromParley || q.Heading != "Run a command" {
		t.Errorf("got %+v", q)
	}
	if got := parts(q, permissions.Command); len(got) != 1 || got[0] != "echo 'two words' x" {
		t.Errorf("got %q", got)
	}
	if count[event.TerminalStarted](r.sink) != 0 {
		t.Error("it ran")
	}
	if got := r.finish(r.passes(r.create(req), "once")); got != "two words x\n" {
		t.Errorf("got %q", got)
	}
	started := find(t, r.sink, "TerminalStarted", func(event.TerminalStarted) bool { return true })
	if started.Command != "echo 'two words' x" || started.Cwd != r.root {
		t.Errorf("got %+v", started)
	}
	find(t, r.sink, "end", func(e event.TerminalExited) bool { return e.ID == started.ID && e.Code != nil && *e.Code == 0 })
}

// A command line in the member command is run by a shell (case 128).
func TestCommandLine(t *testing.T) {
	r := newRig(t)
	create := r.create(wire.CreateTerminalRequest{Command: "echo a && echo b"})
	if got := r.finish(r.passes(create, "once")); got != "a\nb\n" {
		t.Errorf("got %q", got)
	}
}

func TestCommandGranted(t *testing.T) {
	env := []wire.EnvVar{{Name: "LD_PRELOAD", Value: "/x.so"}}
	for name, tc := range map[string]struct {
		input string // %r is the session's directory
		req   wire.CreateTerminalRequest
		free  bool
	}{
		"the same line":       {`{"command":"echo hi"}`, wire.CreateTerminalRequest{Command: "echo hi"}, true},
		"cut into words":      {`{"command":"echo hi"}`, wire.CreateTerminalRequest{Command: "echo", Args: []string{"hi"}}, true},
		"shown as words":      {`{"command":["echo","a b"]}`, wire.CreateTerminalRequest{Command: "echo", Args: []string{"a b"}}, true},
		"under another name":  {`{"cmd":"echo hi"}`, wire.CreateTerminalRequest{Command: "echo hi"}, true},
		"cwd shown":           {`{"command":"echo hi","cwd":"%r"}`, wire.CreateTerminalRequest{Command: "echo hi"}, true},
		"quoted otherwise":    {`{"command":"echo \"a b\" c\\;d"}`, wire.CreateTerminalRequest{Command: "echo", Args: []string{"a b", "c;d"}}, true},
		"spaced otherwise":    {`{"command":"echo  hi"}`, wire.CreateTerminalRequest{Command: "echo hi"}, true},
		"a relative cwd":      {`{"command":"echo hi","cwd":"."}`, wire.CreateTerminalRequest{Command: "echo hi"}, true},
		"a shell's variable":  {`{"command":"A=1 sh -c 'echo hi'"}`, wire.CreateTerminalRequest{Command: "sh", Args: []string{"-c", "echo hi"}, Env: []wire.EnvVar{{Name: "A", Value: "1"}}}, true},
		"a pattern":           {`{"command":"echo *"}`, wire.CreateTerminalRequest{Command: "echo", Args: []string{"*"}}, false},
		"a quoted pattern":    {`{"command":["echo","*"]}`, wire.CreateTerminalRequest{Command: "echo *"}, false},
		"a variable of it":    {`{"command":"echo $HOME"}`, wire.CreateTerminalRequest{Command: "echo", Args: []string{"$HOME"}}, false},
		"a quoted variable":   {`{"command":["echo","$HOME"]}`, wire.CreateTerminalRequest{Command: "echo $HOME"}, false},
		"two commands":        {`{"command":["echo","a;","echo","b"]}`, wire.CreateTerminalRequest{Command: "echo a; echo b"}, false},
		"a program's name":    {`{"command":["echo hi"]}`, wire.CreateTerminalRequest{Command: "echo hi"}, false},
		"its home":            {`{"command":"echo hi","cwd":"~"}`, wire.CreateTerminalRequest{Command: "echo hi"}, false},
		"arguments of a tool": {`{"command":"echo","args":["hi"]}`, wire.CreateTerminalRequest{Command: "echo", Args: []string{"hi"}}, false},
		"another argument":    {`{"command":"echo hi"}`, wire.CreateTerminalRequest{Command: "echo", Args: []string{"ho"}}, false},
		"one more":            {`{"command":"echo"}`, wire.CreateTerminalRequest{Command: "echo", Args: []string{"hi"}}, false},
		"words glued":         {`{"command":["echo","a b"]}`, wire.CreateTerminalRequest{Command: "echo a b"}, false},
		"words parted":        {`{"command":["echo","a b"]}`, wire.CreateTerminalRequest{Command: "echo", Args: []string{"a", "b"}}, false},
		"an environment":      {`{"command":"echo hi"}`, wire.CreateTerminalRequest{Command: "echo hi", Env: env}, false},
		"elsewhere":           {`{"command":"echo hi"}`, wire.CreateTerminalRequest{Command: "echo hi", Cwd: "/"}, false},
		"elsewhere was shown": {`{"command":"echo hi","cwd":"/"}`, wire.CreateTerminalRequest{Command: "echo hi"}, false},
		"in another spelling": {`{"Command":"echo hi"}`, wire.CreateTerminalRequest{Command: "echo hi"}, true},
		"with known members":  {`{"command":"echo hi","description":"say hi","timeout":5,"run_in_background":false,"none":null}`, wire.CreateTerminalRequest{Command: "echo hi"}, true},
		"a switch that is on": {`{"command":"echo hi","sandbox":true}`, wire.CreateTerminalRequest{Command: "echo hi"}, false},
		"one that is off":     {`{"command":"echo hi","sandbox":false}`, wire.CreateTerminalRequest{Command: "echo hi"}, false},
		"variables":           {`{"command":"echo hi","env":{"A":"1"}}`, wire.CreateTerminalRequest{Command: "echo hi"}, false},
		"input for it":        {`{"command":"echo hi","content":"x"}`, wire.CreateTerminalRequest{Command: "echo hi"}, false},
		"two directories":     {`{"command":"echo hi","cwd":"%r","workdir":"/"}`, wire.CreateTerminalRequest{Command: "echo hi"}, false},
		"one deeper":          {`{"command":"echo hi","then":{"command":"x"}}`, wire.CreateTerminalRequest{Command: "echo hi"}, false},
		"in one deeper":       {`{"run":{"command":"echo hi"}}`, wire.CreateTerminalRequest{Command: "echo hi"}, false},
		"only in the title":   {`{"description":"say hi"}`, wire.CreateTerminalRequest{Command: "echo hi"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			input := strings.ReplaceAll(tc.input, "%r", r.root)
			r.permit(tool("execute", "echo hi", input), permissions.AllowOnce)
			if !tc.free {
				r.refused(r.create(tc.req))
				return
			}
			if got := r.finish(r.free(r.create(tc.req))); !strings.HasSuffix(got, "\n") {
				t.Errorf("got %q", got)
			}
			r.refused(r.create(tc.req)) // used up
		})
	}
}

// Variables are shown in front of the command.
func TestCommandShowsItsEnvironment(t *testing.T) {
	r := newRig(t)
	q := r.refused(r.create(wire.CreateTerminalRequest{Command: "make", Args: []string{"all"},
		Env: []wire.EnvVar{{Name: "PATH", Value: "/elsewhere/a bin"}, {Name: "X", Value: "\x1b[8m"}}}))
	if got := parts(q, permissions.Command); got[0] != `PATH='/elsewhere/a bin' X=$'\x1b[8m' make all` {
		t.Errorf("got %q", got)
	}
}

func TestAlwaysForACommand(t *testing.T) {
	r := newRig(t)
	echo := wire.CreateTerminalRequest{Command: "echo", Args: []string{"hi"}}
	r.finish(r.passes(r.create(echo), "session"))
	r.finish(r.free(r.create(echo)))
	r.refused(r.create(wire.CreateTerminalRequest{Command: "echo", Args: []string{"hi", "x"}}))
	r.refused(r.create(wire.CreateTerminalRequest{Command: "echo", Args: []string{"hi"}, Cwd: "/"}))
	r.refused(r.create(wire.CreateTerminalRequest{Command: "echo", Args: []string{"hi"}, Env: []wire.EnvVar{{Name: "A", Value: "1"}}}))
	r.refused(r.write(r.path("f"), "x"))
}

// An approval for the session in a directory does not apply to the later target of a link of its name.
func TestAlwaysAfterLinkMoved(t *testing.T) {
	r := newRig(t)
	r.put(r.path("a/x"), "")
	r.put(r.path("b/x"), "")
	r.link(r.path("a"), "l")
	echo := wire.CreateTerminalRequest{Command: "echo", Args: []string{"hi"}, Cwd: r.path("l")}
	r.finish(r.passes(r.create(echo), "session"))
	r.finish(r.free(r.create(echo)))
	must.Do(t, os.Remove(r.path("l")))
	r.link(r.path("b"), "l")
	r.refused(r.create(echo))
}

// Cases 127, 131 and 132: a command that cannot run is not asked about.
func TestCommandErrors(t *testing.T) {
	r := newRig(t)
	code := func(what string, err error, want int) {
		t.Helper()
		var e *jsonrpc.Error
		if !errors.As(err, &e) || e.Code != want {
			t.Errorf("%s: got %v, want code %d", what, err, want)
		}
	}
	code("relative cwd", r.create(wire.CreateTerminalRequest{Command: "ls", Cwd: "sub"}).wait().err, jsonrpc.CodeInvalidParams)
	code("no command", r.create(wire.CreateTerminalRequest{Command: " "}).wait().err, jsonrpc.CodeInvalidParams)
	if n := count[permissions.Asked](r.sink); n != 0 {
		t.Errorf("%d questions", n)
	}
	if o := (func() outcome {
		g := r.create(wire.CreateTerminalRequest{Command: "no-such-program"})
		r.answer("once")
		return g.wait()
	})(); o.err == nil {
		t.Error("started a program that is not there")
	}
	id := r.passes(r.create(wire.CreateTerminalRequest{Command: "true"}), "once")
	r.finish(id)
	_, err := r.services.Terminals.Output(wire.TerminalRef{SessionID: "other", TerminalID: id})
	code("another session's", err, jsonrpc.CodeResourceNotFound)
	code("unknown", r.services.Terminals.Kill(wire.TerminalRef{SessionID: theSession, TerminalID: "x"}), jsonrpc.CodeResourceNotFound)
	if err := r.services.Terminals.Release(wire.TerminalRef{SessionID: theSession, TerminalID: id}); err != nil {
		t.Error(err)
	}
	code("released", r.services.Terminals.Release(wire.TerminalRef{SessionID: theSession, TerminalID: id}), jsonrpc.CodeResourceNotFound)
}

// sleeper starts a command with a child and returns both pids.
func (r *rig) sleeper() (leader, child int) {
	r.t.Helper()
	id := r.passes(r.create(wire.CreateTerminalRequest{Command: "sleep 300 & echo $$ $!; wait"}), "once")
	find(r.t, r.sink, "pids", func(e event.TerminalOutput) bool {
		words := strings.Fields(string(e.Data))
		if len(words) == 2 && e.ID == id {
			leader, _ = strconv.Atoi(words[0])
			child, _ = strconv.Atoi(words[1])
		}
		return child != 0
	})
	return leader, child
}

// gone waits until no process has the pid, except a zombie.
func gone(t *testing.T, pid int) {
	t.Helper()
	for deadline := time.Now().Add(patience); alive.PID(pid); {
		if time.Now().After(deadline) {
			syscall.Kill(pid, syscall.SIGKILL)
			t.Fatalf("process %d still runs", pid)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// Cases 115 and 130.
func TestCloseSession(t *testing.T) {
	r := newRig(t)
	must.Do(t, r.services.Sessions.OpenSession("other", []string{r.outside}, false))
	elsewhere := r.services.Terminals.Create(wire.CreateTerminalRequest{SessionID: "other", Command: "true"})
	other := r.begin(func() (string, error) { return elsewhere(t.Context()) })
	kept := r.question()
	leader, child := r.sleeper()
	w := r.write(r.path("f"), "x")
	asked := ask(r.services, acpclient.Question{Session: theSession, Tool: tool("fetch", "x", ""), Options: []wire.PermissionOption{{ID: "y", Kind: "allow_once"}}})
	r.question()
	r.question()

	r.services.Sessions.CloseSession(theSession)
	if o := w.wait(); o.err == nil {
		t.Error("written after the end of the session")
	}
	if d := asked.Wait(t.Context()); !d.Cancelled {
		t.Errorf("got %+v", d)
	}
	gone(t, leader)
	gone(t, child)
	r.holds(r.path("f"), "")
	if o := r.read(r.path("f")).wait(); o.err == nil || count[permissions.Asked](r.sink) != len(r.keys) {
		t.Errorf("a closed session reads: %+v", o)
	}
	if o := r.create(wire.CreateTerminalRequest{Command: "true"}).wait(); o.err == nil {
		t.Error("a closed session runs commands")
	}
	// The other session is not affected.
	must.Do(t, r.host.Broker().Answer(kept.Key, "once"))
	if o := other.wait(); o.err != nil {
		t.Error(o.err)
	}
}

func TestCloseEndsEveryCommand(t *testing.T) {
	r := newRig(t)
	leader, child := r.sleeper()
	r.host.Close()
	gone(t, leader)
	gone(t, child)
}

// A policy's approval is a grant like any other, and calling a command a read does not make it one.
func TestApproveReadsRunsNothing(t *testing.T) {
	r := newRig(t)
	reads := permissions.ApproveReads("--approve-reads", permissions.DenyAll("--approve-reads", nil))
	h := New(Options{Sink: r.sink, Policy: reads})
	t.Cleanup(h.Close)
	h.OpenSession(theSession, []string{r.root}, false)
	s := h.Services()
	options := []wire.PermissionOption{{ID: "y", Kind: "allow_once"}, {ID: "n", Kind: "reject_once"}}
	decide := func(call wire.ToolCall) string {
		return ask(s, acpclient.Question{Session: theSession, Tool: call, Options: options}).Wait(t.Context()).OptionID
	}
	out, outside := r.path("ran"), r.put(filepath.Join(r.outside, "x"), "x")
	for name, tc := range map[string]struct {
		call wire.ToolCall
		want string
	}{
		"a read":                      {tool("read", "Read", `{"path":"`+r.path("f")+`"}`), "y"},
		"a relative path":             {tool("read", "Read", `{"path":"f"}`), "y"},
		"a search":                    {tool("search", "Find", `{"pattern":"x"}`), "y"},
		"a search of names elsewhere": {tool("search", "Find", `{"pattern":"/x"}`), "n"},
		"a command called a read":     {tool("read", "Read", `{"command":"touch `+out+`"}`), "n"},
		"words called a search":       {tool("search", "Find", `{"cmd":["touch","`+out+`"]}`), "n"},
		"a path outside in the input": {tool("read", "Read", `{"file_path":"`+outside+`"}`), "n"},
		"one of several":              {tool("read", "Read", `{"paths":["f","`+outside+`"]}`), "n"},
		"up and out":                  {tool("read", "Read", `{"path":"../x"}`), "n"},
		"home":                        {tool("read", "Read", `{"path":"~/x"}`), "n"},
		"a URL":                       {tool("read", "Read", `{"path":"file://`+outside+`"}`), "n"},
		"a secret":                    {tool("read", "Read", `{"filePath":".env"}`), "n"},
		"a NUL":                       {tool("read", "Read", `{"path":"/x\u0000y"}`), "n"},
	} {
		if got := decide(tc.call); got != tc.want {
			t.Errorf("%s: got %q, want %q", name, got, tc.want)
		}
	}
	edit := diff(r.path("f"), "x")
	edit.Kind = new("read")
	if got := decide(edit); got != "n" {
		t.Error("a change called a read was allowed")
	}
	if _, err := s.Terminals.Create(wire.CreateTerminalRequest{SessionID: theSession, Command: "touch " + out})(t.Context()); err == nil {
		t.Error("the command ran")
	}
}
