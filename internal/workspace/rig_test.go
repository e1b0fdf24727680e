package workspace_test

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"parley/internal/fakeagent"
	"parley/internal/workspace"
)

// rig is a front end in a bubble with its own clock, and the agents that it may start.
type rig struct {
	*testing.T
	fakeagent.Dialer
	w      *workspace.Workspace
	opts   workspace.Options
	script map[string]*fakeagent.Script // by agent name; "fake" exists
	change func(*workspace.Connection)  // completes each connection; may be nil

	results  chan workspace.Result
	arrived  []workspace.Result // not yet passed to Done
	pick     func(n int) int    // which of these comes next; nil: the first
	news     []string           // not checked yet
	all      []string           // all news
	hear     func(workspace.News)
	returned []string // prompts that were returned, not sent, or in a removed session

	mu    sync.Mutex
	open  int // connections not closed yet
	tasks int // running tasks
}

var (
	local = workspace.Spec{Name: "fake", Command: "fake --acp"}
	other = workspace.Spec{Name: "other", Command: "other --acp"}
	far   = workspace.Spec{Name: "fake", Command: "wss://far.example.org/acp", Remote: true}
	// shared is far with access to the files of this machine.
	shared = workspace.Spec{Name: "fake", Command: far.Command, Remote: true, Shared: true}
)

// with runs a test in a bubble. At its end everything must have ended.
func with(t *testing.T, change func(*rig), f func(*rig)) {
	t.Helper()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, dir)
		if change != nil {
			change(r)
		}
		r.w = workspace.New(r.opts)
		f(r)
		r.close()
	})
}

func newRig(t *testing.T, dir string) *rig {
	r := &rig{T: t, results: make(chan workspace.Result, 10_000), script: map[string]*fakeagent.Script{"fake": {}, "other": {}}}
	r.Cwd, r.Script, r.Change = dir, func(name string) *fakeagent.Script { return r.script[name] }, r.counted
	r.opts = workspace.Options{Cwd: dir, Connect: r.Connect, Redial: r.Redial, Agents: []workspace.Spec{local, other}}
	return r
}

// each runs a test with agents of both versions of the protocol.
func each(t *testing.T, change func(*rig), f func(*rig)) {
	for _, version := range []string{"1", "2"} {
		t.Run("version "+version, func(t *testing.T) {
			with(t, func(r *rig) {
				r.fake().Protocol = version
				if change != nil {
					change(r)
				}
			}, f)
		})
	}
}

func (r *rig) fake() *fakeagent.Script { return r.script["fake"] }

// counted counts a connection as open until it is closed, which must happen once.
func (r *rig) counted(conn *workspace.Connection) {
	r.count(&r.open, 1)
	conn.Machine = &countedMachine{conn.Machine, r, 0}
	if r.change != nil {
		r.change(conn)
	}
}

type countedMachine struct {
	workspace.Machine
	r      *rig
	closed int
}

func (m *countedMachine) Close() {
	if m.r.count(&m.closed, 1) > 1 {
		m.r.Error("a connection is closed twice")
		return
	}
	m.Machine.Close()
	m.r.count(&m.r.open, -1)
}

func (r *rig) count(n *int, by int) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	*n += by
	return *n
}

// lose ends the newest connection from the agent's side.
func (r *rig) lose() {
	r.Agent().Close()
	r.settle()
}

// redialNow redials as soon as the loss of the last connection is known, before any response
// from it.
func (r *rig) redialNow(a *workspace.Agent) {
	for a.Live() && r.step() {
	}
	a.Redial()
}

// step runs the tasks, handles the news and passes on one result. It returns false if there
// was nothing to do.
func (r *rig) step() bool {
	r.run()
	if len(r.arrived) == 0 {
		return false
	}
	i := 0
	if r.pick != nil {
		i = r.pick(len(r.arrived))
	}
	if res := r.arrived[i]; !r.w.Done(res) {
		r.arrived = slices.Delete(r.arrived, i, i+1)
	}
	return true
}

