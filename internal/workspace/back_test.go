package workspace_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/internal/fakeagent"
	"parley/internal/memory"
	"parley/internal/undo"
	"parley/internal/undo/undotest"
	"parley/internal/workspace"
	"parley/permissions"
)

// recorded is a machine with another journal; nil: it records no changes.
type recorded struct {
	workspace.Machine
	journal workspace.Journal
}

func (m recorded) Journal(string) workspace.Journal { return m.journal }

// recording returns what makes a connection record changes in j, turns from 1 on.
func recording(j *undotest.Journal) func(*workspace.Connection) {
	return func(c *workspace.Connection) {
		j.Number = 0
		c.Machine = recorded{c.Machine, j}
	}
}

// turns sends prompts, each after the end of the turn before.
func (r *rig) turns(s *workspace.Session, texts ...string) {
	r.Helper()
	for _, text := range texts {
		r.prompt(s, text)
		r.pass(time.Second)
	}
}

// prompts returns the indexes of the prompts of a session.
func prompts(s *workspace.Session) (at []int) {
	for _, it := range s.Thread.Items {
		if it.Kind == thread.UserMessage {
			at = append(at, it.Index)
		}
	}
	return at
}

// paths returns the paths of changes.
func paths(changes []undo.Change) (out []string) {
	for _, f := range changes {
		out = append(out, f.Path)
	}
	return out
}

// Files are restored to before the turn of a prompt. A file that cannot be is left alone as a whole and
// named.
func TestRestoreToBeforeAPrompt(t *testing.T) {
	files := []undo.Change{
		{Path: "/src/first.go", Turn: 1},
		{Path: "/src/second.go", Turn: 2},
		{Path: "/src/mine.go", Turn: 2},
		{Path: "/src/mine.go", Turn: 3},
		{Path: "/src/big.bin", Turn: 3, NoUndoReason: "it is too large"},
		{Path: "/src/restored.go", Turn: 3, Undone: true},
	}
	j := &undotest.Journal{Refuse: func(c undo.Change) error {
		if c.Path == "/src/mine.go" {
			return undo.ErrChangedSince
		}
		return nil
	}}
	each(t, func(r *rig) { r.change = recording(j) }, func(r *rig) {
		j.Files = slices.Clone(files)
		s := r.started(local)
		r.turns(s, "one", "two", "three")
		at := prompts(s)
		var got workspace.Restorable
		if err := s.Changes.CanRestore(at[1], func(w workspace.Restorable) { got = w }); err != nil {
			r.Fatal(err)
		}
		r.settle()
		if got.Turn != 2 || !slices.Equal(paths(got.Files), []string{"/src/second.go"}) {
			r.Fatalf("turn %d, %q", got.Turn, paths(got.Files))
		}
		if len(got.Refused) != 2 || got.Refused[0].Change.Path != "/src/mine.go" || got.Refused[1].Err.Error() != "it is too large" {
			r.Errorf("refused %+v", got.Refused)
		}
		var results []undo.Result
		if err := s.Changes.Restore(got, func(of []undo.Result) { results = of }); err != nil {
			r.Fatal(err)
		}
		r.settle()
		if undone := j.Undone(); !slices.Equal(undone, []string{"/src/second.go of turn 2"}) || len(results) != 3 {
			r.Errorf("undone %q, %d results", undone, len(results))
		}
	})
}

