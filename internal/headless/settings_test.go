package headless

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/acpclient"
	"parley/acpclient/event"
	"parley/internal/fakeagent"
)

const (
	offers   = `,"configOptions":[{"id":"m","name":"Working mode","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask first"},{"value":"code","name":"Code"}]},{"id":"web","name":"Web","type":"boolean","currentValue":false}]`
	pending  = `{"sessionUpdate":"tool_call","toolCallId":"old","title":"Old tool","kind":"read","status":"pending"}`
	oldWords = `{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"what I once asked"}}`
)

// keeps starts an agent that sends updates when a session is loaded, and late ones a moment after its
// answer.
func keeps(history, late []string, turn func(*fakeagent.Turn) string) agent {
	s := &fakeagent.Script{}
	s.Capabilities(`,"agentCapabilities":{"loadSession":true}`)
	s.On("session/load", func(c *fakeagent.Call) (string, error) {
		for _, u := range history {
			c.Agent.Update(c.ID, u)
		}
		time.AfterFunc(2*time.Millisecond, func() {
			for _, u := range late {
				c.Agent.Update(c.ID, u)
			}
		})
		return `{}`, nil
	})
	s.Turn(turn)
	return follows(s)
}

// reopened opens the session s with session/load.
func reopened(o *Options) {
	o.Open = func(ctx context.Context, c *acpclient.Client, n acpclient.NewSession) (*acpclient.Session, error) {
		return c.LoadSession(ctx, "s", n)
	}
}

func with(settings ...Setting) func(*Options) { return func(o *Options) { o.Settings = settings } }

// The replay of an earlier conversation is not printed in any format, and late parts of it
// are harmless.
func TestReplayIsNotPrinted(t *testing.T) {
	t.Parallel()
	replay := keeps([]string{oldWords, chunk("m1", "an old answer"), thought, pending,
		toolCall, `{"sessionUpdate":"plan","entries":[{"content":"an old plan","priority":"high","status":"completed"}]}`}, nil,
		sending(`{"sessionUpdate":"tool_call_update","toolCallId":"old","status":"completed"}`, chunk("m1", "more of it"), chunk("m2", "the new answer")))
	r := play(t, replay, "go", reopened)
	if r.code != ExitDone || r.out != "more of it\n\nthe new answer\n" || strings.Contains(r.stderr, "Old tool") {
		t.Errorf("code %d, %q, %q", r.code, r.out, r.stderr)
	}
	r = play(t, replay, "go", reopened, format("json"))
	got := decodeResult(t, r.out)
	if got.Answer != "more of it\n\nthe new answer" || got.Thoughts != "" || len(got.Plan) != 0 || got.Session != "s" {
		t.Errorf("got %+v", got)
	}
	for _, tool := range got.Tools {
		if tool.Title == "Look" || tool.Title == "Old tool" {
			t.Errorf("got %+v", tool)
		}
	}
	r = play(t, replay, "go", reopened, format("stream-json"))
	if strings.Contains(r.out, "old answer") || strings.Contains(r.out, "once asked") || strings.Contains(r.out, "old plan") || !strings.Contains(r.out, "the new answer") {
		t.Error(r.out)
	}
	if all := lines(t, r.out); all[0].Type != "start" || all[0].Session != "s" {
		t.Errorf("got %+v", all[0])
	}
}

// An agent that answers session/load before it has sent all of the history, as gemini does
// after the first message, prints none of it either.
func TestLateReplayIsNotPrinted(t *testing.T) {
	t.Parallel()
	history := []string{oldWords, chunk("m1", "an old answer"), thought, toolCall}
	for at := range history {
		t.Run(fmt.Sprint("answered at ", at), func(t *testing.T) {
			t.Parallel()
			replay := keeps(history[:at], history[at:], sending(chunk("m2", "the new answer")))
			r := play(t, replay, "go", reopened)
			r.expect(t, ExitDone, "the new answer\n")
			if strings.Contains(r.stderr, "Look") {
				t.Errorf("an old tool call: %q", r.stderr)
			}
			got := decodeResult(t, play(t, replay, "go", reopened, format("json")).out)
			if got.Answer != "the new answer" || got.Thoughts != "" || len(got.Tools) != 0 {
				t.Errorf("got %+v", got)
			}
			r = play(t, replay, "go", reopened, format("stream-json"))
			if strings.Contains(r.out, "old answer") || strings.Contains(r.out, "once asked") || !strings.Contains(r.out, "the new answer") {
				t.Error(r.out)
			}
		})
	}
}

