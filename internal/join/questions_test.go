package join

import (
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/fakeagent"
	"parley/internal/hello"
	"parley/permissions"
)

const (
	answers = `[{"optionId":"y","name":"Allow once","kind":"allow_once"},{"optionId":"a","name":"Always","kind":"allow_always"},{"optionId":"n","name":"Reject","kind":"reject_once"}]`
	edit    = `{"toolCallId":"t1","title":"Edit a.go","kind":"edit","content":[{"type":"content","content":{"type":"text","text":"what it does"}}],"locations":[{"path":"/w/a.go"}]}`
)

// asks has an agent ask in its turns.
func (r *rig) asks() {
	r.script.Turn(func(t *fakeagent.Turn) string { t.Ask(edit, answers); return "end_turn" })
}

// asked returns the questions that a guest was asked and that were not withdrawn.
func (g *guest) open() (open []*asked) {
	g.settle()
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, q := range g.questions {
		if q.ctx.Err() == nil {
			open = append(open, q)
		}
	}
	return open
}

func (q *asked) choose(id string) {
	q.answer(object{"outcome": object{"outcome": "selected", "optionId": id}}, nil)
}

func TestQuestionsGoToThoseWhoMayApprove(t *testing.T) {
	each(t, func(r *rig, version int) {
		r.asks()
		watch, talk, phone := r.follow("w", hello.Watch, version), r.follow("t", hello.Talk, version), r.follow("phone", hello.Approve, version)
		elsewhere := r.join("elsewhere", hello.Approve, version)
		r.on(func() { r.session().Prompts.Submit("hello", false) })
		if len(watch.open())+len(talk.open())+len(elsewhere.open()) > 0 {
			t.Error("others were asked")
		}
		open := phone.open()
		if len(open) != 1 || !strings.Contains(open[0].params, `"optionId":"n"`) || !strings.Contains(open[0].params, "a.go") || !strings.Contains(open[0].params, "what it does") {
			t.Fatalf("asked %v", open)
		}
		late := r.follow("late", hello.Approve, version)
		if len(late.open()) != 1 {
			t.Error("one that joined later was not asked")
		}
		open[0].choose("n")
		r.settle()
		if got := r.Agent().Outcomes(); !slices.Equal(got, []string{"n"}) {
			t.Errorf("the agent was told %q", got)
		}
		if len(late.open()) > 0 {
			t.Error("the other question was not withdrawn")
		}
		if !slices.ContainsFunc(late.notices, func(s string) bool { return strings.HasPrefix(s, "Rejected by client phone") }) {
			t.Errorf("the notices are %q", late.notices)
		}
		if got := jsonText(late.tools["t1"]); !strings.Contains(got, "rejected by client phone") {
			t.Errorf("the call is %s", got)
		}
		for _, g := range []*guest{watch, phone, late} {
			g.matches()
			g.valid()
		}
	})
}

// Who may not answer sees that the call waits, by its status and what it shows, until the question is answered.
func TestAWaitingCallSaysSo(t *testing.T) {
	each(t, func(r *rig, version int) {
		r.script.Turn(func(t *fakeagent.Turn) string {
			t.Update(`{"sessionUpdate":"tool_call","toolCallId":"t1","title":"Edit a.go","kind":"edit","status":"in_progress"}`)
			t.Ask(edit, answers)
			return "end_turn"
		})
		talk := r.follow("t", hello.Talk, version)
		turn := talk.prompt("hello")
		r.settle()
		late := r.follow("late", hello.Watch, version)
		for _, g := range []*guest{talk, late} {
			r.settle()
			got := jsonText(g.tools["t1"])
			if says := strings.Contains(got, "Waiting for an answer on parley's screen") && strings.Contains(got, `"status":"pending"`); says != (version == 1) {
				t.Errorf("the call is %s", got)
			}
			if version == 2 && g.states[len(g.states)-1] != "requires_action" {
				t.Errorf("the states are %q", g.states)
			}
		}
		talk.peer.Notify("session/cancel", object{"sessionId": "s1"})
		r.settle()
		if got := jsonText(talk.tools["t1"]); strings.Contains(got, "Waiting") || strings.Contains(got, "pending") {
			t.Errorf("the call is %s, the turn ended with %s", got, outcome(turn))
		}
		late.matches()
		late.valid()
	})
}

