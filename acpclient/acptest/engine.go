package acptest

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"parley/acpclient"
	"parley/acpclient/event"
)

// Result is the outcome of a script.
type Result struct {
	Events         []event.Event // as posted
	Lines          []string      // the events, questions and errors, one line each
	ClientMessages [][]byte      // what the client sent
	AgentMessages  [][]byte      // what the agent sent
	Log            []string      // the lines of the client's log
	Tapped         []Tapped      // what a tap saw, until the connection was closed
}

// Tapped is a message as acpclient.Tap sees it.
type Tapped struct {
	At   time.Time
	Out  bool
	N    uint64
	Data []byte
}

// Run plays the script of an archive to the engine, in its own synctest bubble, with
// services that do not touch this machine. The file "services" of the archive can leave
// some out: "without fs", "without terminals", "without permissions". The agent can read
// the files named fs/….
func Run(t *testing.T, archive *Archive) *Result {
	t.Helper()
	r := &Result{}
	synctest.Test(t, func(t *testing.T) {
		u := newEngineUser(New(t, archive), archive)
		if err := u.agent.play(u); err != nil {
			t.Error(err)
		}
		u.finish(r)
	})
	return r
}

// engineUser is a user of the bare engine, who does what a script says. act must not wait
// for the agent: the script continues only after it has returned. The verbs:
//
//	connect                starts the handshake
//	new DIR +ROOT mcp:TYPE:NAME   opens a session; all parts are optional
//	load ID DIR +ROOT …    opens a stored session with its history
//	resume ID DIR +ROOT …  opens a stored session without its history
//	fork ID DIR +ROOT …    copies a stored session into a new one
//	list DIR               lists the stored sessions, all or those of DIR
//	delete ID              deletes a stored session
//	switch ID              makes an open session the current one
//	close                  closes the session
//	login METHOD           logs in
//	logout                 logs out
//	mode ID                switches the session's mode
//	option ID VALUE        changes an option; true and false are booleans
//	giveup                 cancels the call that is waited for
//	attach URI NAME        adds a link to the next prompt
//	embed URI TEXT         adds a resource with its text
//	image TYPE DATA        adds an image of that MIME type
//	prompt TEXT            sends a prompt; TEXT may be quoted as in Go
//	cancel                 stops the turn
//	answer OPTION          answers the oldest open question; a quoted OPTION
//	                       may hold anything, and "for TOOL" may follow it
//	answer cancel          dismisses it
//	quit                   closes the connection
//	wait                   does nothing
//
// The current session is the one opened or switched to last.
type engineUser struct {
	agent    *Agent
	services services
	ctx      context.Context // of calls that wait for the agent
	giveUp   context.CancelFunc
	log      *event.Log
	waiting  sync.WaitGroup
	links    []event.Block // of the next prompt

	mu       sync.Mutex
	client   *acpclient.Client
	sessions []*acpclient.Session // the current one is the last
	events   []event.Event
	lines    []string
	tapped   []Tapped
	ended    [][]string // results of calls, until all goroutines are idle
}

func newEngineUser(a *Agent, archive *Archive) *engineUser {
	u := &engineUser{agent: a, log: event.NewLog()}
	u.ctx, u.giveUp = context.WithCancel(context.Background())
	u.services = newServices(archive, u.note)
	return u
}

// Post implements event.Sink.
func (u *engineUser) Post(e event.Event) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.events = append(u.events, e)
	u.lines = append(u.lines, Line(e))
}

func (u *engineUser) tap(out bool, n uint64, data []byte) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.tapped = append(u.tapped, Tapped{time.Now(), out, n, slices.Clone(data)})
}

// note adds a line that is not an event.
func (u *engineUser) note(format string, args ...any) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.lines = append(u.lines, fmt.Sprintf(format, args...))
}

// outcome adds lines with the result of one of the user's calls. They follow the events
// of the same line of the script, in whatever order the goroutines run.
func (u *engineUser) outcome(lines ...string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.ended = append(u.ended, lines)
}

// idle is called after every line of the script, when all goroutines are idle.
func (u *engineUser) idle() {
	u.mu.Lock()
	defer u.mu.Unlock()
	slices.SortFunc(u.ended, slices.Compare[[]string])
	for _, lines := range u.ended {
		u.lines = append(u.lines, lines...)
	}
	u.ended = nil
}