// run runs the tasks and handles the news. Results that arrive are not passed on.
func (r *rig) run() {
	for _, task := range r.w.Tasks() {
		r.count(&r.tasks, 1)
		go func() {
			res := task()
			r.count(&r.tasks, -1)
			r.results <- res
		}()
	}
	for n, ok := r.w.TakeNews(); ok; n, ok = r.w.TakeNews() {
		r.onNews(n)
	}
	synctest.Wait()
	for range len(r.results) {
		if res := <-r.results; res != nil {
			r.arrived = append(r.arrived, res)
		}
	}
}

// settle does everything that happens without the passage of time.
func (r *rig) settle() {
	for r.step() {
	}
}

// pass lets time pass.
func (r *rig) pass(d time.Duration) {
	r.settle()
	for end := time.After(d); ; {
		select {
		case res := <-r.results:
			if res != nil {
				r.arrived = append(r.arrived, res)
			}
			r.settle()
		case <-end:
			r.settle()
			return
		}
	}
}

// onNews handles a piece of news like a front end that collects returned prompts in one list.
func (r *rig) onNews(n workspace.News) {
	switch n := n.(type) {
	case workspace.SessionRemoved:
		r.returned = append(r.returned, n.Session.Prompts.Queue.Texts()...)
	case workspace.PromptNotSent:
		r.returned = append(r.returned, n.Text)
	case workspace.PromptReturned:
		r.returned = append(r.returned, n.Text)
	case workspace.Reconnected: // this front end does not ask its user
		if !n.Session.Prompts.Queue.Paused() {
			n.Session.Prompts.Resume()
		}
	}
	if line := describe(n); line != "" {
		r.news = append(r.news, line)
		r.all = append(r.all, line)
	}
	if r.hear != nil {
		r.hear(n)
	}
}

// describe returns a piece of news as a line, "" for news that every event causes.
func describe(n workspace.News) string {
	line := strings.TrimPrefix(fmt.Sprintf("%T", n), "workspace.")
	because := func(err error) {
		if err != nil {
			line += ": " + err.Error()
		}
	}
	flag := func(set bool, name string) {
		if set {
			line += ", " + name
		}
	}
	of := func(s *workspace.Session) {
		id := s.Thread.Session
		if id == "" {
			id = "-"
		}
		line += " " + id
	}
	switch n := n.(type) {
	case workspace.EventApplied, workspace.ItemsChanged:
		return ""
	case workspace.AgentStarted:
		of(n.Session)
		flag(n.Note != "", n.Note)
	case workspace.AgentNotStarted:
		because(n.Err)
	case workspace.LoginWanted:
		if n.Session != nil {
			of(n.Session)
		}
		because(n.Err)
		flag(n.Again, "again")
		flag(len(n.Said) > 0, strings.Join(n.Said, "|"))
	case workspace.LoggingIn:
		line += " " + n.Agent.Login.Running()
	case workspace.LoginFailed:
		because(n.Err)
		flag(len(n.Said) > 0, strings.Join(n.Said, "|"))
	case workspace.ConnectionLost:
		flag(n.First, "first")
		flag(n.Longer, "longer")
	case workspace.Redialed:
		because(n.Err)
	case workspace.AgentGone:
		because(n.Err)
	case workspace.SessionNotOpened:
		because(n.Err)
		flag(n.Logged != nil, "logged")
	case workspace.SessionShown, workspace.SessionOpened, workspace.SessionRemoved, workspace.Reconnecting, workspace.SessionGone:
		of(n.About())
	case workspace.Reconnected:
		of(n.Session)
		flag(n.Replaced, "replaced")
	case workspace.NotReopened:
		because(n.Err)
	case workspace.StartedOver:
		of(n.Session)
		because(n.Err)
	case workspace.CommandDue:
		line += " " + n.Line
	case workspace.PromptSent:
		line += " " + n.Text
		flag(n.Held, "held")
		flag(len(n.Notes) > 0, strings.Join(n.Notes, "|"))
	case workspace.PromptNotSent:
		line += " " + n.Text
		because(n.Err)
	case workspace.PromptReturned:
		line += " " + n.Text
		flag(n.Withdrawn, "withdrawn")
		flag(n.Dropped, "dropped")
	case workspace.PromptDeferred:
		because(n.Err)
	case workspace.UnreportedFiles:
		line += fmt.Sprint(" ", n.N)
	case workspace.SessionsListed:
		because(n.Err)
	case workspace.Said:
		line += " " + n.Line
	}
	return line
}

