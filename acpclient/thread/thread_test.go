package thread_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/acpclient/event"
	"parley/acpclient/thread"
)

var (
	in  = event.For{Session: "s"}
	now = time.Date(2026, 3, 1, 10, 42, 0, 0, time.UTC)
)

func prompt(text string) event.Event {
	return event.TurnStarted{For: in, Text: text, At: now}
}

func ended(reason string) event.Event {
	return event.TurnEnded{For: in, StopReason: reason, At: now.Add(3 * time.Second)}
}

func says(role event.Role, id, text string) event.Event {
	return event.TextArrived{For: in, Role: role, MessageID: id, Text: text}
}

func agent(text string) event.Event { return says(event.Agent, "", text) }

func tool(id, status string) event.Event {
	e := event.ToolChanged{For: in, ID: id, At: now}
	if status != "" {
		e.Status = &status
	}
	return e
}

func content(id string, texts ...string) event.Event {
	items := []event.ToolContent{}
	for _, s := range texts {
		items = append(items, event.ToolContent{Content: &event.Content{Text: s}})
	}
	return event.ToolChanged{For: in, ID: id, Content: &items, At: now}
}

func title(s string) event.Event { return event.SessionInfoChanged{For: in, Title: &s} }

func mode(id string) event.Event { return event.ModeChanged{For: in, ModeID: id} }

func asked(key uint64) event.Event { return event.PermissionRequested{For: in, Key: key} }

func settled(key uint64, decision string, allowed bool) event.Event {
	return event.PermissionAnswered{For: in, Key: key, Subject: "Edit a.go", Decision: decision, Allowed: allowed, By: "you", At: now}
}

var kindNames = [...]string{"user", "agent", "thought", "tool", "decision", "end", "notice", "attachment"}

// sketch renders the transcript with one line for each item.
func sketch(t *thread.Thread) string {
	var out []string
	for _, it := range t.Items {
		s := kindNames[it.Kind]
		switch it.Kind {
		case thread.ToolCall:
			s += " " + it.Tool.ID + " " + it.Tool.StateText()
			for _, c := range it.Tool.Content {
				if c.Content != nil {
					s += " [" + c.Content.Text + "]"
				}
			}
		case thread.Decision:
			s += fmt.Sprintf(" %s %v", it.Answer.Decision, it.Answer.Allowed)
		case thread.TurnEnd:
			s += " " + it.End.StopReason
			if it.End.Err != nil {
				s += it.End.Err.Error()
			}
		default:
			s += " " + string(it.Text)
		}
		if it.Excluded {
			s += " (excluded)"
		}
		out = append(out, strings.TrimSpace(s))
	}
	return strings.Join(out, "\n")
}