func TestAllowingNeedsTheUsersConfiguration(t *testing.T) {
	each(t, func(r *rig, version int) {
		r.asks()
		phone := r.follow("phone", hello.Approve, version)
		r.on(func() { r.session().Prompts.Submit("hello", false) })
		open := phone.open()
		open[0].choose("y")
		r.settle()
		if got := r.Agent().Outcomes(); len(got) > 0 {
			t.Errorf("the agent was told %q", got)
		}
		if !slices.Contains(phone.notices, "Not allowed from here: Allow it on parley's screen") {
			t.Errorf("the notices are %q", phone.notices)
		}
		r.on(func() {
			if err := r.session().Broker().Answer(1, "y"); err != nil {
				t.Error(err)
			}
		})
		r.settle()
		if got := r.Agent().Outcomes(); !slices.Equal(got, []string{"y"}) {
			t.Errorf("the agent was told %q", got)
		}
		phone.valid()
	})
}

func TestAllowingFromClients(t *testing.T) {
	for _, agent := range []string{"1", "2"} {
		with(t, agent, Options{ApproveFromClients: true}, func(r *rig) {
			r.asks()
			phone, tablet := r.follow("phone", hello.Approve, 1), r.follow("tablet", hello.Approve, 2)
			r.on(func() { r.session().Prompts.Submit("hello", false) })
			one, two := phone.open(), tablet.open()
			one[0].choose("y")
			r.settle()
			two[0].choose("n") // too late
			r.settle()
			if got := r.Agent().Outcomes(); !slices.Equal(got, []string{"y"}) {
				t.Errorf("the agent was told %q", got)
			}
			if got := jsonText(tablet.tools["t1"]); !strings.Contains(got, "allowed by client phone") {
				t.Errorf("the call is %s", got)
			}
		})
	}
}

func TestOddAnswersDecideNothing(t *testing.T) {
	with(t, "1", Options{ApproveFromClients: true}, func(r *rig) {
		r.asks()
		r.on(func() { r.session().Prompts.Submit("hello", false) })
		r.settle()
		for _, answer := range []any{nil, 1, object{}, object{"outcome": object{"outcome": "cancelled"}}, object{"outcome": object{"outcome": "selected", "optionId": "other"}}, object{"outcome": "selected"}} {
			phone := r.follow("phone", hello.Approve, 1)
			open := phone.open()
			if len(open) != 1 {
				t.Fatalf("asked %v", open)
			}
			open[0].answer(answer, nil)
			r.settle()
			phone.peer.Close(nil)
		}
		if got := r.Agent().Outcomes(); len(got) > 0 {
			t.Errorf("the agent was told %q", got)
		}
		phone := r.follow("phone", hello.Approve, 1)
		r.on(func() { r.session().Stop() })
		if len(phone.open()) > 0 {
			t.Error("the question was not withdrawn with its turn")
		}
	})
}

func TestParleysOwnQuestions(t *testing.T) {
	for _, version := range []int{1, 2} {
		with(t, "1", Options{}, func(r *rig) {
			phone := r.follow("phone", hello.Approve, version)
			var broker *permissions.Broker
			r.on(func() { broker = r.session().Agent.ConnForTest().Broker })
			p := broker.Ask(permissions.Question{Session: "s1", Origin: permissions.FromParley, Kind: "edit", Heading: "Change a.go",
				Body:    []permissions.Part{{Kind: permissions.Diff, Path: "/w/a.go", Old: "a\n", Text: "b\n"}, {Kind: permissions.Command, Text: "ls"}, {Kind: permissions.Field, Label: "in", Text: "/w"}},
				Options: []permissions.Option{{ID: "y", Name: "Allow", Kind: permissions.AllowOnce}, {ID: "n", Name: "Reject", Kind: permissions.RejectOnce}}})
			open := phone.open()
			if len(open) != 1 || !strings.Contains(open[0].params, "Change a.go") {
				t.Fatalf("asked %v", open)
			}
			open[0].choose("n")
			time.Sleep(time.Second)
			if !p.Settled() {
				t.Error("it is not settled")
			}
			phone.valid()
		})
	}
}
