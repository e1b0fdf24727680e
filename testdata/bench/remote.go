//go:build linux

package main

import (
	"bufio"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"syscall"
)

// server is a `parley serve` with our agent.
type server struct {
	cmd   *exec.Cmd
	place string // its address and path
}

func (b *bench) serve() (*server, error) {
	dir, env, err := b.place()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(b.parley, append([]string{"serve", "--listen", "127.0.0.1:0", "--no-token", "--log-level", "error", "--"}, b.agent()...)...)
	cmd.Dir, cmd.Env = dir, env
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	r := bufio.NewReader(out)
	line, _ := r.ReadString('\n')
	go io.Copy(io.Discard, r)
	s := &server{cmd: cmd}
	_, place, ok := strings.Cut(strings.TrimSpace(line), "://")
	if s.place = place; !ok {
		s.stop()
		return nil, fmt.Errorf("parley serve says %q in the place of where it is", line)
	}
	return s, nil
}

func (s *server) stop() {
	s.cmd.Process.Signal(syscall.SIGTERM)
	s.cmd.Wait()
}

// remote measures how many updates a second `parley run` prints over each transport to the
// same agent, against the agent as its child process.
func remote(b *bench) error {
	s, err := b.serve()
	if err != nil {
		return err
	}
	defer s.stop()
	n := min(b.n, 100_000)
	text := fmt.Sprintf("flood n=%d c=20 t=1", n)
	rate := func(flags ...string) (float64, error) {
		r, err := b.run(text, flags...)
		return float64(n) / r.stream.Seconds(), err
	}
	direct, err := rate()
	if err != nil {
		return err
	}
	roads := []struct {
		name  string
		flags []string
	}{
		{"WebSocket", []string{"--agent", "ws://" + s.place}},
		{"HTTP/1.1", []string{"--agent", "http://" + s.place, "--h2c", "off"}},
		{"h2c", []string{"--agent", "http://" + s.place, "--h2c", "on"}},
	}
	for _, road := range roads {
		got, err := rate(road.flags...)
		if err != nil {
			return err
		}
		b.table.beside("remote: updates by "+road.name, "a second", got, "as its child", direct)
	}
	return nil
}