// The numbered cases that concern the thread.
func TestCases(t *testing.T) {
	for _, c := range []struct {
		name   string
		events []event.Event
		want   string
	}{
		{"case 82 chunks before the end", []event.Event{prompt("p"), agent("one "), agent("two"), ended("end_turn")}, "user p\nagent one two\nend end_turn"},
		{"case 83 a chunk after the end", []event.Event{prompt("p"), says(event.Agent, "m", "one "), ended("end_turn"), says(event.Agent, "m", "two")}, "user p\nagent one two\nend end_turn"},
		{"case 83 text between turns", []event.Event{prompt("p"), agent("done"), ended("end_turn"), agent("[MODE_"), agent("UPDATE] plan"), prompt("q"), agent("two")},
			"user p\nagent done\nend end_turn\nagent [MODE_UPDATE] plan\nuser q\nagent two"},
		{"case 83 a remark for each mode", []event.Event{prompt("p"), agent("done"), ended("end_turn"), agent("[MODE_UPDATE] plan"), mode("plan"), agent("[MODE_UPDATE] ask"), mode("ask")},
			"user p\nagent done\nend end_turn\nagent [MODE_UPDATE] plan\nagent [MODE_UPDATE] ask"},
		{"case 83 the mode changes while the agent speaks", []event.Event{prompt("p"), agent("one "), mode("plan"), agent("two")}, "user p\nagent one two"},
		{"case 83 and not after the next prompt", []event.Event{prompt("p"), agent("one "), ended("end_turn"), prompt("q"), agent("two")}, "user p\nagent one\nend end_turn\nuser q\nagent two"},
		{"case 84 ids", []event.Event{says(event.Agent, "m1", "a"), says(event.Agent, "m2", "b"), says(event.Agent, "m1", "c")}, "agent ac\nagent b"},
		{"case 84 ids are by role", []event.Event{says(event.Agent, "m1", "a"), says(event.Thought, "m1", "b"), says(event.Agent, "m1", "c")}, "agent ac\nthought b"},
		{"case 85 a tool call between", []event.Event{agent("a"), tool("t", ""), agent("b")}, "agent a\ntool t waiting\nagent b"},
		{"case 85 a thought between", []event.Event{agent("a"), says(event.Thought, "", "hm"), agent("b")}, "agent a\nthought hm\nagent b"},
		{"case 86 echo", []event.Event{prompt("hello"), says(event.User, "", "hello"), agent("hi")}, "user hello\nagent hi"},
		{"case 86 echo in pieces, with an id", []event.Event{prompt("hello"), says(event.User, "u", "he"), says(event.User, "u", "llo"), agent("hi")}, "user hello\nagent hi"},
		{"case 86 no echo at all", []event.Event{prompt("hello"), says(event.User, "u", "help"), agent("hi")}, "user hello\nuser help\nagent hi"},
		{"case 86 no echo, as the second piece shows", []event.Event{prompt("hello"), says(event.User, "u", "hel"), says(event.User, "u", "p"), agent("hi")}, "user hello\nuser help\nagent hi"},
		{"case 87 content replaces", []event.Event{content("t", "A", "B"), content("t", "X")}, "tool t waiting [X]"},
		{"case 87 absent content stays", []event.Event{content("t", "A", "B"), tool("t", "completed")}, "tool t done [A] [B]"},
		{"case 87 no content clears", []event.Event{content("t", "A"), content("t")}, "tool t waiting"},
		{"case 88 an unknown id", []event.Event{agent("a"), tool("new", "in_progress")}, "agent a\ntool new running"},
		{"case 88 the same id twice", []event.Event{tool("t", "pending"), agent("a"), tool("t", "completed")}, "tool t done\nagent a"},
		{"case 89 unknown kinds", []event.Event{agent("a"), event.UnknownArrived{For: in, Kind: "hologram", JSON: "{}"}, agent("b"), tool("t", "melted"), agent("c")},
			"agent ab\nnotice an update of a kind that parley does not know: hologram\ntool t melted\nagent c"},
		{"case 92 refusal", []event.Event{prompt("p"), agent("a"), ended("end_turn"), prompt("bad"), agent("no"), ended("refusal")},
			"user p\nagent a\nend end_turn\nuser bad (excluded)\nagent no (excluded)\nend refusal"},
		{"case 92 others exclude nothing", []event.Event{prompt("p"), ended("max_tokens"), prompt("q"), ended("max_turn_requests"), prompt("r"), ended("bored")},
			"user p\nend max_tokens\nuser q\nend max_turn_requests\nuser r\nend bored"},
		{"case 99 an error", []event.Event{prompt("p"), event.TurnEnded{For: in, Err: errors.New("-32603"), At: now}, prompt("q"), agent("fine"), ended("end_turn")},
			"user p\nend -32603\nuser q\nagent fine\nend end_turn"},
		{"case 102 at once", []event.Event{prompt("p"), tool("a", "in_progress"), tool("b", "completed"), event.TurnCancelled{For: in}}, "user p\ntool a stopping\ntool b done"},
		{"case 102 a later status wins", []event.Event{prompt("p"), tool("a", "in_progress"), event.TurnCancelled{For: in}, tool("a", "completed"), ended("cancelled")}, "user p\ntool a done\nend cancelled"},
		{"case 102 even after the end", []event.Event{prompt("p"), tool("a", "in_progress"), event.TurnCancelled{For: in}, ended("cancelled"), tool("a", "failed")}, "user p\ntool a stopped by you\nend cancelled"},
		{"case 102 a running call is cancelled at the end", []event.Event{prompt("p"), event.TurnCancelled{For: in}, tool("a", "in_progress"), ended("cancelled")}, "user p\ntool a stopped by you\nend cancelled"},
		{"case 102 unfinished at a plain end", []event.Event{prompt("p"), tool("a", "pending"), ended("end_turn")}, "user p\ntool a unfinished\nend end_turn"},
		{"case 103 updates after cancel", []event.Event{prompt("p"), agent("a"), event.TurnCancelled{For: in}, agent("b"), ended("cancelled")}, "user p\nagent ab\nend cancelled"},
		{"case 105 cancel answered by end_turn", []event.Event{prompt("p"), tool("a", "pending"), event.TurnCancelled{For: in}, ended("end_turn")}, "user p\ntool a stopped by you\nend end_turn"},
		{"case 111 out of order", []event.Event{prompt("p"), asked(1), asked(2), asked(3), settled(3, "No", false), settled(1, "Yes", true), settled(2, "cancelled", false)},
			"user p\ndecision No false\ndecision Yes true\ndecision cancelled false"},
		{"case 112 a question merges into the card", []event.Event{prompt("p"), tool("t", "in_progress"), content("t", "diff"), asked(1)}, "user p\ntool t running [diff]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			th := thread.New("s")
			for _, e := range c.events {
				th.Apply(e)
			}
			if got := sketch(th); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

// The state of the session after each event.
func TestState(t *testing.T) {
	th := thread.New("s")
	for _, s := range []struct {
		e    event.Event
		want thread.State
	}{
		{prompt("p"), thread.Running},
		{asked(1), thread.Waiting},
		{asked(2), thread.Waiting},
		{settled(2, "No", false), thread.Waiting},
		{settled(1, "Yes", true), thread.Running},
		{ended("end_turn"), thread.Idle},
		{prompt("q"), thread.Running},
		{asked(3), thread.Waiting},
		{event.TurnCancelled{For: in}, thread.Waiting}, // case 101: until the question is answered
		{settled(3, "cancelled", false), thread.Cancelling},
		{agent("late"), thread.Cancelling},
		{ended("cancelled"), thread.Idle},
		{prompt("r"), thread.Running}, // case 99: the next prompt works
		{event.TurnEnded{For: in, Err: errors.New("gone"), At: now}, thread.Idle},
		{event.Disconnected{Err: event.ErrClosed}, thread.Ended},
		{agent("later"), thread.Ended},
	} {
		if th.Apply(s.e); th.State != s.want {
			t.Errorf("after %#v: got %v, want %v", s.e, th.State, s.want)
		}
	}
}

// Cases 91, 94, 95: state besides the items.
func TestSessionData(t *testing.T) {
	th := thread.New("s")
	th.Apply(event.PlanChanged{For: in, Entries: []event.PlanEntry{{Content: "a", Status: "completed"}, {Content: "b", Status: "pending"}}})
	th.Apply(event.PlanChanged{For: in, Entries: []event.PlanEntry{{Content: "c", Status: "pending"}}})
	if len(th.Plan) != 1 || th.Plan[0].Content != "c" {
		t.Errorf("plan %v", th.Plan)
	}
	if th.Apply(event.PlanChanged{For: in}); len(th.Plan) != 0 {
		t.Errorf("plan %v", th.Plan)
	}
	th.Apply(title("Parser"))
	if th.Apply(event.SessionInfoChanged{For: in}); th.Title != "Parser" {
		t.Errorf("an omitted title made it %q", th.Title)
	}
	if th.Apply(title("")); th.Title != "" {
		t.Errorf("title %q", th.Title)
	}
	th.Apply(event.UsageChanged{For: in, Used: 10, Size: 0, Cost: 0.5, Currency: "USD"})
	th.Apply(event.UsageChanged{For: in, Used: 20, Size: 10})
	if u := th.Usage; u.Used != 20 || u.Size != 10 || u.Cost != 0.5 || u.Currency != "USD" {
		t.Errorf("usage %+v", u)
	}
	if len(th.Items) != 0 {
		t.Errorf("items %s", sketch(th))
	}
}

// Case 126: a tool call shows its terminal's output in any order of arrival, after the
// exit, and after another session has begun.
func TestTerminal(t *testing.T) {
	show := []event.ToolContent{{Terminal: "x"}}
	one := 1
	th := thread.New("s")
	th.Apply(event.TerminalOutput{For: in, ID: "x", Data: []byte("early ")})
	th.Apply(event.ToolChanged{For: in, ID: "t", Content: &show})
	if changed := th.Apply(event.TerminalOutput{For: in, ID: "x", Data: []byte("late")}); !slices.Equal(changed, []int{0}) {
		t.Errorf("output changed %v", changed)
	}
	th.Apply(event.TerminalExited{For: in, ID: "x", Code: &one})
	th.Attach("s2", 0)
	other := event.For{Session: "s2"}
	th.Apply(event.TerminalStarted{For: other, ID: "x", Command: "other"})
	th.Apply(event.TerminalOutput{For: other, ID: "x", Data: []byte("other")})
	term := th.TerminalOf(th.Items[0], "x")
	if term == nil || string(term.Output) != "early late" || !term.Exited || *term.Code != 1 {
		t.Errorf("the old terminal: %+v", term)
	}
	if term := th.Terminal("x"); string(term.Output) != "other" {
		t.Errorf("the new terminal: %+v", term)
	}
}

// An id that is started again is another terminal.
func TestReusedTerminalID(t *testing.T) {
	show := []event.ToolContent{{Terminal: "x"}}
	th := thread.New("s")
	for i, e := range []event.Event{
		event.TerminalStarted{For: in, ID: "x", Command: "one"},
		event.ToolChanged{For: in, ID: "a", Content: &show},
		event.TerminalOutput{For: in, ID: "x", Data: []byte("one")},
		event.TerminalExited{For: in, ID: "x"},
		event.TerminalStarted{For: in, ID: "x", Command: "two"},
		event.ToolChanged{For: in, ID: "b", Content: &show},
		event.TerminalOutput{For: in, ID: "x", Data: []byte("two")},
	} {
		if changed := th.Apply(e); i == 6 && !slices.Equal(changed, []int{1}) {
			t.Errorf("output changed %v", changed)
		}
	}
	for i, want := range []string{"one", "two"} {
		if term := th.TerminalOf(th.Items[i], "x"); string(term.Output) != want || term.Command != want || term.Exited != (i == 0) {
			t.Errorf("item %d: %+v", i, term)
		}
	}
}

// A terminal keeps the newest one or two megabytes.
func TestTerminalIsBounded(t *testing.T) {
	th := thread.New("s")
	for i := range 100 {
		th.Apply(event.TerminalOutput{For: in, ID: "x", Data: []byte(strings.Repeat(fmt.Sprint(i%10), 100<<10))})
	}
	term := th.Terminal("x")
	if n := len(term.Output); n < 1<<20 || n > 2<<20 || term.Total != 100*100<<10 || term.Output[n-1] != '9' {
		t.Errorf("%d bytes kept of %d", n, term.Total)
	}
}

// The duration of a thought does not depend on how its pieces were joined.
func TestThoughtTime(t *testing.T) {
	q := event.NewQueue()
	for i := range 4 {
		q.Post(event.TextArrived{For: in, Role: event.Thought, Text: "hm ", At: now.Add(time.Duration(i) * time.Second)})
	}
	q.Post(says(event.Thought, "", "…")) // held back by safetext
	th := thread.New("s")
	for _, e := range q.Drain() {
		th.Apply(e)
	}
	if it := th.Items[0]; it.Until.Sub(it.At) != 3*time.Second {
		t.Errorf("took %v", it.Until.Sub(it.At))
	}
}

// A replay or another session does not continue the items above it.
func TestTextIsNotContinued(t *testing.T) {
	for name, part := range map[string]func(*thread.Thread){
		"history": func(th *thread.Thread) { th.Apply(event.HistoryBegan{For: in}) }, "attach": func(th *thread.Thread) { th.Attach("s", 0) }} {
		th := thread.New("s")
		for _, e := range []event.Event{prompt("p"), agent("one"), ended("end_turn")} {
			th.Apply(e)
		}
		part(th)
		th.Apply(agent("two"))
		if got := sketch(th); !strings.Contains(got, "agent one\n") || !strings.HasSuffix(got, "\nagent two") {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// After Attach the items remain, and no event changes them.
func TestAttach(t *testing.T) {
	th := thread.New("s")
	for _, e := range []event.Event{prompt("p"), says(event.Agent, "m", "one"), tool("t", "pending"), title("T"), event.Disconnected{}} {
		th.Apply(e)
	}
	th.Attach("s2", 0)
	if th.State != thread.Idle || th.Session != "s2" || th.Title != "T" {
		t.Errorf("%v %q %q", th.State, th.Session, th.Title)
	}
	th.Apply(says(event.Agent, "m", "two"))
	th.Apply(tool("t", "completed"))
	want := "user p\nagent one\ntool t unfinished\nnotice started again: the agent does not remember what is above\nagent two\ntool t done"
	if got := sketch(th); got != want {
		t.Errorf("got\n%s", got)
	}
}

// The agent has got a prompt that it has accepted or begun to answer, and no other that a lost connection
// interrupts.
func TestArrived(t *testing.T) {
	begun := event.TurnStarted{For: in, At: now, SeparatePrompts: true} // v2
	held, accepted := event.PromptHeld{For: in, Key: 1, Text: "p"}, event.PromptAccepted{For: in, Key: 1, MessageID: "m"}
	for name, c := range map[string]struct {
		events []event.Event
		want   bool
	}{
		"nothing":      {[]event.Event{prompt("p"), title("t")}, false},
		"a word":       {[]event.Event{prompt("p"), agent("a")}, true},
		"a plan":       {[]event.Event{prompt("p"), event.PlanChanged{For: in, Markdown: "p"}}, true},
		"a question":   {[]event.Event{prompt("p"), event.PermissionRequested{For: in, Key: 1}}, true},
		"the next one": {[]event.Event{prompt("p"), agent("a"), ended("end_turn"), prompt("q")}, false},
		"held":         {[]event.Event{begun, held}, false},
		"accepted":     {[]event.Event{begun, held, accepted}, true},
	} {
		th := thread.New("s")
		for _, e := range append(c.events, event.TurnEnded{For: in, Err: event.ErrClosed, At: now}) {
			th.Apply(e)
		}
		if end := th.Items[len(th.Items)-1].End; end == nil || end.Arrived != c.want {
			t.Errorf("%s: got %+v", name, end)
		}
	}
}

// A turn is empty if the agent has answered a prompt with no output at all, also not afterwards.
func TestEmptyTurns(t *testing.T) {
	idle := event.TurnStarted{For: in, At: now, SeparatePrompts: true} // v2: without a prompt
	plan := event.PlanChanged{For: in, Entries: []event.PlanEntry{{Content: "p"}}}
	for name, c := range map[string]struct {
		events []event.Event
		empty  bool
	}{
		"nothing":               {[]event.Event{prompt("p"), ended("end_turn")}, true},
		"an empty message":      {[]event.Event{prompt("p"), says(event.Agent, "m", " \n"), ended("end_turn")}, true},
		"after a turn with it":  {[]event.Event{prompt("p"), agent("a"), ended("end_turn"), prompt("q"), ended("end_turn")}, true},
		"a title":               {[]event.Event{prompt("p"), title("t"), ended("end_turn")}, true},
		"usage":                 {[]event.Event{prompt("p"), event.UsageChanged{For: in, Used: 1}, ended("end_turn")}, true},
		"an empty plan":         {[]event.Event{prompt("p"), event.PlanChanged{For: in}, ended("end_turn")}, true},
		"a mode set after it":   {[]event.Event{prompt("p"), ended("end_turn"), event.ModeChanged{For: in, ModeID: "m"}}, true},
		"an answer":             {[]event.Event{prompt("p"), agent("a"), ended("end_turn")}, false},
		"a thought":             {[]event.Event{prompt("p"), says(event.Thought, "", "hm"), ended("end_turn")}, false},
		"more of a message":     {[]event.Event{prompt("p"), says(event.Agent, "m", "a"), ended("end_turn"), prompt("q"), says(event.Agent, "m", "b"), ended("end_turn")}, false},
		"a tool call":           {[]event.Event{prompt("p"), tool("t", "completed"), ended("end_turn")}, false},
		"a tool call once more": {[]event.Event{prompt("p"), tool("t", "completed"), ended("end_turn"), prompt("q"), tool("t", "failed"), ended("end_turn")}, false},
		"a plan":                {[]event.Event{prompt("p"), plan, ended("end_turn")}, false},
		"a notice":              {[]event.Event{prompt("p"), event.NoticeArrived{For: in, Title: "n"}, ended("end_turn")}, false},
		"a mode":                {[]event.Event{prompt("p"), event.ModeChanged{For: in, ModeID: "m"}, ended("end_turn")}, false},
		"a file":                {[]event.Event{prompt("p"), event.FileWritten{For: in, Path: "f"}, ended("end_turn")}, false},
		"an answer after it":    {[]event.Event{prompt("p"), ended("end_turn"), agent("a")}, false},
		"a plan after it":       {[]event.Event{prompt("p"), ended("end_turn"), plan}, false},
		"a tool call after it":  {[]event.Event{prompt("p"), ended("end_turn"), tool("t", "completed")}, false},
		"an answer after two":   {[]event.Event{prompt("p"), ended("end_turn"), prompt("q"), ended("end_turn"), agent("a")}, false},
		"another end":           {[]event.Event{prompt("p"), ended("max_tokens")}, false},
		"stopped":               {[]event.Event{prompt("p"), event.TurnCancelled{For: in}, ended("end_turn")}, false},
		"not asked":             {[]event.Event{idle, ended("end_turn")}, false},
	} {
		th := thread.New("s")
		var end *thread.Item
		for _, e := range c.events {
			for _, i := range th.Apply(e) {
				if th.Items[i].Kind == thread.TurnEnd {
					end = th.Items[i]
				}
			}
		}
		if end == nil || end.End.Empty != c.empty {
			t.Errorf("%s: got %+v", name, end)
		}
	}
}
