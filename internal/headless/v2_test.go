package headless

import (
	"strings"
	"testing"

	"parley/acpclient/event"
	"parley/internal/fakeagent"
)

// A complete message is printed like one that arrives in pieces, and pieces printed before
// are not repeated.
func TestWholeMessages(t *testing.T) {
	t.Parallel()
	whole := func(id, text string) string {
		return `{"sessionUpdate":"agent_message","messageId":"` + id + `","content":[{"type":"text","text":"` + text + `"}]}`
	}
	for name, tc := range map[string]struct {
		updates []string
		want    string
	}{
		"whole":                     {[]string{whole("m", "hello")}, "hello\n"},
		"pieces, then whole":        {[]string{chunk("m", "hel"), chunk("m", "lo"), whole("m", "hello")}, "hello\n"},
		"whole, then more":          {[]string{whole("m", "hel"), chunk("m", "lo")}, "hello\n"},
		"grown":                     {[]string{whole("m", "hel"), whole("m", "hello")}, "hello\n"},
		"another":                   {[]string{whole("m", "hello"), whole("n", "world"), whole("m", "hello")}, "hello\n\nworld\n"},
		"says something else":       {[]string{whole("m", "hello"), whole("m", "goodbye")}, "hello\n\ngoodbye\n"},
		"only the message was told": {[]string{whole("m", "hello"), `{"sessionUpdate":"agent_message","messageId":"m"}`}, "hello\n"},
		"not the agent's":           {[]string{`{"sessionUpdate":"agent_thought","messageId":"t","content":[{"type":"text","text":"hm"}]}`, whole("m", "hello")}, "hello\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			play(t, sendsV2(tc.updates...), "go").expect(t, ExitDone, tc.want)
		})
	}
	all := lines(t, play(t, sendsV2(whole("m", "hello")), "go", format("stream-json")).out)
	if n := len(all); n < 3 || all[n-2].Type != "message" || all[n-2].Text != "hello" || all[n-2].MessageID != "m" {
		t.Errorf("got %+v", all)
	}
}

// JSON also has what the screen shows beside messages and calls: plans as text, sub-agents
// and notices.
func TestJSONOfPlansSubagentsAndNotices(t *testing.T) {
	t.Parallel()
	steps := sendsV2(
		`{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"p","content":"1. **Look**\n2. Mend"}}`,
		`{"sessionUpdate":"subagent_update","sessionId":"child","title":"Find it","description":"Explore","state":{"state":"running"}}`,
		`{"sessionUpdate":"notice","severity":"warning","title":"Quota","description":"95 % used"}`)
	streamed := play(t, steps, "go", format("stream-json")).out
	for _, want := range []string{`{"type":"plan","text":"1. **Look**\n2. Mend"}`, `{"type":"subagent","session":"child","text":"Explore","subject":"Find it","state":"running"}`} {
		if !strings.Contains(streamed, want+"\n") {
			t.Errorf("stream-json has no %s: %s", want, streamed)
		}
	}
	whole := play(t, steps, "go", format("json")).out
	for _, want := range []string{`"planText":"1. **Look**\n2. Mend"`, `"notices":[{"type":"notice","text":"95 % used","subject":"Quota","severity":"warning"}]`} {
		if !strings.Contains(whole, want) {
			t.Errorf("json has no %s: %s", want, whole)
		}
	}
}

// Forms and pages are declined with a message, also while the session is being opened.
func TestElicitationsAreDeclined(t *testing.T) {
	t.Parallel()
	const form = `{"sessionId":"s1","mode":"form","message":"Who are you?","requestedSchema":{"type":"object","properties":{"name":{"type":"string"}}}}`
	const page = `{"sessionId":"s1","mode":"url","message":"Log in","elicitationId":"e","url":"https://host/login"}`
	for name, tc := range map[string]struct{ params, want string }{
		"form": {form, "parley: declined to fill in a form: Who are you?\n"},
		"page": {page, "parley: declined to open https://host/login: Log in\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			steps := does(func(t *fakeagent.Turn) string { t.Elicit(tc.params); t.Say(t.Agent.Answers()[0]); return "end_turn" })
			play(t, steps, "go").expect(t, ExitDone, `{"action":"decline"}`+"\n", tc.want)
			r := play(t, steps, "go", format("json"))
			if r.stderr != tc.want {
				t.Errorf("beside JSON: %q", r.stderr)
			}
			all := lines(t, play(t, steps, "go", format("stream-json")).out)
			if e := all[1]; e.Type != "elicitation" || e.Decision != "decline" || e.Text == "" || (e.URI == "") != (name == "form") {
				t.Errorf("got %+v", all)
			}
		})
	}
	early := &fakeagent.Script{}
	early.On("session/new", func(c *fakeagent.Call) (string, error) {
		c.Agent.Elicit(c.Ctx, strings.Replace(form, `"sessionId":"s1"`, `"requestId":1`, 1))
		return c.Default()
	})
	play(t, follows(early), "go").expect(t, ExitDone, "You said: go\n", "declined to fill in a form: Who are you?")
}

// A Tap sees all messages, and the agent's introduction is reported.
func TestTap(t *testing.T) {
	t.Parallel()
	var sent []string
	var info event.AgentInfo
	watched := func(o *Options) {
		o.Client.Tap = func(out bool, _ uint64, data []byte) {
			if out {
				sent = append(sent, string(data))
			}
		}
		o.OnAgentInfo = func(i event.AgentInfo) { info = i }
	}
	play(t, sends(chunk("", "hi")), "go", watched).expect(t, ExitDone, "hi\n")
	if len(sent) != 3 || !strings.Contains(sent[2], `"session/prompt"`) || info.Name != "fake" || info.ProtocolVersion != 1 {
		t.Errorf("%q, %+v", sent, info)
	}
}