// wants compares the news since the last look with lines. A line that ends with … matches any
// news that begins with it.
func (r *rig) wants(lines ...string) {
	r.Helper()
	r.settle()
	got := r.news
	r.news = nil
	same := slices.EqualFunc(got, lines, func(got, want string) bool {
		head, cut := strings.CutSuffix(want, "…")
		return got == want || cut && strings.HasPrefix(got, head)
	})
	if !same {
		r.Errorf("news:\n  %s\nwant:\n  %s", strings.Join(got, "\n  "), strings.Join(lines, "\n  "))
	}
}

// started starts an agent and expects it to connect.
func (r *rig) started(s workspace.Spec) *workspace.Session {
	r.Helper()
	a := r.w.Start(s)
	r.settle()
	r.news = nil
	if !a.Live() || !a.Front().IsOpen() {
		r.Fatalf("%s has not started: %v", s.Name, a.Err())
	}
	return a.Front()
}

// prompt sends prompts.
func (r *rig) prompt(s *workspace.Session, texts ...string) {
	r.Helper()
	for _, text := range texts {
		if err := s.Prompts.Submit(text, s.Prompts.Queue.Len() > 0); err != nil {
			r.Errorf("%s: got %v", text, err)
		}
		r.settle()
	}
}

// got compares the prompts that the agents received over all connections.
func (r *rig) got(want ...string) {
	r.Helper()
	r.settle()
	var got []string
	for _, a := range r.Agents() {
		got = append(got, a.Prompts()...)
	}
	if !slices.Equal(got, want) {
		r.Errorf("the agents were sent %q, want %q", got, want)
	}
}

// waits compares the queued prompts of a session.
func (r *rig) waits(s *workspace.Session, want ...string) {
	r.Helper()
	r.settle()
	if !slices.Equal(s.Prompts.Queue.Texts(), want) {
		r.Errorf("%q wait, want %q", s.Prompts.Queue.Texts(), want)
	}
}

// offers compares the prompts that may not have arrived.
func (r *rig) offers(s *workspace.Session, want ...string) {
	r.Helper()
	r.settle()
	var got []string
	for _, p := range s.Prompts.Unconfirmed {
		got = append(got, p.Draft)
	}
	if !slices.Equal(got, want) {
		r.Errorf("%q are offered, want %q", got, want)
	}
}

// connections compares the number of open connections and of all so far.
func (r *rig) connections(open, ever int) {
	r.Helper()
	r.settle()
	if n, all := r.count(&r.open, 0), len(r.Agents()); n != open || all != ever {
		r.Errorf("%d of %d connections are open, want %d of %d", n, all, open, ever)
	}
}

// says reports whether a session's thread has an item with the text.
func says(s *workspace.Session, text string) bool {
	for _, it := range s.Thread.Items {
		if strings.Contains(string(it.Text), text) {
			return true
		}
	}
	return false
}

// close closes the workspace and expects no task and no connection to be left.
func (r *rig) close() {
	r.w.End()
	r.w.Close()
	for range 3 { // a result may start another task, which ends at once
		r.settle()
		synctest.Wait()
	}
	if n := r.count(&r.open, 0); n != 0 {
		r.Errorf("%d connections were not closed", n)
	}
	if n := r.count(&r.tasks, 0); n != 0 {
		r.Errorf("%d tasks still run", n)
	}
	for i, a := range r.Agents() {
		if !a.Closed() {
			r.Errorf("connection %d has not ended", i+1)
		}
	}
	time.Sleep(time.Minute) // whatever the agents still do
}

var errAway = errors.New("nobody is there")

func TestMain(m *testing.M) {
	time.Local = time.UTC
	os.Exit(m.Run())
}