// Nothing can be restored during a turn, for a prompt that is older than the connection, without a
// record of changes, and once the agent has ended.
func TestNoRestore(t *testing.T) {
	each(t, func(r *rig) { r.change = recording(&undotest.Journal{}) }, func(r *rig) {
		s := r.started(local)
		refused := func(item int, why string) {
			r.Helper()
			err := s.Changes.CanRestore(item, func(workspace.Restorable) { r.Error("something can be restored") })
			r.settle()
			if err == nil || !strings.Contains(err.Error(), why) {
				r.Errorf("got %v, want %q", err, why)
			}
		}
		r.turns(s, "one")
		r.fake().Turn(func(t *fakeagent.Turn) string { t.Wait(time.Minute); return "end_turn" })
		r.prompt(s, "two")
		r.pass(time.Second)
		refused(prompts(s)[0], "a turn is running")
		if err := s.Changes.Restore(workspace.Restorable{}, func([]undo.Result) {}); err == nil {
			r.Error("files are restored during a turn")
		}
		r.pass(2 * time.Minute)
		conn := s.Agent.ConnForTest()
		machine := conn.Machine
		conn.Machine = recorded{machine, nil}
		refused(prompts(s)[0], "not recorded")
		conn.Machine = machine
		r.lose()
		refused(prompts(s)[0], "the agent has ended")
		s.Agent.Restart()
		r.settle()
		refused(prompts(s)[0], "before the session was opened here; /review undoes")
	})
}

// forking makes the agent one that can fork sessions.
func forking(r *rig) {
	if r.fake().Protocol == "2" {
		r.fake().Answer("initialize", `{"protocolVersion":2,"info":{"name":"fake","version":"2.0"},"capabilities":{"session":{"prompt":{},"fork":{}}}}`)
	} else {
		r.fake().Capabilities(`,"agentCapabilities":{"sessionCapabilities":{"fork":{}}}`)
	}
	r.fake().On("session/fork", func(c *fakeagent.Call) (string, error) { // it replays, as some do
		c.Agent.Say("copy", "user", "one")
		c.Agent.Say("copy", "agent", "You said: one")
		return `{"sessionId":"copy"}`, nil
	})
}

// retell lists the prompts among items.
func retell(items []*thread.Item) (out string) {
	for _, it := range items {
		if it.Kind == thread.UserMessage {
			out += string(it.Text) + "|"
		}
	}
	return out
}

// promptsIn lists the prompts in a conversation that goes with a prompt.
func promptsIn(block string) string {
	var out []string
	for _, part := range strings.Split(block, "**User:**\n\n")[1:] {
		prompt, _, _ := strings.Cut(part, "\n")
		out = append(out, prompt)
	}
	return strings.Join(out, " ")
}

// After the last turn an agent that can forks the session: the copy has the conversation, and its prompts
// go to it alone.
func TestFork(t *testing.T) {
	each(t, forking, func(r *rig) {
		s := r.started(local)
		r.turns(s, "one", "two")
		r.news = nil
		if err := s.Fork(prompts(s)[1], "Words"); err != nil {
			r.Fatal(err)
		}
		r.wants("SessionShown -", "SessionOpened copy")
		f := r.w.Front()
		if f == s || f.Title() != "Words (fork)" || f.Agent != s.Agent || !says(f, "one") || !says(f, "two") || !says(f, "A fork: the agent has copied the session above") || len(f.Prompts.Carried) > 0 || retell(f.Thread.Items) != "one|two|" {
			r.Errorf("the fork has %q and carries %q", retell(f.Thread.Items), f.Prompts.Carried)
		}
		calls := r.Agent().Calls("session/fork")
		if len(calls) != 1 || !strings.Contains(calls[0], `"sessionId":"s1"`) || !strings.Contains(calls[0], s.Cwd()) {
			r.Errorf("the agent got %q", calls)
		}
		r.turns(f, "three")
		if says(s, "three") || !says(f, "You said: three") {
			r.Error("the prompt after the fork is in the wrong session")
		}
		if len(r.Agent().Calls("session/new")) != 1 {
			r.Error("another session was opened")
		}
	})
}

