package headless

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"parley/acpclient"
	"parley/acpclient/event"
)

// script joins the lines of a scripted agent.
func script(lines ...string) string { return strings.Join(lines, "\n") }

const (
	loads    = `answer {"protocolVersion":1,"agentInfo":{"name":"scripted"},"agentCapabilities":{"loadSession":true}}`
	offers   = `"configOptions":[{"id":"m","name":"Working mode","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask first"},{"value":"code","name":"Code"}]},{"id":"web","name":"Web","type":"boolean","currentValue":false}]`
	pending  = `{"sessionUpdate":"tool_call","toolCallId":"old","title":"Old tool","kind":"read","status":"pending"}`
	oldWords = `{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"what I once asked"}}`
)

func user(text string) string { return strings.Replace(oldWords, "what I once asked", text, 1) }

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
	replay := script("await initialize", loads, "await session/load", user("what I once asked"), chunk("m1", "an old answer"), thought, pending,
		toolCall, `{"sessionUpdate":"plan","entries":[{"content":"an old plan","priority":"high","status":"completed"}]}`, `answer {}`,
		"await session/prompt",
		`{"sessionUpdate":"tool_call_update","toolCallId":"old","status":"completed"}`, chunk("m1", "more of it"), chunk("m2", "the new answer"), "stop end_turn")
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
	const answer = `answer {}`
	history := []string{user("what I once asked"), "late", chunk("m1", "an old answer"), thought, toolCall}
	for at := range history {
		t.Run(fmt.Sprint("answered at ", at), func(t *testing.T) {
			t.Parallel()
			steps := slices.Insert(slices.Clone(history), at, answer, "late")
			replay := script(slices.Concat([]string{"await initialize", loads, "await session/load"}, steps, []string{"await session/prompt", chunk("m2", "the new answer"), "stop end_turn"})...)
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
	for name, end := range map[string]struct {
		last string
		code int
	}{"done": {"stop end_turn", ExitAgent}, "error": {"error -32603", ExitAgent}, "gone": {"exit 3", ExitAgent}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := play(t, script("await initialize", loads, "await session/load", pending, toolCall, chunk("", "half a sent"), "answer null", "await session/prompt", end.last), "go", reopened)
			if r.code != end.code || r.out != "" {
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
	r := play(t, script("greet", chunk("", "hi"), "stop end_turn"), "go", mcp)
	r.expect(t, ExitDone, "hi\n", "MCP server remote left out", "does not take http servers")
	all := lines(t, play(t, script("greet", chunk("", "hi"), "stop end_turn"), "go", mcp, format("stream-json")).out)
	if all[0].Type != "start" {
		t.Errorf("%+v comes first", all[0])
	}
}

// Settings are made before the prompt, in order, by category, id or name.
func TestSettings(t *testing.T) {
	t.Parallel()
	begin := []string{"await initialize", loads, "await session/new", `answer {"sessionId":"s",` + offers + `}`}
	r := play(t, script(append(begin, "await session/set_config_option", `answer {`+offers+`}`, "await session/set_config_option", `answer {`+offers+`}`,
		"await session/prompt", chunk("", "hi"), "stderr over", "exit 3")...), "go", with(Setting{"mode", "CODE"}, Setting{"web", "on"}))
	var got []string
	for l := range strings.SplitSeq(r.stderr, "\n") {
		if l, ok := strings.CutPrefix(l, "parley: stderr: session/"); ok && !strings.HasPrefix(l, "new") {
			got = append(got, l)
		}
	}
	if want := []string{`set_config_option {"configId":"m","sessionId":"s","value":"code"}`, `set_config_option {"configId":"web","sessionId":"s","type":"boolean","value":true}`}; len(got) != 3 || got[0] != want[0] || got[1] != want[1] || !strings.HasPrefix(got[2], "prompt") {
		t.Errorf("%q\n%s", got, r.stderr)
	}
}

// Modes and legacy models are settings if there are no options.
func TestLegacySettings(t *testing.T) {
	t.Parallel()
	r := play(t, script("await initialize", loads, "await session/new",
		`answer {"sessionId":"s","modes":{"currentModeId":"a","availableModes":[{"id":"a","name":"Ask"},{"id":"c","name":"Code"}]},"models":{"currentModelId":"o","availableModels":[{"modelId":"o","name":"Opus"},{"modelId":"h","name":"Haiku"}]}}`,
		"await session/set_mode", "answer {}", "await session/set_model", "answer {}", "await session/prompt", "exit 3"), "go", with(Setting{"mode", "code"}, Setting{"model", "haiku"}))
	for _, want := range []string{`session/set_mode {"modeId":"c","sessionId":"s"}`, `session/set_model {"modelId":"h","sessionId":"s"}`, "session/prompt"} {
		if !strings.Contains(r.stderr, want) {
			t.Errorf("no %s in %s", want, r.stderr)
		}
	}
}

// A setting that fails ends the run before the prompt.
func TestSettingErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		setting Setting
		refuse  bool
		want    string
	}{
		{Setting{"mode", "yolo"}, false, "mode yolo: the agent offers Ask first, Code"},
		{Setting{"Working Mode", "yolo"}, false, "Working Mode yolo: the agent offers Ask first, Code"},
		{Setting{"model", "opus"}, false, `the agent has no option "model"`},
		{Setting{"web", "maybe"}, false, "web maybe: want true or false"},
		{Setting{"mode", "code"}, true, "change the option: the agent answered: no such luck (-32603)"},
	} {
		t.Run(fmt.Sprint(c.setting), func(t *testing.T) {
			t.Parallel()
			lines := []string{"await initialize", loads, "await session/new", `answer {"sessionId":"s",` + offers + `}`}
			if c.refuse {
				lines = append(lines, "await session/set_config_option", "refuse -32603")
			}
			r := play(t, script(append(lines, "await session/prompt", chunk("", "prompted all the same"), "stop end_turn")...), "go", with(c.setting))
			r.expect(t, ExitAgent, "", c.want)
		})
	}
}

// A session that does not exist has its own exit code.
func TestNoSession(t *testing.T) {
	t.Parallel()
	r := play(t, script("await initialize", loads, "hang"), "go", func(o *Options) {
		o.Open = func(context.Context, *acpclient.Client, acpclient.NewSession) (*acpclient.Session, error) {
			return nil, fmt.Errorf("%w: %w", event.ErrNoSession, errors.New("lost"))
		}
	})
	r.expect(t, ExitNoSession, "", "no such session: lost")
}
