package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"parley/acpclient"
	"parley/acpclient/event"
	"parley/internal/agents"
	"parley/internal/headless"
	"parley/internal/keyboard"
	"parley/internal/safetext"
	"parley/internal/workspace"
	"parley/terminal"
)

// Opening says which session to open. The zero value opens a new one.
type Opening struct {
	Agent     agents.Agent
	NoSession bool   // open no session yet
	Resume    string // the agent's id of a session, or its title or the user's name for it
	Continue  bool   // the one of the directory that was used last

	// KnownSessions returns the sessions of the agent that parley's logs know, the last used first. nil means none.
	KnownSessions func() ([]event.StoredSession, error)
	// Retitle puts the user's names in place of the titles of listed sessions. May be nil.
	Retitle func([]event.StoredSession)
	// Opened is called with the outcome of each attempt to open the session. May be nil.
	Opened func(error)
	// Notify is called when a known session is opened, and with settings that failed. May be nil.
	Notify func(string)

	// Record is the log of the previous connection, to be continued; nil starts a new one.
	Record *Record

	// Settings are applied to the opened session if Watch was called.
	Settings []headless.Setting
	offers   *offers
}

// Open opens the session. The error matches event.ErrNoSession if the session does not exist.
func (o Opening) Open(ctx context.Context, client *acpclient.Client, n acpclient.NewSession) (*acpclient.Session, error) {
	s, err := o.open(ctx, client, n)
	if s != nil && err == nil && o.offers != nil {
		o.set(ctx, s)
	}
	if o.Opened != nil {
		o.Opened(err)
	}
	return s, err
}

func (o Opening) open(ctx context.Context, client *acpclient.Client, n acpclient.NewSession) (*acpclient.Session, error) {
	switch {
	case o.NoSession:
		return nil, nil
	case o.Continue:
		listed, err := o.sessions(ctx, client, n.Cwd)
		if err != nil {
			return nil, err
		}
		listed = slices.DeleteFunc(listed, func(l event.StoredSession) bool { return !sameDir(l.Cwd, n.Cwd) })
		if len(listed) == 0 {
			if !client.Agent().List {
				return nil, fmt.Errorf("%w: %s does not list sessions, and parley's logs have none in %s", event.ErrNoSession, o.agentName(client), n.Cwd)
			}
			return nil, fmt.Errorf("%w: %s has none in %s", event.ErrNoSession, o.agentName(client), n.Cwd)
		}
		last := o.lastUsed(listed)
		o.reportSource(client, last)
		return o.reopen(ctx, client, last, n)
	case o.Resume != "":
		return o.reopen(ctx, client, o.named(ctx, client), n)
	}
	return client.NewSession(ctx, n)
}

// lastUsed returns the session that was used last according to parley's logs, else the newest of the
// agent's list: agents date a session by its file, or list a fork after what it was forked from.
func (o Opening) lastUsed(listed []event.StoredSession) event.StoredSession {
	if o.KnownSessions != nil {
		known, _ := o.KnownSessions() // without logs, the agent's list decides
		for _, k := range known {
			if i := slices.IndexFunc(listed, func(l event.StoredSession) bool { return l.ID == k.ID && sameDir(l.Cwd, k.Cwd) }); i >= 0 {
				return listed[i]
			}
		}
	}
	return slices.MaxFunc(listed, func(a, b event.StoredSession) int { return a.Updated.Compare(b.Updated) })
}

// sessions returns the sessions the agent lists for dir, or all with "". For an agent that can open
// sessions but not list them, it returns the sessions known to parley.
func (o Opening) sessions(ctx context.Context, client *acpclient.Client, dir string) ([]event.StoredSession, error) {
	listed, err := o.listed(ctx, client, dir)
	if o.Retitle != nil {
		o.Retitle(listed)
	}
	return listed, err
}

func (o Opening) listed(ctx context.Context, client *acpclient.Client, dir string) ([]event.StoredSession, error) {
	switch info := client.Agent(); {
	case info.List:
		listed, err := client.ListSessions(ctx, dir)
		if errors.Is(err, acpclient.ErrListTooLong) && o.Notify != nil {
			o.Notify(err.Error())
			err = nil
		}
		return listed, err
	case !info.LoadSession && !info.Resume:
		return nil, fmt.Errorf("%w: %s cannot resume sessions, only start new ones", event.ErrNoSession, o.agentName(client))
	case o.KnownSessions == nil:
		return nil, nil
	}
	return o.KnownSessions()
}

// reportSource tells the user that the session was found in parley's logs, not in the agent's list.
func (o Opening) reportSource(client *acpclient.Client, l event.StoredSession) {
	if !client.Agent().List && o.Notify != nil {
		o.Notify(fmt.Sprintf("%s does not list sessions; opening %q from parley's logs", o.agentName(client), cmp.Or(l.Title, safetext.Line(l.ID, 80))))
	}
}