// After an earlier turn, and with an agent that cannot fork, the conversation up to there goes with the
// first prompt of a new session.
func TestForkByRetelling(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*rig)
		prompt int
		carry  string // the prompts
	}{
		"earlier turn":     {forking, 0, "one"},
		"cannot":           {nil, 0, "one"},
		"cannot, the last": {nil, 1, "one two"},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, c.change, func(r *rig) {
				s := r.started(local)
				r.turns(s, "one", "two")
				r.news = nil
				if err := s.Fork(prompts(s)[c.prompt], "Words"); err != nil {
					r.Fatal(err)
				}
				r.wants("SessionShown -", "SessionOpened s2")
				f := r.w.Front()
				if !says(f, "Forked by copying") || len(f.Prompts.Carried) != 1 || promptsIn(f.Prompts.Carried[0]) != c.carry {
					r.Errorf("it carries %q: %q", f.Prompts.Carried, f.Thread.Items[0].Text)
				}
				r.turns(f, "three")
				blocks := r.Agent().Blocks()
				if last := blocks[len(blocks)-1]; !strings.Contains(last, "our conversation so far") || !strings.Contains(last, `"three"`) {
					r.Errorf("the agent got %s", last)
				}
				if len(f.Prompts.Carried) > 0 || len(r.Agent().Calls("session/fork")) > 0 {
					r.Errorf("still carries %q", f.Prompts.Carried)
				}
			})
		})
	}
}

// A fork that the agent refuses leaves the session in front; during a turn, or once the agent has ended,
// none is tried.
func TestNoFork(t *testing.T) {
	each(t, forking, func(r *rig) {
		s := r.started(local)
		r.turns(s, "one")
		r.news = nil
		r.fake().Fail("session/fork", -32603, "no room")
		if err := s.Fork(prompts(s)[0], "Words"); err != nil {
			r.Fatal(err)
		}
		r.wants("SessionShown -", "SessionShown s1", "SessionRemoved -", "SessionNotOpened: fork the session: …")
		if r.w.Front() != s || len(r.w.Sessions()) != 1 {
			r.Errorf("%d sessions", len(r.w.Sessions()))
		}
		refused := func(why string) {
			r.Helper()
			if err := s.Fork(prompts(s)[0], "Words"); err == nil || !strings.Contains(err.Error(), why) {
				r.Errorf("got %v, want %q", err, why)
			}
		}
		s.Agent.NewSession()
		refused("already being opened")
		r.settle()
		r.w.Front().Close()
		r.fake().Turn(func(t *fakeagent.Turn) string { t.Wait(time.Minute); return "end_turn" })
		r.prompt(s, "two")
		r.pass(time.Second)
		refused("a turn is running")
		r.pass(2 * time.Minute)
		r.lose()
		refused("the agent has ended")
	})
}

// A fork that the agent does not answer can be cancelled, and is given up after a while. Meanwhile the
// session that was forked takes prompts.
func TestForkWithoutAnAnswer(t *testing.T) {
	for why, end := range map[string]func(*rig, *workspace.Session){
		"opening the session was cancelled":        func(r *rig, f *workspace.Session) { f.CancelOpen() },
		"fork the session: no answer within 5 min": func(r *rig, _ *workspace.Session) { r.pass(10 * time.Minute) },
	} {
		each(t, forking, func(r *rig) {
			s := r.started(local)
			r.turns(s, "one")
			r.fake().On("session/fork", func(c *fakeagent.Call) (string, error) { c.Wait(time.Hour); return "", errAway })
			if err := s.Fork(prompts(s)[0], "Words"); err != nil {
				r.Fatal(err)
			}
			r.settle()
			r.turns(s, "two")
			r.news = nil
			end(r, r.w.Front())
			r.wants("SessionShown s1", "SessionRemoved -", "SessionNotOpened: "+why)
			if r.w.Front() != s || len(r.w.Sessions()) != 1 || retell(s.Thread.Items) != "one|two|" {
				r.Errorf("%d sessions, %q", len(r.w.Sessions()), retell(s.Thread.Items))
			}
		})
	}
}

