package workspace_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/acpclient/transport"
	"parley/internal/fakeagent"
	"parley/internal/seeds"
	"parley/internal/workspace"
)

// chaos is a user and agents that act at random until they calm down.
type chaos struct {
	*rig
	user *rand.Rand
	// careful: the user replaces a connection only after all its events were shown, and so
	// sees every prompt that was sent on it.
	careful bool

	typed   map[*workspace.Session][]string // prompts, by the session they were typed in
	texts   []string
	sent    map[string]bool // reported as sent
	removed map[*workspace.Session]bool
	offered []string // in sessions that were removed
	begun   []string // prompts that appeared in a transcript

	sessions int // that agents have opened; guarded by rig.mu

	mu       sync.Mutex
	agent    *rand.Rand     // decides what agents do; guarded by mu
	mood     float64        // how often they do something odd
	calm     bool           // guarded by mu
	denied   map[string]int // how often agents refused each prompt; guarded by mu
	finished map[string]bool
}

// TestAnything has a user and agents act at random. No prompt is lost or sent twice, nothing
// happens to a removed session, and in the end everything works.
func TestAnything(t *testing.T) {
	for seed := range uint64(seeds.Of(1000)) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			dir := t.TempDir()
			synctest.Test(t, func(t *testing.T) { newChaos(t, dir, seed).play() })
		})
	}
}

func newChaos(t *testing.T, dir string, seed uint64) *chaos {
	c := &chaos{rig: newRig(t, dir), user: rand.New(rand.NewPCG(seed, 1)), agent: rand.New(rand.NewPCG(seed, 2)), typed: map[*workspace.Session][]string{},
		sent: map[string]bool{}, removed: map[*workspace.Session]bool{}, denied: map[string]int{}, finished: map[string]bool{}}
	c.careful = seed%2 == 0
	c.mood = [...]float64{0.1, 0.4, 0.8}[seed%3]
	c.pick = func(n int) int { return c.user.IntN(n) }
	c.rig.hear = c.heard
	c.Dial = c.dialed
	reads(c.rig)
	for name, s := range c.script {
		if s.Protocol = []string{"1", "2"}[c.user.IntN(2)]; name == "other" {
			s.Protocol = "1"
		}
		more := [...]string{"", loads, resumes, keeps}[c.user.IntN(4)]
		if s.Protocol == "2" {
			more = logins2
		} else {
			more += logins
		}
		s.Capabilities(more)
		for _, method := range []string{"authenticate", "auth/login", "session/close", "session/delete", "session/list", "auth/logout"} {
			s.On(method, func(k *fakeagent.Call) (string, error) { return c.answer(k, "{}") })
		}
		s.On("session/new", func(k *fakeagent.Call) (string, error) {
			return c.answer(k, fmt.Sprintf(`{"sessionId":"s%d"}`, c.count(&c.sessions, 1)))
		})
		for _, method := range []string{"session/load", "session/resume"} {
			s.On(method, func(k *fakeagent.Call) (string, error) {
				k.Agent.Say(k.ID, "user", "of the history")
				k.Agent.Say(k.ID, "agent", "so it is")
				return c.answer(k, "{}")
			})
		}
		s.Turn(c.turn)
		s.OnPrompt(c.hold)
	}
	c.w = workspace.New(c.opts)
	return c
}

// roll returns a random number below n that decides what an agent does, 0 once all are calm.
func (c *chaos) roll(n int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.calm || c.agent.Float64() > c.mood {
		return 0
	}
	return c.agent.IntN(n)
}

func (c *chaos) dialed(int, workspace.Spec) error {
	switch c.roll(8) {
	case 1:
		time.Sleep(5 * time.Second)
	case 2, 3:
		return &event.LostError{URL: "far", Cause: errAway}
	case 4:
		return &event.LostError{URL: "far", Cause: &transport.StatusError{Status: 401}}
	}
	return nil
}

// answer handles an agent's request at random.
func (c *chaos) answer(k *fakeagent.Call, result string) (string, error) {
	switch c.roll(10) {
	case 1:
		k.Wait(10 * time.Second)
	case 2:
		time.Sleep(3 * time.Second) // it ignores the cancellation
	case 3:
		return "", fakeagent.Errorf(-32603, "not now")
	case 4:
		return "", errWho
	case 5:
		k.Agent.Close()
	case 6:
		k.Wait(20 * time.Minute)
	}
	return result, nil
}

