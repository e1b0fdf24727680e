package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"parley/acpclient"
	"parley/acpclient/event"
	"parley/acpclient/transport"
	"parley/internal/agents"
	"parley/internal/config"
	"parley/internal/gitsafe"
	"parley/internal/host"
	"parley/internal/npx"
	"parley/internal/sandbox"
)

// cannotStart is the exit code for a program that could not be executed, by the convention of
// shells.
const cannotStart = 126

// SandboxFlag adds --sandbox to a command. given returns its value, nil if it was not set.
func SandboxFlag(cmd *cobra.Command) (given func() *bool) {
	value := cmd.Flags().Bool("sandbox", false, "Linux, macOS: let the agent and its commands write only in the session's directories and their own caches (default: from the configuration)")
	return func() *bool {
		if !cmd.Flags().Changed("sandbox") {
			return nil
		}
		return value
	}
}

// SandboxExec is `parley sandbox-exec`, used only by the sandbox to start programs. It returns only
// if it cannot execute the program.
func SandboxExec(args []string, s Streams) int {
	s.PrintError(fmt.Sprintf("%s: %v", sandbox.Command, sandbox.Main(args)))
	return cannotStart
}

// NpxExec is `parley npx-exec`, which parley starts only through npx. It returns if it cannot
// execute the program, and on Windows when the program has ended.
func NpxExec(args []string, s Streams) int {
	code, err := npx.Main(args)
	if err != nil {
		s.PrintError(fmt.Sprintf("%s: %v", npx.Command, err))
		return cannotStart
	}
	return code
}

// CheckSandbox reports, before anything starts, that the requested sandbox is not available. The
// error is a UsageError of one line.
func (s *Setup) CheckSandbox() error {
	_, err := s.confined()
	return err
}

// confined returns the sandbox to start programs in, nil if it is off. The result never changes.
func (s *Setup) confined() (*sandbox.Sandbox, error) {
	s.boxing.Do(func() {
		s.box, s.boxErr = s.newSandbox(sandbox.Check)
		gitsafe.Confine(s.box)
	})
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
	self, err := sandbox.Self()
	if err != nil {
		return nil, err
	}
	box, err := sandbox.New(self, s.Config.SandboxWrite)
	if err != nil {
		return nil, UsageError{s.Config.ErrorAt(err.Error(), "sandbox_write").Error()}
	}
	return box, nil
}

// bounds are where an agent can write.
type bounds struct {
	box   *sandbox.Sandbox
	roots []string // the directories that the agent was started for
	own   []string // where it keeps its own files
}

// within returns where those of the directories of a session lead in which the agent itself can write. It
// may have listed the session with any other.
func (b bounds) within(dirs []string) (real []string) {
	for _, dir := range dirs {
		if dir, err := filepath.EvalSymlinks(dir); err == nil && b.box.Writable(dir, b.roots, b.own) {
			real = append(real, dir)
		}
	}
	return real
}

// confine is that of host.Sandbox.
func (b bounds) confine(cmd *exec.Cmd, roots []string) error {
	roots = b.within(roots)
	return b.box.Wrap(cmd, nil, sandbox.Own(), append(roots, commitPlaces(roots)...)...)
}

// commitPlaces returns where git writes when it commits in those of the directories that are in worktrees
// of parley's.
func commitPlaces(dirs []string) (places []string) {
	store, err := worktrees()
	if err != nil {
		return nil
	}
	ctx, stop := context.WithTimeout(context.Background(), 10*time.Second) // an agent may have made a FIFO
	defer stop()
	for _, dir := range dirs {
		places = append(places, store.CommitPlaces(ctx, dir)...)
	}
	return places
}

// writable is that of host.Sandbox.
func (b bounds) writable(path string, roots []string) bool {
	return b.box.Writable(path, b.within(roots), b.own)
}

// bounds returns the sandbox for the host's file writes and commands for an agent that works in a place,
// nil if it is off.
func (s *Setup) bounds(a agents.Agent, p Directories) (*host.Sandbox, error) {
	box, err := s.confined()
	if err != nil || box == nil {
		return nil, err
	}
	b := bounds{box, append([]string{p.Cwd}, p.Roots...), sandbox.Own(a.State()...)}
	return &host.Sandbox{Confine: b.confine, Writable: b.writable}, nil
}

// commands returns how the host starts agents' commands.
func commands() host.Commands {
	return host.Commands{Environ: commandEnviron(), Attended: os.Environ()}
}

// starting returns how to start an agent that works in a place.
func (s *Setup) starting(a agents.Agent, p Directories) (acpclient.AgentCommand, error) {
	box, err := s.confined()
	if err != nil {
		return acpclient.AgentCommand{}, err
	}
	cmd, err := s.program(a, p)
	if err == nil && box != nil {
		roots := append([]string{p.Cwd}, p.Roots...)
		err = box.Wrap(cmd, roots, sandbox.Own(a.State()...), commitPlaces(roots)...)
	}
	if err != nil {
		return acpclient.AgentCommand{}, err
	}
	start := acpclient.AgentCommand{Path: cmd.Path, Args: cmd.Args[1:], Env: cmd.Env, Dir: cmd.Dir}
	for there, here := range a.Paths {
		if here == "." {
			here = p.Cwd
		}
		start.Paths = append(start.Paths, transport.PathMap{There: there, Here: here})
	}
	return start, nil
}

// serving returns the command and environment with which `parley serve` starts agents. They work in
// the current directory and in dirs.
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
	place, err := NewDirectories("", dirs)
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