// A fork with the id of a session that is open, its own or that of an earlier fork, is refused; both
// sessions stay as they are.
func TestForkWithAnOpenID(t *testing.T) {
	each(t, forking, func(r *rig) {
		s := r.started(local)
		r.turns(s, "one")
		refused := func() {
			r.Helper()
			front := r.w.Front()
			if err := s.Fork(prompts(s)[0], "Words"); err != nil {
				r.Fatal(err)
			}
			r.news = nil
			r.wants("SessionShown -", "SessionShown "+front.Thread.Session, "SessionRemoved -", "SessionNotOpened: fork the session: the session is open already")
		}
		r.fake().Answer("session/fork", `{"sessionId":"s1"}`)
		refused()
		r.fake().Answer("session/fork", `{"sessionId":"copy"}`)
		if err := s.Fork(prompts(s)[0], "Words"); err != nil {
			r.Fatal(err)
		}
		r.settle()
		f := r.w.Front()
		refused()
		r.turns(s, "two")
		r.turns(f, "three")
		if len(r.w.Sessions()) != 2 || retell(s.Thread.Items) != "one|two|" || retell(f.Thread.Items) != "one|three|" {
			r.Errorf("%d sessions, %q and %q", len(r.w.Sessions()), retell(s.Thread.Items), retell(f.Thread.Items))
		}
	})
}

// If the agent ends while it forks a session, the session that was forked is in front, and reopens.
func TestAgentLostWhileForking(t *testing.T) {
	each(t, forking, func(r *rig) {
		s := r.started(local)
		r.turns(s, "one")
		r.fake().On("session/fork", func(c *fakeagent.Call) (string, error) { c.Wait(time.Hour); return "", errAway })
		if err := s.Fork(prompts(s)[0], "Words"); err != nil {
			r.Fatal(err)
		}
		r.settle()
		r.lose()
		if r.w.Front() != s || len(r.w.Sessions()) != 1 {
			r.Errorf("%d sessions", len(r.w.Sessions()))
		}
		r.fake().On("session/fork", nil)
		s.Agent.Restart()
		r.settle()
		r.turns(s, "two")
		if !says(s, "You said: two") {
			r.Error("the session does not answer")
		}
	})
}

