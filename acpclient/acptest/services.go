package acptest

import (
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"sync"

	"parley/acpclient"
	"parley/acpclient/wire"
)

// services are the services of a script. They do not touch this machine.
type services struct {
	without   string
	questions *questions
	files     *files
	terminals *terminals
}

func newServices(archive *Archive, note func(string, ...any)) services {
	s := services{without: string(archive.File("services")), questions: &questions{note: note},
		files: &files{note: note, texts: map[string]string{}}, terminals: &terminals{}}
	for _, f := range archive.Files {
		if name, ok := strings.CutPrefix(f.Name, "fs/"); ok {
			s.files.texts["/"+name] = string(f.Data)
		}
	}
	return s
}

func (s services) offered() acpclient.Services {
	var out acpclient.Services
	if !strings.Contains(s.without, "without fs") {
		out.FS = s.files
	}
	if !strings.Contains(s.without, "without terminals") {
		out.Terminals = s.terminals
	}
	if !strings.Contains(s.without, "without permissions") {
		out.Permissions = s.questions
	}
	return out
}

// questions implements acpclient.Permissions. The script gives the answers.
type questions struct {
	note func(string, ...any)

	mu   sync.Mutex
	last uint64
	open []*question
}

type question struct {
	key     uint64
	session string
	tool    string
	options []string
	done    chan acpclient.Decision // holds one
}

func (qs *questions) Ask(q acpclient.Question) acpclient.PendingQuestion {
	qs.mu.Lock()
	defer qs.mu.Unlock()
	qs.last++
	a := &question{key: qs.last, session: q.Session, tool: q.Tool.ID, done: make(chan acpclient.Decision, 1)}
	for _, o := range q.Options {
		a.options = append(a.options, o.ID)
	}
	qs.open = append(qs.open, a)
	qs.note("? %s %d %s", q.Session, a.key, fields(struct {
		Subagent string
		Tool     wire.ToolCall
		Options  []wire.PermissionOption
	}{q.Subagent, q.Tool, q.Options}))
	return a
}

func (qs *questions) CancelSession(session string) {
	qs.mu.Lock()
	defer qs.mu.Unlock()
	qs.open = slices.DeleteFunc(qs.open, func(q *question) bool {
		if q.session == session {
			q.resolve(acpclient.Decision{Cancelled: true})
		}
		return q.session == session
	})
}

// answer runs "user answer".
func (qs *questions) answer(arg string) error {
	option, tool, _ := strings.Cut(arg, " for ")
	dismiss := option == "cancel"
	if s, err := strconv.Unquote(option); err == nil {
		option = s
	}
	qs.mu.Lock()
	defer qs.mu.Unlock()
	for i, q := range qs.open {
		if tool != "" && q.tool != tool {
			continue
		}
		if !dismiss && !slices.Contains(q.options, option) {
			return fmt.Errorf("%q is none of %q", option, q.options)
		}
		qs.open = slices.Delete(qs.open, i, i+1)
		q.resolve(acpclient.Decision{OptionID: option, Cancelled: dismiss, By: "you"})
		return nil
	}
	return fmt.Errorf("no question is open for %q", arg)
}

func (q *question) resolve(d acpclient.Decision) { q.done <- d }

func (q *question) Key() uint64 { return q.key }

func (q *question) Judge() {}

func (q *question) Wait(ctx context.Context) acpclient.Decision {
	select {
	case d := <-q.done:
		return d
	case <-ctx.Done():
		return acpclient.Decision{Cancelled: true}
	}
}

// files implements acpclient.FS with a map. Paths below /refused are refused.
type files struct {
	note func(string, ...any)

	mu    sync.Mutex
	texts map[string]string
}

func (f *files) ReadTextFile(r wire.ReadTextFileRequest) func(context.Context) (string, error) {
	return func(context.Context) (string, error) {
		f.mu.Lock()
		defer f.mu.Unlock()
		text, ok := f.texts[r.Path]
		if !ok {
			return "", fmt.Errorf("read %s: %w", r.Path, fs.ErrNotExist)
		}
		return text, nil
	}
}

func (f *files) WriteTextFile(r wire.WriteTextFileRequest) func(context.Context) error {
	return func(context.Context) error {
		if strings.HasPrefix(r.Path, "/refused/") {
			return fmt.Errorf("the user did not allow it: writing %s", r.Path)
		}
		f.mu.Lock()
		defer f.mu.Unlock()
		f.texts[r.Path] = r.Content
		f.note("file %s %q", r.Path, r.Content)
		return nil
	}
}

// terminals implements acpclient.Terminals without commands: they run until they are
// killed, and their output is their name.
type terminals struct {
	mu      sync.Mutex
	running []*command // by id: t1, t2, …; nil once released
}

type command struct {
	name  string
	ended chan struct{}
}

var errNoTerminal = fmt.Errorf("no such terminal: %w", fs.ErrInvalid)

func (ts *terminals) Create(r wire.CreateTerminalRequest) func(context.Context) (string, error) {
	return func(context.Context) (string, error) {
		ts.mu.Lock()
		defer ts.mu.Unlock()
		ts.running = append(ts.running, &command{r.Command, make(chan struct{})})
		return fmt.Sprintf("t%d", len(ts.running)), nil
	}
}

func (ts *terminals) find(r wire.TerminalRef) (*command, error) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	for i, c := range ts.running {
		if c != nil && r.TerminalID == fmt.Sprintf("t%d", i+1) {
			return c, nil
		}
	}
	return nil, errNoTerminal
}

func (c *command) status() *wire.ExitStatus {
	select {
	case <-c.ended:
		signal := "SIGKILL"
		return &wire.ExitStatus{Signal: &signal}
	default:
		return nil
	}
}

func (ts *terminals) Output(r wire.TerminalRef) (wire.TerminalOutputResponse, error) {
	c, err := ts.find(r)
	if err != nil {
		return wire.TerminalOutputResponse{}, err
	}
	return wire.TerminalOutputResponse{Output: c.name + "\n", ExitStatus: c.status()}, nil
}

func (ts *terminals) WaitForExit(ctx context.Context, r wire.TerminalRef) (wire.ExitStatus, error) {
	c, err := ts.find(r)
	if err != nil {
		return wire.ExitStatus{}, err
	}
	select {
	case <-c.ended:
		return *c.status(), nil
	case <-ctx.Done():
		return wire.ExitStatus{}, ctx.Err()
	}
}

func (ts *terminals) Kill(r wire.TerminalRef) error {
	c, err := ts.find(r)
	if err == nil && c.status() == nil {
		close(c.ended)
	}
	return err
}

func (ts *terminals) Release(r wire.TerminalRef) error {
	if err := ts.Kill(r); err != nil {
		return err
	}
	ts.mu.Lock()
	defer ts.mu.Unlock()
	for i := range ts.running {
		if r.TerminalID == fmt.Sprintf("t%d", i+1) {
			ts.running[i] = nil
		}
	}
	return nil
}
