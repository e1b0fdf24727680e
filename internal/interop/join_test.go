//go:build unix

package interop

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"parley/internal/must"
)

// kept is a parley that outlives its terminal, with the Go agent, on a screen.
type kept struct {
	t      *testing.T
	binary string
	env    []string
	dir    string // of the session
	screen *screen
}

// screen is what a terminal got.
type screen struct {
	mu   sync.Mutex
	text []byte
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text = append(s.text, p...)
	return len(p), nil
}

func (s *screen) has(text string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return bytes.Contains(s.text, []byte(text))
}

// keep starts parley with --keep.
func keep(t *testing.T) *kept {
	t.Helper()
	agent := goSDK.need(t)
	root := must.Get(os.MkdirTemp("", "p"))(t) // short, for sockets
	t.Cleanup(func() { os.RemoveAll(root) })
	k := &kept{t: t, binary: must.Get(parley())(t), dir: filepath.Join(root, "work"), screen: &screen{}}
	for _, name := range []string{"work", "state", "home/.config/parley"} {
		must.Do(t, os.MkdirAll(filepath.Join(root, name), 0o700))
	}
	must.Do(t, os.WriteFile(filepath.Join(k.dir, "notes.txt"), []byte(notes), 0o600))
	must.Do(t, os.WriteFile(filepath.Join(root, "home/.config/parley/config.toml"), []byte("approve_from_clients = true\n"), 0o600))
	k.env = append(os.Environ(), "HOME="+filepath.Join(root, "home"), "XDG_CONFIG_HOME="+filepath.Join(root, "home/.config"), "PARLEY_STATE="+filepath.Join(root, "state"),
		"XDG_RUNTIME_DIR=", "TERM=xterm-256color", "TMUX=")
	cmd := k.command(append([]string{"--keep", "--"}, agent...)...)
	tty := must.Get(pty.StartWithSize(cmd, &pty.Winsize{Rows: 40, Cols: 100}))(t)
	go io.Copy(k.screen, tty)
	t.Cleanup(func() {
		k.command("stop", "work").Run()
		cmd.Wait()
		tty.Close()
	})
	k.until("it can be joined", func() bool {
		var all []struct{ State, Clients string }
		out, err := k.command("ps", "--json").Output()
		return err == nil && json.Unmarshal(out, &all) == nil && len(all) == 1 && all[0].State == "idle" && all[0].Clients != ""
	})
	return k
}

func (k *kept) command(args ...string) *exec.Cmd {
	cmd := exec.Command(k.binary, args...)
	cmd.Dir, cmd.Env = k.dir, k.env
	return cmd
}

// until waits until something is so.
func (k *kept) until(what string, so func() bool) {
	k.t.Helper()
	for deadline := time.Now().Add(patience); !so(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			k.t.Fatalf("not in time: %s\n%s", what, k.screen.text)
		}
	}
}

// serve starts `parley serve --sessions` and returns its URL, without the scheme.
func (k *kept) serve() string {
	k.t.Helper()
	cmd := k.command("serve", "--sessions", "--listen", "127.0.0.1:0")
	out := must.Get(cmd.StdoutPipe())(k.t)
	must.Do(k.t, cmd.Start())
	k.t.Cleanup(func() { cmd.Process.Signal(syscall.SIGTERM); cmd.Wait() })
	first := must.Get(bufio.NewReader(out).ReadString('\n'))(k.t)
	m := urlLine.FindStringSubmatch(first)
	if m == nil {
		k.t.Fatalf("the server says no URL: %q", first)
	}
	return m[1]
}

// token makes a token of a role.
func (k *kept) token(name, role string) string {
	k.t.Helper()
	return strings.TrimSpace(string(must.Get(k.command("tokens", "add", name, "--role", role).Output())(k.t)))
}

// joined is a client that has joined.
type joined struct {
	k    *kept
	name string
	in   io.Writer

	mu    sync.Mutex
	lines []line
	errs  bytes.Buffer
}

// join starts a client and waits until it has loaded the session.
func (k *kept) join(name string, command []string, token string) *joined {
	k.t.Helper()
	j := &joined{k: k, name: name}
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Env = append(k.env, "TOKEN="+token)
	cmd.Stderr = &j.errs
	j.in = must.Get(cmd.StdinPipe())(k.t)
	out := must.Get(cmd.StdoutPipe())(k.t)
	must.Do(k.t, cmd.Start())
	go func() {
		for d := json.NewDecoder(out); ; {
			var l line
			if d.Decode(&l) != nil {
				return
			}
			j.mu.Lock()
			j.lines = append(j.lines, l)
			j.mu.Unlock()
		}
	}()
	k.t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	j.until("session/load", func(l line) bool { return l.Got == "session/load" })
	return j
}