// A turn after a replay with unfinished calls ends like any other.
func TestTurnAfterUnfinishedReplay(t *testing.T) {
	t.Parallel()
	for name, turn := range map[string]func(*fakeagent.Turn) string{"done": sending(), "error": func(*fakeagent.Turn) string { return "" }, "gone": func(t *fakeagent.Turn) string { t.Agent.Close(); return "" }} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := play(t, keeps([]string{pending, toolCall, chunk("", "half a sent")}, nil, turn), "go", reopened)
			if r.code != ExitAgent || r.out != "" {
				t.Errorf("code %d, %q, %q", r.code, r.out, r.stderr)
			}
		})
	}
}

// Notices that arrive before the prompt are printed.
func TestNoticeBeforeThePrompt(t *testing.T) {
	t.Parallel()
	mcp := func(o *Options) {
		o.Session.MCP = []acpclient.MCPServer{{Name: "remote", Type: "http", URL: "https://host"}}
	}
	r := play(t, sends(chunk("", "hi")), "go", mcp)
	r.expect(t, ExitDone, "hi\n", "MCP server remote left out", "does not take http servers")
	all := lines(t, play(t, sends(chunk("", "hi")), "go", mcp, format("stream-json")).out)
	if all[0].Type != "start" {
		t.Errorf("%+v comes first", all[0])
	}
}

// Settings are made before the prompt, in order, by category, id or name.
func TestSettings(t *testing.T) {
	t.Parallel()
	s, got := offering(offers)
	s.Answer("session/set_config_option", `{`+offers[1:]+`}`)
	play(t, follows(s), "go", with(Setting{"mode", "CODE"}, Setting{"web", "on"})).expect(t, ExitDone, "hi\n")
	if want := []string{`session/set_config_option {"configId":"m","sessionId":"s1","value":"code"}`, `session/set_config_option {"configId":"web","sessionId":"s1","type":"boolean","value":true}`}; !slices.Equal(*got, want) {
		t.Errorf("got %q", *got)
	}
}

// Modes and legacy models are settings if there are no options.
func TestLegacySettings(t *testing.T) {
	t.Parallel()
	s, got := offering(`,"modes":{"currentModeId":"a","availableModes":[{"id":"a","name":"Ask"},{"id":"c","name":"Code"}]},"models":{"currentModelId":"o","availableModels":[{"modelId":"o","name":"Opus"},{"modelId":"h","name":"Haiku"}]}`)
	s.Answer("session/set_mode", `{}`)
	s.Answer("session/set_model", `{}`)
	play(t, follows(s), "go", with(Setting{"mode", "code"}, Setting{"model", "haiku"})).expect(t, ExitDone, "hi\n")
	if want := []string{`session/set_mode {"modeId":"c","sessionId":"s1"}`, `session/set_model {"modelId":"h","sessionId":"s1"}`}; !slices.Equal(*got, want) {
		t.Errorf("got %q", *got)
	}
}

// offering returns an agent that offers something in new sessions, and the requests that it gets
// between the session and the prompt.
func offering(more string) (s *fakeagent.Script, got *[]string) {
	s, got = &fakeagent.Script{}, new([]string)
	s.NewSessions(more)
	s.Turn(func(t *fakeagent.Turn) string {
		*got = t.Agent.Calls("")[2:]
		t.Say("hi")
		return "end_turn"
	})
	return s, got
}

// A setting that fails ends the run before the prompt.
func TestSettingErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		setting Setting
		want    string
	}{
		{Setting{"mode", "yolo"}, "mode yolo: the agent offers Ask first, Code"},
		{Setting{"Working Mode", "yolo"}, "Working Mode yolo: the agent offers Ask first, Code"},
		{Setting{"model", "opus"}, `the agent has no option "model"`},
		{Setting{"web", "maybe"}, "web maybe: want true or false"},
		{Setting{"mode", "code"}, "change the option: the agent answered: no such luck (-32603)"},
	} {
		t.Run(fmt.Sprint(c.setting), func(t *testing.T) {
			t.Parallel()
			s, _ := offering(offers)
			s.Fail("session/set_config_option", -32603, "no such luck")
			play(t, follows(s), "go", with(c.setting)).expect(t, ExitAgent, "", c.want)
		})
	}
}

// A session that does not exist has its own exit code.
func TestNoSession(t *testing.T) {
	t.Parallel()
	r := play(t, sends(), "go", func(o *Options) {
		o.Open = func(context.Context, *acpclient.Client, acpclient.NewSession) (*acpclient.Session, error) {
			return nil, fmt.Errorf("%w: %w", event.ErrNoSession, errors.New("lost"))
		}
	})
	r.expect(t, ExitNoSession, "", "no such session: lost")
}