// turn handles an accepted prompt at random.
func (c *chaos) turn(t *fakeagent.Turn) string {
	t.Say("You said: " + t.Text)
	switch c.roll(10) {
	case 1, 2:
		if t.Wait(10 * time.Second) {
			return "cancelled"
		}
	case 3:
		t.WaitThroughStop(time.Minute)
	case 4:
		return ""
	case 5:
		c.deny(t.Text)
		return fakeagent.Login
	case 6:
		t.Agent.Close()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !t.Agent.Closed() {
		c.finished[t.Text] = true
	}
	return "end_turn"
}

func (c *chaos) hold(t *fakeagent.Turn) (string, error) {
	refuse := func(code int) (string, error) {
		c.deny(t.Text)
		return "", fakeagent.Errorf(code, "not this one")
	}
	switch c.roll(10) {
	case 1:
		return refuse(-32602)
	case 2:
		return refuse(-32000)
	case 3, 4:
		if t.MidTurn() {
			return refuse(-32603)
		}
	case 5:
		time.Sleep(time.Second)
	case 6:
		t.Agent.Close()
	}
	return t.AcceptInOrder()
}

func (c *chaos) deny(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.denied[text]++
}

// heard checks that nothing is reported about a removed session.
func (c *chaos) heard(n workspace.News) {
	var of *workspace.Session
	switch n := n.(type) {
	case workspace.PromptSent:
		of, c.sent[n.Text] = n.Session, true
	case workspace.EventApplied:
		of = n.Session
		for _, i := range n.Items {
			if it := of.Thread.Items[i]; it.Kind == thread.UserMessage {
				c.begun = append(c.begun, string(it.Text))
			}
		}
	case workspace.SessionOpened, workspace.Reconnecting, workspace.Reconnected, workspace.SessionGone, workspace.NotReopened,
		workspace.StartedOver, workspace.QueuePaused:
		of = n.About()
	case workspace.LoginWanted:
		of = n.Session
	case workspace.SessionRemoved:
		if of = n.Session; !c.removed[of] {
			c.removed[of] = true
			of = nil
		}
		for _, p := range n.Session.Prompts.Unconfirmed {
			c.offered = append(c.offered, p.Draft)
		}
	}
	if of != nil && c.removed[of] {
		c.Errorf("%T of a session that was removed: %s", n, describe(n))
	}
}

// play has everybody act at random for a while, then only do what works.
func (c *chaos) play() {
	c.w.Start([]workspace.Spec{local, far}[c.user.IntN(2)])
	for range 120 {
		c.wish()
		switch c.user.IntN(4) {
		case 0: // at once
		case 1:
			for range c.user.IntN(4) {
				c.step()
			}
		case 2:
			c.settle()
			c.check()
		case 3:
			c.pass(time.Duration(c.user.IntN(5000)) * time.Millisecond)
			c.check()
		}
		if c.Failed() {
			break
		}
	}
	if c.user.IntN(4) > 0 && !c.Failed() {
		c.settleDown()
		c.check()
	}
	c.close()
	if c.Failed() {
		c.Logf("news:\n%s", strings.Join(c.all, "\n"))
	}
}

// wish performs a random action of the user.
func (c *chaos) wish() {
	k := c.user.IntN(60)
	if c.careful && k >= 30 && (k < 31 || k >= 40 && k < 54) {
		c.settle()
	}
	sessions := c.w.Sessions()
	s := c.w.Front()
	a := s.Agent
	methods := a.Login.Methods()
	switch {
	case k < 24:
		c.types(s)
	case k < 27:
		c.w.Show(sessions[c.user.IntN(len(sessions))])
	case k < 29 && len(sessions) < 5:
		a.NewSession()
	case k < 30 && len(sessions) < 5:
		a.OpenStored(kept, nil)
	case k < 31 && len(sessions) > 1:
		s.Close()
	case k < 34:
		s.Stop()
	case k < 35:
		if text, ok := s.Prompts.StopSending(); ok {
			c.returned = append(c.returned, text)
		}
	case k < 36:
		s.Prompts.Withdraw(c.user.IntN(2) == 0)
	case k < 40:
		s.Prompts.Resume()
	case k < 43:
		s.Continue()
	case k < 44:
		s.CancelOpen()
	case k < 46:
		if _, retrying := a.Retrying(); retrying {
			a.Redial()
		}
	case k < 47 && a.Spec.Name != "":
		a.Restart()
	case k < 48 && a.Opening():
		a.CancelStart()
	case k < 49:
		a.Kill()
	case k < 50 && len(sessions) < 5:
		c.w.Start([]workspace.Spec{local, far, other}[c.user.IntN(3)])
	case k < 51 && c.user.IntN(5) == 0:
		c.w.Replace([]workspace.Spec{local, far, other}[c.user.IntN(3)])
	case k < 54 && len(methods) > 0:
		switch m := methods[c.user.IntN(len(methods))]; m.Type {
		case "env_var":
			a.Login.WithVariables(m, workspace.Variables{"FAKE_KEY": "right"})
		case "terminal":
			a.Login.Ran(a.ConnectionNumber(), program("x"), []error{nil, errAway}[c.user.IntN(2)])
		default:
			a.Login.Authenticate(m, "")
		}
	case k < 55:
		a.Login.Cancel()
	case k < 56:
		a.Delete("kept")
	case k < 57:
		c.w.List()
	case len(c.Agents()) > 0:
		c.rig.Agent().Close()
	}
}

// types types a prompt, every fifth with a file.
func (c *chaos) types(s *workspace.Session) {
	if s.ReadOnly {
		return
	}
	text := fmt.Sprintf("p%d.", len(c.texts))
	switch c.user.IntN(10) {
	case 0, 1:
		text = "@" + text
	}
	c.texts = append(c.texts, text)
	c.typed[s] = append(c.typed[s], text)
	if err := s.Prompts.Submit(text, s.Prompts.Queue.Len() > 0); err != nil {
		c.returned = append(c.returned, text)
	}
}

// check looks for prompts that are lost or in two places.
func (c *chaos) check() {
	received := map[string]int{}
	var order []string
	for _, a := range c.Agents() {
		for _, text := range a.Prompts() {
			received[text]++
			order = append(order, text)
		}
	}
	places := map[string][]string{}
	put := func(text, place string) { places[text] = append(places[text], place) }
	for _, s := range c.w.Sessions() {
		for _, text := range s.Prompts.Queue.Texts() {
			put(text, "queued")
		}
		if text, ok := s.Prompts.Reading(); ok {
			put(text, "reading")
		}
		for _, p := range s.Prompts.Unconfirmed {
			put(p.Draft, "offered")
		}
	}
	for _, text := range c.returned {
		put(text, "came back")
	}
	for _, text := range c.offered {
		put(text, "offered")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, text := range c.texts {
		in := places[text]
		if received[text] > 1+c.denied[text] {
			c.Errorf("%s was sent %d times, and not taken %d times", text, received[text], c.denied[text])
		}
		if len(in) > 1 {
			c.Errorf("%s is in several places: %s", text, strings.Join(in, ", "))
		}
		if len(in) == 0 && received[text] == 0 && !c.shown(text) && (c.careful || !c.sent[text]) {
			c.Errorf("%s is lost", text)
		}
		if c.finished[text] && len(in) > 0 && in[0] != "offered" {
			c.Errorf("%s is done, and %s", text, in[0])
		}
	}
	for s, typed := range c.typed {
		last := -1
		for _, text := range order {
			if at := slices.Index(typed, text); at >= 0 && c.denied[text] == 0 {
				if at < last {
					c.Errorf("in %s, %s was sent after what was typed later: %q", s.Thread.Session, text, order)
				}
				last = max(last, at)
			}
		}
	}
}

// shown reports whether a prompt is or was on the screen: its turn has begun, or the agent
// holds it.
func (c *chaos) shown(text string) bool {
	for s := range c.typed {
		if slices.ContainsFunc(s.Thread.Held, func(p thread.HeldPrompt) bool { return strings.HasPrefix(p.Text, text) }) {
			return true
		}
	}
	return slices.ContainsFunc(c.begun, func(t string) bool { return strings.HasPrefix(t, text) })
}

// settleDown makes the agents cooperate, so that in the end nothing waits.
func (c *chaos) settleDown() {
	c.mu.Lock()
	c.calm = true
	c.mu.Unlock()
	for range 12 {
		for _, s := range c.w.Sessions() {
			_, dialing := s.Agent.Dialing()
			switch {
			case s.Agent.Spec.Name == "":
			case s.Agent.Opening() && !dialing && s.Agent.Login.Running() == "":
				s.Agent.Restart()
			case !s.Agent.Connected() && !s.Agent.Opening():
				if !s.Continue() {
					s.Agent.Restart()
				}
			default:
				s.Continue()
				s.Prompts.Resume()
			}
		}
		c.pass(30 * time.Minute)
	}
	for _, s := range c.w.Sessions() {
		if s.Agent.Spec.Name == "" {
			continue
		}
		if _, reading := s.Prompts.Reading(); !s.IsOpen() || s.Thread.State != thread.Idle || s.Prompts.Queue.Len() > 0 || reading || s.Waiting() || !s.Agent.Live() {
			c.Errorf("%s of %s does not settle: open %v, %v, lost %v, %q wait, reading %v, live %v, opening %v", s.Thread.Session, s.Agent.Spec.Name, s.IsOpen(), s.Thread.State, s.Lost.State, s.Prompts.Queue.Texts(), reading, s.Agent.Live(), s.Agent.Opening())
		}
	}
}
