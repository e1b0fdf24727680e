//go:build unix

package balancer

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"parley/internal/must"
)

// token is the token of the servers.
const token = "0123456789abcdef-balancer"

// serverName is the name of the site in docs/remote.md.
const serverName = "agents.example.com"

// stage is a front and its two servers.
type stage struct {
	t     *testing.T
	front *front
	dir   string // for all written files
	addr  string // of the front

	protocol string // of the front: h2, or an argument of front.without
	servers  map[string]*server
	extra    []string // flags of the servers in addition to docs/remote.md
	changes  []change // of the front's configuration, in addition to addresses and paths

	mu      sync.Mutex
	all     []heard
	lines   map[string]net.Conn // to the agent that has the session
	changed chan struct{}       // closed and replaced when something was heard
}

// setting changes a stage before it starts.
type setting func(*stage)

// newStage starts both servers and the front, which end with the test.
func newStage(t *testing.T, f *front, settings ...setting) *stage {
	t.Helper()
	dir := must.Get(os.MkdirTemp("", "parley-stage-"))(t)
	t.Cleanup(func() { os.RemoveAll(dir) })
	s := &stage{t: t, front: f, dir: dir, protocol: "h2", servers: map[string]*server{}, lines: map[string]net.Conn{}, changed: make(chan struct{})}
	for _, set := range settings {
		set(s)
	}
	s.write("token", token+"\n")
	must.Do(t, os.Mkdir(s.path("sessions"), 0o700))
	ln := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	t.Cleanup(func() { ln.Close() })
	go s.hear(ln)
	for name, words := range commands(t) {
		s.servers[name] = s.newServer(name, words, ln.Addr().String())
	}
	for _, name := range slices.Sorted(maps.Keys(s.servers)) {
		s.servers[name].start()
	}
	s.certify()
	s.startFront()
	return s
}

// scheme returns the scheme of HTTP at the front.
func (s *stage) scheme() string {
	if s.protocol == "h2c" {
		return "http"
	}
	return "https"
}

func (s *stage) path(name string) string { return filepath.Join(s.dir, name) }

func (s *stage) write(name, text string) {
	s.t.Helper()
	must.Do(s.t, os.WriteFile(s.path(name), []byte(text), 0o600))
}

// hear receives the agents' reports.
func (s *stage) hear(ln net.Listener) {
	for {
		conn, err := ln.Accept()
		if err != nil {
			return
		}
		go func() {
			defer conn.Close()
			from := json.NewDecoder(conn)
			for ended := false; !ended; {
				var h heard
				if ended = from.Decode(&h) != nil; ended {
					h = heard{What: "ended"}
				}
				s.mu.Lock()
				s.all = append(s.all, h)
				if h.Session != "" {
					s.lines[h.Session] = conn
				}
				close(s.changed)
				s.changed = make(chan struct{})
				s.mu.Unlock()
			}
		}()
	}
}

// await waits until an agent reports that for a session.
func (s *stage) await(session, what string) {
	s.t.Helper()
	deadline := time.After(patience)
	for {
		s.mu.Lock()
		stir := s.changed
		there := slices.ContainsFunc(s.all, func(h heard) bool { return h.Session == session && h.What == what })
		s.mu.Unlock()
		if there {
			return
		}
		select {
		case <-stir:
		case <-deadline:
			s.t.Fatalf("no agent tells of %s in %s", what, session)
		}
	}
}

// proceed lets the turn of a session continue.
func (s *stage) proceed(session string) {
	s.t.Helper()
	s.await(session, "prompt")
	s.mu.Lock()
	conn := s.lines[session]
	s.mu.Unlock()
	must.Get(fmt.Fprintln(conn, session))(s.t)
}

// prompts returns the beginnings of all prompts of a session, whichever agent received them. Agents
// report a prompt before they answer it.
func (s *stage) prompts(session string) (out []string) {
	s.t.Helper()
	text := must.Get(os.ReadFile(filepath.Join(s.path("sessions"), session)))(s.t)
	for line := range strings.Lines(string(text)) {
		if said, ok := strings.CutPrefix(line, "user "); ok {
			out = append(out, strings.TrimSuffix(said, "\n"))
		}
	}
	return out
}

// server is one `parley serve`.
type server struct {
	s    *stage
	name string
	args []string // with %s for the address
	env  []string
	addr string
	cmd  *exec.Cmd
	log  output
}

// newServer returns a server with a command line of docs/remote.md.
func (s *stage) newServer(name string, words []string, hears string) *server {
	s.t.Helper()
	v := &server{s: s, name: name, addr: "127.0.0.1:0"}
	self := must.Get(os.Executable())(s.t)
	line := changed(s.t, strings.Join(words[1:], " "), change{" token ", " " + s.path("token") + " "}, change{"my-agent --acp", agentWord})
	v.args = strings.Fields(line)
	at := slices.Index(v.args, "--listen")
	if at < 0 {
		s.t.Fatalf("%q does not listen", line)
	}
	v.args = slices.Delete(v.args, at, at+2)
	if s.front.ownCookie {
		v.args = slices.DeleteFunc(v.args, func(w string) bool { return strings.HasPrefix(w, "--cookie-affinity") })
	}
	dash := slices.Index(v.args, "--")
	v.args = slices.Insert(v.args, dash+1, self)
	v.args = slices.Insert(v.args, dash, s.extra...)
	v.env = append(os.Environ(), stageVar+"="+hears, nameVar+"="+name, sessionsVar+"="+s.path("sessions"))
	s.t.Cleanup(func() {
		v.end(syscall.SIGTERM)
		if s.t.Failed() {
			s.t.Logf("server %s:\n%s", name, v.log.String())
		}
	})
	return v
}

// start runs the server, at its previous address if it ran before.
func (v *server) start() {
	t := v.s.t
	t.Helper()
	binary, err := parley()
	if err != nil {
		t.Fatal(err)
	}
	v.cmd = exec.Command(binary, slices.Insert(slices.Clone(v.args), 1, "--listen", v.addr)...)
	v.cmd.Dir, v.cmd.Env, v.cmd.Stderr = v.s.dir, v.env, &v.log
	v.cmd.WaitDelay = 5 * time.Second
	out, err := v.cmd.StdoutPipe()
	if err == nil {
		err = v.cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	if !lines.Scan() {
		t.Fatalf("server %s says nothing: %s", v.name, v.log.String())
	}
	_, rest, _ := strings.Cut(lines.Text(), "ws://")
	var ok bool
	if v.addr, _, ok = strings.Cut(rest, "/"); !ok {
		t.Fatalf("server %s says %q", v.name, lines.Text())
	}
	go func() {
		for lines.Scan() { // read on, or the server would block on further output
		}
	}()
}

// end signals the server and waits until it is gone.
func (v *server) end(sig syscall.Signal) {
	if v.cmd == nil || v.cmd.Process == nil || v.cmd.ProcessState != nil {
		return
	}
	v.cmd.Process.Signal(sig)
	v.cmd.Wait()
}

// output stores what a program writes.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}
