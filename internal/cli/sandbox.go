package cli

import (
	"errors"
	"fmt"
	"os"
	"os/exec"

	"github.com/spf13/cobra"

	"parley/acpclient"
	"parley/acpclient/event"
	"parley/internal/agents"
	"parley/internal/config"
	"parley/internal/host"
	"parley/internal/npx"
	"parley/internal/sandbox"
)

// cannotStart is the exit code of a program that parley could not become, as shells have it.
const cannotStart = 126

// SandboxFlag adds --sandbox to a command. Given tells what it says: nil where it was left out.
func SandboxFlag(cmd *cobra.Command) (given func() *bool) {
	value := cmd.Flags().Bool("sandbox", false, "Linux: let the agent and its commands write only in the session's directories and their own caches (default: from the configuration)")
	return func() *bool {
		if !cmd.Flags().Changed("sandbox") {
			return nil
		}
		return value
	}
}

// SandboxExec is `parley sandbox-exec`, which the sandbox starts programs with and nobody else. It returns only when it
// cannot become the program.
func SandboxExec(args []string, s Streams) int {
	s.Complain(fmt.Sprintf("%s: %v", sandbox.Command, sandbox.Main(args)))
	return cannotStart
}

// NpxExec is `parley npx-exec`, which npx starts for parley and nobody else. It returns when it cannot become the
// program, and on Windows when the program has ended.
func NpxExec(args []string, s Streams) int {
	code, err := npx.Main(args)
	if err != nil {
		s.Complain(fmt.Sprintf("%s: %v", npx.Command, err))
		return cannotStart
	}
	return code
}

// CheckSandbox refuses what is asked for and cannot be had, before anything starts. The error is a UsageError of one
// line.
func (s *Setup) CheckSandbox() error {
	_, err := s.confined()
	return err
}

// confined is the sandbox to start programs in; nil without one. It does not change for the life of the process.
func (s *Setup) confined() (*sandbox.Sandbox, error) {
	s.boxing.Do(func() { s.box, s.boxErr = s.newSandbox(sandbox.Check) })
	return s.box, s.boxErr
}

func (s *Setup) newSandbox(check func() error) (*sandbox.Sandbox, error) {
	switch {
	case s.Sandbox != nil && !*s.Sandbox, s.Sandbox == nil && !s.Config.Sandbox:
		return nil, nil
	}
	if err := check(); err != nil {
		if s.Sandbox == nil {
			return nil, UsageError{s.Config.ErrorAt(err.Error(), "sandbox").Error()}
		}
		return nil, Usagef("--sandbox: %v", err)
	}
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find parley's own program, for the sandbox: %w", err)
	}
	box, err := sandbox.New(self, s.Config.SandboxWrite)
	if err != nil {
		return nil, UsageError{s.Config.ErrorAt(err.Error(), "sandbox_write").Error()}
	}
	return box, nil
}

// bounds is the sandbox as the host wants it.
type bounds struct{ box *sandbox.Sandbox }

// Confine implements host.Sandbox.
func (b bounds) Confine(cmd *exec.Cmd, roots []string) error {
	return b.box.Wrap(cmd, roots, sandbox.Caches())
}

// Writable implements host.Sandbox.
func (b bounds) Writable(path string, roots []string) bool {
	return b.box.Writable(path, roots, sandbox.States())
}

// bounds is what is written and run for agents by; nil without a sandbox.
func (s *Setup) bounds() (host.Sandbox, error) {
	box, err := s.confined()
	if err != nil || box == nil {
		return nil, err
	}
	return bounds{box}, nil
}

// commands is how commands of agents are started.
func commands() host.Commands {
	return host.Commands{Environ: commandEnviron(), Attended: os.Environ()}
}

// starting is how the engine starts an agent that works in a place.
func (s *Setup) starting(a agents.Agent, p Place) (acpclient.AgentCommand, error) {
	box, err := s.confined()
	if err != nil {
		return acpclient.AgentCommand{}, err
	}
	cmd, err := s.program(a, p)
	if err == nil && box != nil {
		err = box.Wrap(cmd, append([]string{p.Cwd}, p.Roots...), sandbox.States())
	}
	if err != nil {
		return acpclient.AgentCommand{}, err
	}
	return acpclient.AgentCommand{Path: cmd.Path, Args: cmd.Args[1:], Env: cmd.Env, Dir: cmd.Dir}, nil
}

// serving is what `parley serve` needs to start agents: they work in the directory it was started in, and in dirs.
func serving(given *bool, argv, dirs []string) (command, env []string, err error) {
	path, err := config.Path()
	if err != nil {
		return nil, nil, UsageError{err.Error()}
	}
	c, err := config.Load(path)
	if err != nil {
		return nil, nil, UsageError{err.Error()}
	}
	s := newSetup(c, RemoteFlags{})
	s.Sandbox = given
	if box, err := s.confined(); err != nil {
		return nil, nil, err
	} else if box == nil && dirs != nil {
		return nil, nil, Usagef("--add-dir needs --sandbox")
	}
	place, err := NewPlace("", dirs)
	if err != nil {
		return nil, nil, err
	}
	start, err := s.starting(Custom(argv), place)
	var missing *event.StartError
	if errors.As(err, &missing) {
		return nil, nil, Usagef("%v", missing.Err)
	}
	return append([]string{start.Path}, start.Args...), start.Env, err
}
