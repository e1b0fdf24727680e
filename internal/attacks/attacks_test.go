//go:build unix

package attacks

import (
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"parley/acpclient"
	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/internal/decoy"
	"parley/internal/host"
	"parley/internal/must"
	"parley/internal/seeds"
	"parley/internal/tty"
	"parley/permissions"
	"parley/ui/theme"
	"parley/ui/transcript"
)

// patience bounds every wait; only a failing test uses it up.
const patience = 30 * time.Second

// stage is parley without its screen, connected to a hostile agent.
type stage struct {
	t       *testing.T
	place   place
	attack  *attack
	agent   *agent
	host    *host.Host
	queue   *event.Queue
	log     *event.Log
	client  *acpclient.Client
	session *acpclient.Session

	thread   *thread.Thread
	view     *transcript.View
	open     []permissions.Question
	asks     int
	openable int // number of pages that could be opened
	calls    map[string]int
	drains   int      // number of calls of drain
	tools    net.Conn // connection to parley's tools
}

func TestAttacks(t *testing.T) {
	paths, err := filepath.Glob(attackDir + "/*.txtar")
	if err != nil || len(paths) < 50 {
		t.Fatalf("found %d attacks: %v", len(paths), err)
	}
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".txtar")
		t.Run(name, func(t *testing.T) {
			a := must.Get(readAttack(path))(t)
			switch {
			case !a.measures():
				t.Parallel()
			case seeds.Raced:
				t.Skip("the race detector needs memory of its own, and most of the time of all tests")
			case !alone(t):
				return
			}
			play(t, a)
		})
	}
}

// measures reports whether the attack checks memory, so that nothing else may run in the process.
func (a *attack) measures() bool {
	for _, l := range a.checks {
		if strings.HasPrefix(l, "keeps below ") {
			return true
		}
	}
	return false
}

func play(t *testing.T, a *attack) {
	s := &stage{t: t, attack: a, place: newPlace(t, a), queue: event.NewQueue(), log: event.NewLog(), thread: thread.New("s1"), calls: map[string]int{}}
	s.begin()
	decoy.Guard(t, s.place.out)
	decoy.Guard(t, os.Getenv("HOME"))
	before := must.Get(decoy.Tree(filepath.Dir(s.place.in)))(t)
	used := heap()
	for _, line := range a.script {
		if err := s.step(line); err != nil {
			t.Fatalf("%s: %v\nthe log:\n%s", clip(line), err, s.logged())
		}
	}
	s.drain()
	s.rejectRest()
	for _, wrong := range s.repliedOnce() {
		t.Errorf("call %s", wrong)
	}
	if !s.closed() {
		s.agent.mu.Lock()
		waiting := len(s.agent.prompts) > 0
		s.agent.mu.Unlock()
		waiting = waiting || s.agent.v2 && s.session.Running()
		if waiting {
			if err := s.agent.endTurn(`"result":{"stopReason":"end_turn"}`); err != nil {
				t.Error(err)
			}
		}
		if !s.waitUntil(func() bool { return !s.session.Running() }) {
			t.Error("the turn does not end")
		}
	}
	s.applyEvents()
	s.checkScreen()
	for _, line := range a.checks {
		if err := s.check(line, before, used); err != nil {
			t.Errorf("%s: got %v", clip(line), err)
		}
	}
	s.checkScreen()
}

// begin starts the agent, opens a session and sends a prompt.
func (s *stage) begin() {
	s.agent = newAgent(s.t, s.place.in)
	protocol := strings.TrimSpace(string(s.attack.archive.File("protocol")))
	if s.agent.v2 = protocol == "2"; s.agent.v2 {
		s.agent.hello = helloV2
	}
	if hello := s.attack.archive.File("hello"); hello != nil {
		s.agent.hello = s.expand(strings.TrimSpace(string(hello)))
	}
	s.agent.session = s.expand(strings.TrimSpace(string(s.attack.archive.File("session"))))
	s.host = host.New(host.Options{Sink: s.queue, Agent: "hostile", Log: s.log})
	s.t.Cleanup(s.host.Close)
	services := s.host.Services()
	if s.agent.v2 {
		services = s.addTools(services)
	}
	var err error
	s.client, err = acpclient.Launch(s.t.Context(), s.agent.command, acpclient.Options{Name: "parley", Version: "test", Sink: s.queue, Protocol: protocol, Services: services, Log: s.log, Elicit: true})
	if err != nil {
		s.t.Fatalf("%v\nthe log:\n%s", err, s.logged())
	}
	s.t.Cleanup(func() { s.client.Close() })
	if s.session, err = s.client.NewSession(s.t.Context(), acpclient.NewSession{Cwd: s.place.in}); err != nil {
		s.t.Fatal(err)
	}
	s.view = transcript.New(s.thread, s.place.in, theme.For("plain", tty.Colours{Dark: true}))
	s.view.SetSize(80, 24)
	must.Do(s.t, s.session.Prompt(event.Block{Text: "go"}))
	if !s.waitUntil(func() bool { s.agent.mu.Lock(); defer s.agent.mu.Unlock(); return len(s.agent.prompts) > 0 }) {
		s.t.Fatal("the prompt does not arrive")
	}
	if s.agent.v2 {
		must.Do(s.t, s.agent.insert())
	}
}

// applyEvents applies new events to the thread and draws the transcript.
func (s *stage) applyEvents() {
	events := s.queue.Drain()
	for _, e := range events {
		s.inspect(e)
		switch e := e.(type) {
		case permissions.Asked:
			s.asks++
			s.onAsked(e.Question)
		case permissions.Settled:
			for i, q := range s.open {
				if q.Key == e.Key {
					s.open = append(s.open[:i:i], s.open[i+1:]...)
					break
				}
			}
		case event.ElicitationAsked:
			s.checkLink(e.URL)
			e.Answer(event.ElicitationAnswer{Action: "decline"})
		}
		if e.EventSession() == "s1" || e.EventSession() == "" {
			s.view.Changed(s.thread.Apply(e))
		}
	}
	if len(events) > 0 {
		s.view.Rows()
	}
}

// onAsked answers a question as the user of this attack does.
func (s *stage) onAsked(q permissions.Question) {
	s.inspectQuestion(q)
	switch s.attack.user {
	case "rejects":
		s.host.Broker().Reject(q.Key)
	case "allows":
		for _, o := range q.Options {
			if o.Kind == permissions.AllowOnce {
				s.host.Broker().Answer(q.Key, o.ID)
				return
			}
		}
		s.host.Broker().Reject(q.Key)
	default:
		s.open = append(s.open, q)
	}
}

// rejectRest rejects all open questions.
func (s *stage) rejectRest() {
	for len(s.open) > 0 {
		s.answers("rejects")
	}
}

func (s *stage) expand(text string) string { return s.place.expand(text) }

// heap returns the memory in use after garbage collection.
func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func clip(s string) string { return s[:min(len(s), 120)] }