// agentName returns the agent's name for display.
func (o Opening) agentName(client *acpclient.Client) string {
	return o.Agent.DisplayName(client.Agent().Label())
}

// named finds the session by its id, else by its title. A name that is not listed is used as an id,
// because the agent may know more sessions than it lists.
func (o Opening) named(ctx context.Context, client *acpclient.Client) event.StoredSession {
	listed, _ := o.sessions(ctx, client, "")
	for _, same := range []func(event.StoredSession) bool{
		func(l event.StoredSession) bool { return l.ID == o.Resume },
		func(l event.StoredSession) bool { return strings.EqualFold(l.Title, o.Resume) },
	} {
		if i := slices.IndexFunc(listed, same); i >= 0 {
			if listed[i].ID != o.Resume {
				o.reportSource(client, listed[i])
			}
			return listed[i]
		}
	}
	return event.StoredSession{ID: o.Resume}
}

// sameDir reports whether two paths are the same directory. It resolves symlinks, as agents do.
func sameDir(a, b string) bool {
	if a == b {
		return true
	}
	ra, errA := filepath.EvalSymlinks(a)
	rb, errB := filepath.EvalSymlinks(b)
	return errA == nil && errB == nil && ra == rb
}

// within reports whether dir is root or inside it, after resolving symlinks.
func within(dir, root string) bool {
	resolved, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return dir == root // the agent will report what is wrong with it
	}
	if root, err = filepath.EvalSymlinks(root); err != nil {
		return false
	}
	rel, err := filepath.Rel(root, resolved)
	return err == nil && filepath.IsLocal(rel)
}

// reopen loads a session if the agent can replay it, and otherwise resumes it without its history.
// A session is opened in its own directory. If that is outside n.Cwd, the user must name it with
// --cwd, because it determines what the agent may read.
func (o Opening) reopen(ctx context.Context, client *acpclient.Client, l event.StoredSession, n acpclient.NewSession) (*acpclient.Session, error) {
	id := l.ID
	if l.Cwd != "" {
		if !within(l.Cwd, n.Cwd) {
			dir := safetext.Line(l.Cwd, 300)
			return nil, fmt.Errorf("%w here: it belongs to %s; add --cwd %s", event.ErrNoSession, dir, dir)
		}
		n.Cwd = l.Cwd // spelled as the agent does
	}
	running := client.TurnRuns(ctx, id)
	var s *acpclient.Session
	var err error
	switch info := client.Agent(); {
	case info.LoadSession:
		s, err = client.LoadSession(ctx, id, n)
	case info.Resume:
		s, err = client.ResumeSession(ctx, id, n)
	default:
		return nil, fmt.Errorf("%w: %s cannot resume sessions, only start new ones", event.ErrNoSession, o.agentName(client))
	}
	var answered *event.AgentError
	if errors.As(err, &answered) && !answered.AuthRequired() {
		// Agents use different messages and codes for a missing session.
		return nil, fmt.Errorf("%w: %w", event.ErrNoSession, err)
	}
	if err == nil && running && o.Notify != nil {
		o.Notify(workspace.TurnRan)
	}
	return s, err
}

// atTerminal is a program that gets the user's terminal.
type atTerminal struct {
	*exec.Cmd
	run func(*exec.Cmd) error
}

func (c atTerminal) SetStdin(r io.Reader)  { c.Stdin = r }
func (c atTerminal) SetStdout(w io.Writer) { c.Stdout = w }
func (c atTerminal) SetStderr(w io.Writer) { c.Stderr = w }

// Run replaces exec.Cmd.Run.
func (c atTerminal) Run() error { return c.run(c.Cmd) }

// loginProgram makes the program of a login, which gets the user's terminal and is shown to the user as
// line. It ends with ctx.
func loginProgram(ctx context.Context, cmd *exec.Cmd, line string) workspace.LoginCommand {
	var last []string
	return workspace.LoginCommand{LastLines: func() []string { return last }, Command: atTerminal{cmd, func(cmd *exec.Cmd) (err error) {
		last, err = keyboard.RunOnPTY(ctx, cmd, line)
		return err
	}}}
}

// LoginCommand returns the agent's command with the arguments and variables of a login of type
// "terminal", to run in the user's terminal until ctx ends. A method cannot name another command.
// It runs outside the sandbox, because the user runs it.
func (s *Setup) LoginCommand(ctx context.Context, a agents.Agent, method event.AuthMethod, place Directories) workspace.LoginCommand {
	cmd, err := s.program(a, place)
	cmd.Err = err // Run returns it
	cmd.Args = append(cmd.Args, method.Args...)
	for _, e := range method.Env {
		cmd.Env = append(cmd.Env, e.Name+"="+e.Value)
	}
	return loginProgram(ctx, cmd, terminal.WordsLine(terminal.Command{Command: a.Command, Args: append(slices.Clone(a.Args), method.Args...)}))
}
