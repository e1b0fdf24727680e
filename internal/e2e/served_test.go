//go:build unix

package e2e

import (
	"bufio"
	"fmt"
	"net"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// Server is a `parley serve` with its own directories.
type Server struct {
	t      testing.TB
	cmd    *exec.Cmd
	root   string
	client string // the command to type on the client's machine
	place  string // its address and path
	ended  sync.Once

	mu      sync.Mutex // guards the fields below
	log     string
	changed chan struct{} // closed and replaced when there is more
}

// Serve serves the demo agent on a free local port without a token, unless a flag says otherwise.
// If the test has not stopped the server, it is stopped at the end and must exit cleanly.
func Serve(t testing.TB, flags ...string) *Server {
	t.Helper()
	return ServeAgent(t, []string{"--", "parley", "agent", "demo"}, nil, flags...)
}

// ServeAgent is Serve for another agent, with more variables in the environment.
func ServeAgent(t testing.TB, agent, env []string, flags ...string) *Server {
	t.Helper()
	if !slices.Contains(flags, "--token-file") {
		flags = append(slices.Clip(flags), "--no-token")
	}
	if i := slices.Index(flags, "--listen"); i >= 0 {
		untilFree(t, flags[i+1])
	}
	cmd := command(workDir(t), slices.Concat([]string{"serve", "--listen", "127.0.0.1:0"}, flags, agent)...)
	cmd.Env = append(cmd.Env, env...)
	return startServer(t, cmd)
}

// untilFree waits until a server can listen on an address that an earlier one had: until then, its
// port may be the local end of a connection of another test.
func untilFree(t testing.TB, address string) {
	t.Helper()
	for deadline := time.Now().Add(patience); ; {
		l, err := net.Listen("tcp", address)
		if err == nil {
			l.Close()
			return
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
		<-time.After(10 * time.Millisecond) // nothing tells when a port is free
	}
}

// startServer starts a command that is a server.
func startServer(t testing.TB, cmd *exec.Cmd) *Server {
	t.Helper()
	s := &Server{t: t, cmd: cmd, root: filepath.Dir(cmd.Dir), changed: make(chan struct{})}
	s.cmd.Stderr = s
	out, err := s.cmd.StdoutPipe()
	if err == nil {
		err = s.cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	first, err := bufio.NewReader(out).ReadString('\n')
	s.client, _ = strings.CutPrefix(strings.TrimSpace(first), "connect with: ")
	_, place, ok := strings.Cut(s.client, "://")
	if !ok {
		t.Fatalf("the server says %q, %v; its log:\n%s", first, err, s.Log())
	}
	s.place = place
	return s
}

// Write appends to the log.
func (s *Server) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log += string(p)
	close(s.changed)
	s.changed = make(chan struct{})
	return len(p), nil
}

// Log returns everything logged so far.
func (s *Server) Log() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.log
}

// WaitLog waits until the log contains a text.
func (s *Server) WaitLog(text string) {
	s.t.Helper()
	for deadline := time.After(patience); ; {
		s.mu.Lock()
		found, changed := strings.Contains(s.log, text), s.changed
		s.mu.Unlock()
		if found {
			return
		}
		select {
		case <-changed:
		case <-deadline:
			s.t.Fatalf("not in the log of the server: %s\n%s", text, s.Log())
		}
	}
}

// URL returns the server's URL with that scheme.
func (s *Server) URL(scheme string) string { return scheme + "://" + s.place }

// address returns the address that it listens on.
func (s *Server) address() string {
	address, _, _ := strings.Cut(s.place, "/")
	return address
}

// goneAfter waits until the server has ended its first n connections, and checks that their agents
// have exited.
func (s *Server) goneAfter(n int) {
	s.t.Helper()
	for i := range n {
		s.WaitLog(fmt.Sprintf("msg=\"connection ended\" conn=%d ", i+1))
	}
	if left := processesOf(s.root); len(left) > 1 {
		s.t.Errorf("beside the server there still runs: %v", left)
	}
}

var protocolLine = regexp.MustCompile(`msg="connection started" conn=\d+ remote=\S+ protocol=(\S+)`)

// protocols returns the HTTP version of each connection.
func (s *Server) protocols() (out []string) {
	for _, m := range protocolLine.FindAllStringSubmatch(s.Log(), -1) {
		out = append(out, m[1])
	}
	return out
}

// Stop asks the server to exit and checks that it does, with everything that it started.
func (s *Server) Stop() {
	s.ended.Do(func() {
		s.t.Helper()
		s.cmd.Process.Signal(syscall.SIGTERM)
		late := time.AfterFunc(patience, func() { s.cmd.Process.Signal(syscall.SIGQUIT) })
		defer late.Stop()
		if err := s.cmd.Wait(); err != nil {
			s.t.Errorf("the server ends with %v; its log:\n%s", err, s.Log())
		}
		s.noneLeft()
	})
}

// Kill kills the server.
func (s *Server) Kill() {
	s.ended.Do(func() {
		s.cmd.Process.Kill()
		s.cmd.Wait()
		s.noneLeft()
	})
}

func (s *Server) noneLeft() {
	s.t.Helper()
	(&Screen{t: s.t, root: s.root}).noneLeft()
}