func (j *joined) do(line string) { io.WriteString(j.in, line+"\n") }

// until waits for an item.
func (j *joined) until(what string, is func(line) bool) {
	j.k.t.Helper()
	j.k.until(j.name+": "+what, func() bool {
		j.mu.Lock()
		defer j.mu.Unlock()
		for _, l := range j.lines {
			if is(l) {
				return true
			}
		}
		return false
	})
}

// ended waits until n of its prompts have ended and returns the reason of the last one.
func (j *joined) ended(n int) string {
	j.k.t.Helper()
	var last struct{ StopReason string }
	j.k.until(j.name+": a turn ends", func() bool {
		return json.Unmarshal(j.count("session/prompt", n), &last) == nil
	})
	return last.StopReason
}

// count returns the value of the nth item of a kind, nil if there are fewer.
func (j *joined) count(kind string, n int) json.RawMessage {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, l := range j.lines {
		if l.Got == kind {
			if n--; n == 0 {
				return l.Value
			}
		}
	}
	return nil
}

// said returns all text of a kind of update that the client has received.
func (j *joined) said(kind string) string {
	j.mu.Lock()
	defer j.mu.Unlock()
	all := ""
	for _, l := range j.lines {
		var u struct {
			SessionUpdate string
			Content       struct{ Text string }
		}
		if l.Got == "update" && json.Unmarshal(l.Value, &u) == nil && u.SessionUpdate == kind {
			all += u.Content.Text
		}
	}
	return all
}

// Two clients on different SDKs, and the screen, share a session over every transport. They follow it word for
// word, also what was said before they joined; they prompt, and stop each other's turns; and the one that
// may approve is asked.
func TestJoining(t *testing.T) {
	t.Parallel()
	for _, transport := range []string{"stdio", "ws", "http"} {
		t.Run(transport, func(t *testing.T) {
			ts, py := tsClient(t), pyClient.need(t)
			ts[1] = filepath.Join(filepath.Dir(ts[1]), "join.mjs")
			py = []string{py[0], filepath.Join(filepath.Dir(py[1]), "join.py")}
			k := keep(t)
			var one, two *joined
			if transport == "stdio" {
				one = k.join("ts", append(ts, "stdio", k.binary, "acp", "--role", "approve"), "")
				one.do("prompt hello")
				one.ended(1)
				two = k.join("py", append(py, "stdio", k.binary, "acp", "work"), "")
			} else {
				place := k.serve()
				one = k.join("ts", append(ts, transport, transport+place), k.token("ts", "approve"))
				one.do("prompt hello")
				one.ended(1)
				two = k.join("py", append(py, "ws", "ws"+place), k.token("py", "talk")) // over HTTP this SDK cannot load
			}
			one.do("prompt burst 300")
			if got := one.ended(2); got != "end_turn" {
				t.Errorf("the turn ended with %q", got)
			}
			two.do("prompt wait")
			for _, j := range []*joined{one, two} {
				k.until(j.name+" sees the turn of the other", func() bool { return strings.HasSuffix(j.said("agent_message_chunk"), "waiting") })
			}
			one.do("cancel")
			if got := two.ended(1); got != "cancelled" {
				t.Errorf("the turn that the other client has stopped ended with %q", got)
			}
			two.do("prompt edit")
			if got := two.ended(2); got != "end_turn" {
				t.Errorf("the edit ended with %q", got)
			}
			if asked := one.count("asked", 1); !strings.Contains(string(asked), "allow_once") || one.count("asked", 2) != nil || two.count("asked", 1) != nil {
				t.Errorf("asked: %s", asked)
			}
			if got := contents(t, k.dir); got != "one\ntwo\nTHREE\n" {
				t.Errorf("notes.txt %q", got)
			}
			agent := "hello from go" + strings.Join(numbers(300), "") + "waiting"
			// A client is not told what it has said itself.
			for j, user := range map[*joined]string{one: "waitedit", two: "helloburst 300"} {
				k.until(j.name+" has all", func() bool { return strings.HasSuffix(j.said("agent_message_chunk"), "written") })
				if got := j.said("agent_message_chunk"); !strings.HasPrefix(got, agent) {
					t.Errorf("%s: the agent said %q", j.name, got)
				}
				if got := j.said("user_message_chunk"); got != user {
					t.Errorf("%s: the user said %q", j.name, got)
				}
				if j.count("read", 1) != nil || j.count("write", 1) != nil {
					t.Errorf("%s was asked for files", j.name)
				}
				if j.errs.Len() > 0 {
					t.Errorf("%s: %s", j.name, &j.errs)
				}
			}
			k.until("the screen shows the last answer", func() bool { return k.screen.has("written") })
		})
	}
}