// act does one verb.
func (u *engineUser) act(session, verb, arg string) error {
	switch verb {
	case "connect":
		u.start(u.connect)
	case "giveup":
		u.giveUp()
		u.ctx, u.giveUp = context.WithCancel(context.Background())
	case "answer":
		return u.services.questions.answer(arg)
	case "quit":
		return u.client.Close()
	case "wait":
	default:
		if act := connectionVerbs[verb]; act != nil {
			ctx := u.ctx
			u.start(func() { act(u, ctx, arg) })
			return nil
		}
		s := u.session(session)
		if verb == "switch" {
			s = u.session(arg)
		}
		if s == nil {
			return fmt.Errorf("there is no session %q", session)
		}
		return u.inSession(s, verb, arg)
	}
	return nil
}

// inSession runs the verbs that need a session.
func (u *engineUser) inSession(s *acpclient.Session, verb, arg string) error {
	switch verb {
	case "switch":
		u.opened(s)
	case "attach":
		uri, name, _ := strings.Cut(arg, " ")
		u.links = append(u.links, event.Block{URI: uri, Name: name})
	case "embed":
		uri, text, _ := strings.Cut(arg, " ")
		u.links = append(u.links, event.Block{URI: uri, Content: &text})
	case "image":
		mime, data, _ := strings.Cut(arg, " ")
		u.links = append(u.links, event.Block{Image: []byte(data), MimeType: mime})
	case "prompt":
		if text, err := strconv.Unquote(arg); err == nil {
			arg = text
		}
		blocks := append([]event.Block{{Text: arg}}, u.links...)
		u.links = nil
		if err := s.Prompt(blocks...); err != nil {
			u.report("prompt", err)
		}
	case "cancel":
		s.Cancel()
	default:
		act := sessionVerbs[verb]
		if act == nil {
			return fmt.Errorf("the user cannot %q", verb)
		}
		ctx := u.ctx
		u.start(func() {
			u.report(verb, act(u, ctx, s, arg))
		})
	}
	return nil
}

// start runs a call that waits for the agent.
func (u *engineUser) start(f func()) { u.waiting.Go(f) }

func (u *engineUser) connect() {
	c, err := acpclient.Connect(u.ctx, u.agent.Conn(), acpclient.Options{Name: "parley", Version: "0", Sink: u, Log: u.log, Services: u.services.offered(), Tap: u.tap})
	u.mu.Lock()
	u.client = c
	u.mu.Unlock()
	if err != nil {
		u.report("connect", err)
		return
	}
	u.outcome("agent " + fields(c.Agent()))
}

// session returns the session with this id, the latest for "".
func (u *engineUser) session(id string) *acpclient.Session {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, s := range slices.Backward(u.sessions) {
		if id == "" || s.ID() == id {
			return s
		}
	}
	return nil
}

// finish closes everything and collects the results.
func (u *engineUser) finish(r *Result) {
	synctest.Wait()
	u.idle()
	u.mu.Lock()
	r.Events, r.Lines = slices.Clone(u.events), sortSettled(slices.Clone(u.lines))
	r.Tapped = slices.Clone(u.tapped)
	c := u.client
	u.mu.Unlock()
	r.ClientMessages, r.AgentMessages = u.agent.ClientMessages(), u.agent.AgentMessages()
	lines, _ := u.log.Lines()
	for _, l := range lines {
		r.Log = append(r.Log, string(l.Source)+": "+l.Text)
	}
	u.giveUp()
	if c != nil {
		c.Close()
	}
	u.agent.conn.Close()
	u.waiting.Wait()
}

// sortSettled sorts questions that were settled at the same time: each is answered on
// its own goroutine.
func sortSettled(lines []string) []string {
	settled := func(l string) bool { return strings.Contains(l, " PermissionAnswered ") }
	for i := 0; i < len(lines); i++ {
		end := i
		for end < len(lines) && settled(lines[end]) {
			end++
		}
		slices.Sort(lines[i:end])
		i = max(i, end-1)
	}
	return lines
}
