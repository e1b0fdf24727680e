//go:build unix

package balancer

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"parley/acpclient"
	"parley/acpclient/event"
	"parley/acpclient/transport"
)

// run runs `parley run` with the front as the agent.
func (s *stage) run(scheme, header, prompt string) (out, errs string, err error) {
	s.t.Helper()
	binary, err := parley()
	if err != nil {
		s.t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, "run", "--agent", scheme+"://"+s.addr, "--ca-file", s.path("cert.pem"), "--header-env", "Authorization=FRONT_TOKEN", prompt)
	cmd.Dir, cmd.WaitDelay = s.t.TempDir(), 5*time.Second
	cmd.Env = append(os.Environ(), "FRONT_TOKEN="+header, "HOME="+cmd.Dir, "XDG_CONFIG_HOME="+cmd.Dir, "XDG_STATE_HOME="+cmd.Dir)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	return stdout.String(), stderr.String(), err
}

// The real client, run as a user runs it.
func TestRun(t *testing.T) {
	eachProfile(t, func(t *testing.T, f *front, scheme string) {
		s := newStage(t, f)
		out, errs, err := s.run(scheme, "Bearer "+token, "where")
		if err != nil || !regexp.MustCompile(`^[ab] \d+\n$`).MatchString(out) || errs != "" {
			t.Errorf("%v; it prints %q and %q", err, out, errs)
		}
		out, errs, err = s.run(scheme, "Bearer wrong", "where")
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != 1 || out != "" || !strings.Contains(errs, "401") {
			t.Errorf("with a wrong token: %v; it prints %q and %q", err, out, errs)
		}
	})
}

// The engine distinguishes a wrong token, where a retry is useless, from a server that is gone.
func TestWrongToken(t *testing.T) {
	eachProfile(t, func(t *testing.T, f *front, scheme string) {
		c := newStage(t, f).newClient(scheme)
		r := c.remote()
		r.Header.Set("Authorization", "Bearer wrong")
		_, err := acpclient.Dial(c.ctx(), r, acpclient.Options{Name: "parley", Version: "1", Sink: event.NewQueue()})
		var lost *event.LostError
		var status *transport.StatusError
		if !errors.As(err, &lost) || lost.Retryable() || !errors.As(err, &status) || status.Status != 401 {
			t.Errorf("got %v", err)
		}
	})
}
