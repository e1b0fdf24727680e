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
	"parley/terminal"
)

// Opening says which session to open. The zero value is a new one.
type Opening struct {
	None     bool   // no session: they are opened later
	Resume   string // the agent's id of a session, or its title
	Continue bool   // the newest of the directory

	// Known are the sessions that are known of an agent which lists none; nil: none.
	Known func() ([]event.Listed, error)
	// Told is told that one of these is opened, and what could not be set; may be nil.
	Told func(string)

	// Record is the log of the connection before, which goes on; nil: another one.
	Record *Record

	// Settings are applied to the session that is opened, if Watch was called.
	Settings []headless.Setting
	offers   *offers
}

// Open opens a session as asked. An error that the session is not there matches
// headless.ErrNoSession.
func (o Opening) Open(ctx context.Context, client *acpclient.Client, n acpclient.NewSession) (*acpclient.Session, error) {
	s, err := o.open(ctx, client, n)
	if s != nil && err == nil && o.offers != nil {
		o.set(ctx, s)
	}
	return s, err
}

func (o Opening) open(ctx context.Context, client *acpclient.Client, n acpclient.NewSession) (*acpclient.Session, error) {
	switch {
	case o.None:
		return nil, nil
	case o.Continue:
		kept, err := o.sessions(ctx, client, n.Cwd)
		if err != nil {
			return nil, err
		}
		kept = slices.DeleteFunc(kept, func(l event.Listed) bool { return !sameDir(l.Cwd, n.Cwd) })
		if len(kept) == 0 {
			if !client.Agent().List {
				return nil, fmt.Errorf("%w: %s does not list sessions, and parley's logs have none in %s", headless.ErrNoSession, agentName(client), n.Cwd)
			}
			return nil, fmt.Errorf("%w: the agent has none in %s", headless.ErrNoSession, n.Cwd)
		}
		newest := slices.MaxFunc(kept, func(a, b event.Listed) int { return a.Updated.Compare(b.Updated) })
		o.tell(client, newest)
		return reopen(ctx, client, newest, n)
	case o.Resume != "":
		return reopen(ctx, client, o.named(ctx, client), n)
	}
	return client.NewSession(ctx, n)
}

// sessions are those that the agent lists, of a directory or with "" of all; of one that
// can open sessions again and lists none, those that parley knows.
func (o Opening) sessions(ctx context.Context, client *acpclient.Client, dir string) ([]event.Listed, error) {
	switch info := client.Agent(); {
	case info.List:
		return client.ListSessions(ctx, dir)
	case !info.LoadSession && !info.Resume:
		return nil, fmt.Errorf("%w: %s cannot resume sessions", headless.ErrNoSession, agentName(client))
	case o.Known == nil:
		return nil, nil
	}
	return o.Known()
}

// tell says where the session was found that is about to be opened, where that is not
// the agent's own list.
func (o Opening) tell(client *acpclient.Client, l event.Listed) {
	if !client.Agent().List && o.Told != nil {
		o.Told(fmt.Sprintf("%s does not list sessions; opening %q from parley's logs", agentName(client), cmp.Or(l.Title, safetext.Line(l.ID, 80))))
	}
}

// agentName is what an agent calls itself.
func agentName(client *acpclient.Client) string {
	info := client.Agent()
	return cmp.Or(info.Title, info.Name, "the agent")
}

// named finds the session by its id, or else by its title. What is not listed is
// taken for an id: the agent knows best.
func (o Opening) named(ctx context.Context, client *acpclient.Client) event.Listed {
	kept, _ := o.sessions(ctx, client, "")
	for _, same := range []func(event.Listed) bool{
		func(l event.Listed) bool { return l.ID == o.Resume },
		func(l event.Listed) bool { return strings.EqualFold(l.Title, o.Resume) },
	} {
		if i := slices.IndexFunc(kept, same); i >= 0 {
			if kept[i].ID != o.Resume {
				o.tell(client, kept[i])
			}
			return kept[i]
		}
	}
	return event.Listed{ID: o.Resume}
}

// sameDir tells whether two paths are one directory: agents resolve links.
func sameDir(a, b string) bool {
	if a == b {
		return true
	}
	ra, errA := filepath.EvalSymlinks(a)
	rb, errB := filepath.EvalSymlinks(b)
	return errA == nil && errB == nil && ra == rb
}

// within tells whether a directory is another one or lies in it, links resolved.
func within(dir, root string) bool {
	resolved, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return dir == root // the agent will say what is wrong with it
	}
	if root, err = filepath.EvalSymlinks(root); err != nil {
		return false
	}
	rel, err := filepath.Rel(root, resolved)
	return err == nil && filepath.IsLocal(rel)
}

// reopen loads a session where the agent can replay it, else goes on without.
// A session is opened in the directory it belongs to; where that is another one
// than the user's, it has to be named: what the agent may read follows from it.
func reopen(ctx context.Context, client *acpclient.Client, l event.Listed, n acpclient.NewSession) (*acpclient.Session, error) {
	id := l.ID
	if l.Cwd != "" {
		if !within(l.Cwd, n.Cwd) {
			dir := safetext.Line(l.Cwd, 300)
			return nil, fmt.Errorf("%w here: it belongs to %s; add --cwd %s", headless.ErrNoSession, dir, dir)
		}
		n.Cwd = l.Cwd // spelt as the agent does
	}
	var s *acpclient.Session
	var err error
	switch info := client.Agent(); {
	case info.LoadSession:
		s, err = client.LoadSession(ctx, id, n)
	case info.Resume:
		s, err = client.ResumeSession(ctx, id, n)
	default:
		return nil, fmt.Errorf("%w: %s cannot resume sessions", headless.ErrNoSession, agentName(client))
	}
	var answered *event.AgentError
	if errors.As(err, &answered) && !answered.AuthRequired() {
		// Agents word it differently and disagree about the code.
		return nil, fmt.Errorf("%w: %w", headless.ErrNoSession, err)
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

// Run hides that of the program.
func (c atTerminal) Run() error { return c.run(c.Cmd) }

// logsIn is a program of a login, called line. It is ended with ctx.
func logsIn(ctx context.Context, cmd *exec.Cmd, line string) atTerminal {
	return atTerminal{cmd, func(cmd *exec.Cmd) error { return keyboard.Run(ctx, cmd, line) }}
}

// LoginCommand is the agent's command with what a login of type "terminal" adds
// to it, to be run in the real terminal until ctx ends. The method can never name another command. It
// runs outside the sandbox: it is the user who logs in.
func (s *Setup) LoginCommand(ctx context.Context, a agents.Agent, method event.AuthMethod, place Place) TerminalCommand {
	cmd, err := s.program(a, place)
	cmd.Err = err // which Run returns
	cmd.Args = append(cmd.Args, method.Args...)
	for _, e := range method.Env {
		cmd.Env = append(cmd.Env, e.Name+"="+e.Value)
	}
	return logsIn(ctx, cmd, terminal.WordsLine(terminal.Command{Command: a.Command, Args: append(slices.Clone(a.Args), method.Args...)}))
}