// A fork has the mode and options of its session, and its approval mode, before its first prompt is
// sent. What the agent has set itself is not set again, what it refuses is said. That everything is
// allowed was confirmed for the one session only.
func TestForkKeepsSettings(t *testing.T) {
	const options = `,"configOptions":[
		{"id":"fast","name":"Fast","type":"boolean","currentValue":%t},
		{"id":"m","name":"Model","category":"model","type":"select","currentValue":"%s","options":[{"value":"a"},{"value":"b"}]},
		{"id":"kept","name":"Kept","type":"select","currentValue":"y","options":[{"value":"x"},{"value":"y"}]},
		{"id":"broken","name":"Broken","type":"select","currentValue":"%s","options":[{"value":"x"},{"value":"y"}]}]`
	const modes = `,"modes":{"currentModeId":"%s","availableModes":[{"id":"ask"},{"id":"code"}]}`
	plain := `{"sessionId":"%s"` + fmt.Sprintf(options, false, "a", "x") + `}`
	for name, c := range map[string]struct {
		change   func(*rig)
		set, now string // as the agent offers it
		method   string
		calls    []string
	}{
		"options, copied": {forking, fmt.Sprintf(options, true, "b", "y"), plain, "session/set_config_option", []string{`"fast"`, `"m"`, `"broken"`}},
		"options, retold": {nil, fmt.Sprintf(options, true, "b", "y"), plain, "session/set_config_option", []string{`"fast"`, `"m"`, `"broken"`}},
		"mode, copied":    {forking, fmt.Sprintf(modes, "code"), `{"sessionId":"%s"` + fmt.Sprintf(modes, "ask") + `}`, "session/set_mode", []string{`"code"`}},
		"the same":        {forking, fmt.Sprintf(modes, "code"), `{"sessionId":"%s"` + fmt.Sprintf(modes, "code") + `}`, "session/set_mode", nil},
	} {
		t.Run(name, func(t *testing.T) {
			with(t, func(r *rig) {
				if c.change != nil {
					c.change(r)
				}
				r.fake().Answer("session/new", `{"sessionId":"s1"`+c.set+`}`)
				r.fake().On(c.method, func(call *fakeagent.Call) (string, error) {
					if strings.Contains(call.Params, "broken") {
						return "", errAway
					}
					return "{}", nil
				})
			}, func(r *rig) {
				s := r.started(local)
				r.turns(s, "one")
				s.SetApproval(permissions.AcceptEdits)
				r.fake().Answer("session/new", fmt.Sprintf(c.now, "s2"))
				r.fake().Answer("session/fork", fmt.Sprintf(c.now, "s2"))
				r.news = nil
				if err := s.Fork(prompts(s)[0], "Words"); err != nil {
					r.Fatal(err)
				}
				f := r.w.Front()
				f.Prompts.Queue.Add("two")
				r.settle()
				if !says(f, "two") || f.Approval() != permissions.AcceptEdits {
					r.Errorf("approval mode %v", f.Approval())
				}
				if got := strings.Join(r.news, "\n"); strings.Contains(got, "Broken") != (len(c.calls) == 3) || strings.Count(got, "SessionOpened s2") != 1 || !strings.Contains(got, "PromptSent two") {
					r.Errorf("news:\n%s", got)
				}
				calls := r.Agent().Calls(c.method)
				if len(calls) != len(c.calls) {
					r.Fatalf("the agent got %q", calls)
				}
				for i, want := range c.calls {
					if !strings.Contains(calls[i], want) || !strings.Contains(calls[i], `"s2"`) {
						r.Errorf("the agent got %s, want %s", calls[i], want)
					}
				}
				f.SetApproval(permissions.AllMode)
				r.fake().Answer("session/new", `{"sessionId":"s3"}`)
				r.fake().Answer("session/fork", `{"sessionId":"s3"}`)
				if err := f.Fork(prompts(f)[0], "Words"); err != nil {
					r.Fatal(err)
				}
				r.settle()
				if f = r.w.Front(); f.Thread.Session != "s3" || f.Approval() != permissions.AskMode {
					r.Errorf("approval mode %v of %s without a confirmation", f.Approval(), f.Thread.Session)
				}
			})
		})
	}
}

// A fork is named after its first prompt, not after what goes with it, unless the user has named it. The
// name is stored only if prompts are.
func TestForkIsNamed(t *testing.T) {
	for _, keep := range []bool{true, false} {
		store := memory.NewNames(t.TempDir())
		with(t, func(r *rig) { r.opts.Names, r.opts.KeepPrompts = store, keep }, func(r *rig) {
			s := r.started(local)
			r.turns(s, "one")
			for name, want := range map[string]string{"": "now for the docs", "mine": "mine"} {
				if err := s.Fork(prompts(s)[0], "Words"); err != nil {
					r.Fatal(err)
				}
				r.settle()
				f := r.w.Front()
				if f.Title() != "Words (fork)" {
					r.Errorf("at first it is %q", f.Title())
				}
				if name != "" {
					f.Rename(name)
				}
				r.turns(f, "now for\n\tthe docs \U000F0000", "and more")
				title := "This is our conversation so far"
				f.Apply(event.SessionInfoChanged{Title: &title})
				if f.Title() != want {
					r.Errorf("it is %q, want %q", f.Title(), want)
				}
				if of, err := store.Load(); err != nil || (of("fake", f.Thread.Session) == want) != (keep || name != "") {
					r.Errorf("stored: %v", err)
				}
			}
			if s.Title() != "" {
				r.Errorf("the session that was forked is %q", s.Title())
			}
		})
	}
}
