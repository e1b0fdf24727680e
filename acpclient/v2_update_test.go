package acpclient_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"parley/acpclient"
	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/internal/must"
)

func chunk(kind, id, text string) string {
	quoted, _ := json.Marshal(text)
	return fmt.Sprintf(`{"sessionUpdate":%q,"messageId":%q,"content":{"type":"text","text":%s}}`, kind, id, quoted)
}

// case 145: upserts replace, chunks append, and omitted members stay unchanged.
func TestCase145Upserts(t *testing.T) {
	talkV2(t, nil, func(t *testing.T, k *v2Talk) {
		upsert := func(rest string) string { return `{"sessionUpdate":"agent_message","messageId":"m"` + rest + `}` }
		link := `{"type":"resource_link","uri":"file:///a","name":"a"}`
		for _, step := range []struct{ update, want string }{
			{upsert(`,"content":[{"type":"text","text":"A"}]`), "agent A"},
			{chunk("agent_message_chunk", "m", "B"), "agent AB"},
			{upsert(`,"content":[{"type":"text","text":"C"}]`), "agent C"},
			{chunk("agent_message_chunk", "m", "D"), "agent CD"},
			{upsert(``), "agent CD"},
			{upsert(`,"content":"junk"`), "agent CD"},
			{upsert(`,"content":null`), "agent "},
			{chunk("agent_message_chunk", "m", "E"), "agent E"},
			{upsert(`,"content":[]`), "agent "},
			{upsert(`,"content":[{"type":"text","text":"F"},5,` + link + `,{"type":"text","text":"G"}]`), "agent FG | attachment file:///a"},
			{`{"sessionUpdate":"agent_message_chunk","messageId":"m","content":` + strings.ReplaceAll(link, "///a", "///b") + `}`, "agent FG | attachment file:///a | attachment file:///b"},
			{upsert(`,"content":[` + strings.ReplaceAll(link, "///a", "///c") + `]`), "agent  | attachment file:///c"},
			{upsert(`,"content":[{"type":"text","text":"H"}]`), "agent H"},
			{`{"sessionUpdate":"agent_message","content":[]}`, "agent H"},
			// A sequence that was cut off by the replacement stays cut.
			{chunk("agent_message_chunk", "m", "\u001b[3"), "agent H"},
			{upsert(`,"content":[{"type":"text","text":"I"}]`), "agent I"},
			{chunk("agent_message_chunk", "m", "1mJ"), "agent I1mJ"},
		} {
			k.update(step.update)
			k.wantLines(step.want)
		}
	})
}

// case 145: messages keep the place where they first appeared, and may be written
// alternately.
func TestCase145Interleaved(t *testing.T) {
	talkV2(t, nil, func(t *testing.T, k *v2Talk) {
		k.update(`{"sessionUpdate":"agent_message","messageId":"1"}`, chunk("agent_message_chunk", "2", "two"), chunk("agent_message_chunk", "1", "one"), chunk("agent_message_chunk", "2", "!"))
		k.wantLines("agent one | agent two!")
	})
}

// case 146: the kinds of messages have separate ids.
func TestCase146IdsByKind(t *testing.T) {
	talkV2(t, nil, func(t *testing.T, k *v2Talk) {
		k.update(chunk("agent_message_chunk", "m", "a"), chunk("agent_thought_chunk", "m", "t"), chunk("user_message_chunk", "m", "u"), chunk("agent_message_chunk", "m", "b"),
			`{"sessionUpdate":"agent_thought","messageId":"m","content":[{"type":"text","text":"T"}]}`)
		k.wantLines("agent ab | thought T | user u")
	})
}

// case 147: omitted members of a tool call stay unchanged, null is the default.
func TestCase147ToolPatches(t *testing.T) {
	talkV2(t, nil, func(t *testing.T, k *v2Talk) {
		tool := func(rest string) thread.Tool {
			k.update(`{"sessionUpdate":"tool_call_update","toolCallId":"c"` + rest + `}`)
			k.settle()
			return *k.thread.Tool("c")
		}
		if got := tool(``); got.Title != "" || got.Kind != "other" || got.Status != "pending" || got.Content != nil {
			t.Errorf("first sight: %+v", got)
		}
		full := tool(`,"title":"T","name":"N","kind":"read","status":"in_progress","rawInput":{"a":1},"rawOutput":"o","locations":[{"path":"/a","line":3},{"path":5}],"content":[{"type":"content","content":{"type":"text","text":"x"}}]`)
		if full.Title != "T" || full.Name != "N" || full.Kind != "read" || full.Status != "in_progress" || full.RawInput != `{"a":1}` || full.RawOutput != `"o"` || len(full.Locations) != 1 || len(full.Content) != 1 {
			t.Errorf("got %+v", full)
		}
		for _, same := range []string{``, `,"title":5,"name":{},"kind":[],"status":1,"locations":"x","content":7`} {
			if got := tool(same); got.Title != "T" || got.Name != "N" || got.Kind != "read" || got.Status != "in_progress" || len(got.Locations) != 1 || len(got.Content) != 1 {
				t.Errorf("%s: got %+v", same, got)
			}
		}
		if got := tool(`,"title":null,"name":null,"kind":null,"status":null,"rawInput":null,"rawOutput":null,"locations":null,"content":null`); got.Title != "" || got.Name != "" || got.Kind != "other" || got.Status != "pending" || got.RawInput != "" || got.RawOutput != "" || len(got.Locations) != 0 || len(got.Content) != 0 {
			t.Errorf("got %+v", got)
		}
		if got := tool(`,"status":"paused","kind":"_x"`); got.Status != "paused" || !got.Live() || got.Kind != "_x" { // case 158
			t.Errorf("got %+v", got)
		}
	})
}

// case 148: pieces of content create a tool call and are appended to it.
func TestCase148ContentChunks(t *testing.T) {
	talkV2(t, nil, func(t *testing.T, k *v2Talk) {
		piece := func(text string) string {
			return `{"sessionUpdate":"tool_call_content_chunk","toolCallId":"c","content":{"type":"content","content":{"type":"text","text":"` + text + `"}}}`
		}
		texts := func() (out string) {
			k.settle()
			for _, c := range k.thread.Tool("c").Content {
				out += c.Content.Text
			}
			return out
		}
		if k.update(piece("a"), piece("b")); texts() != "ab" {
			t.Errorf("got %q", texts())
		}
		if k.update(`{"sessionUpdate":"tool_call_update","toolCallId":"c","content":[{"type":"content","content":{"type":"text","text":"C"}}]}`); texts() != "C" {
			t.Errorf("got %q", texts())
		}
		if k.update(piece("d")); texts() != "Cd" {
			t.Errorf("got %q", texts())
		}
		k.ask("q", `"subject":{"type":"tool_call","toolCall":{"toolCallId":"c"}},`)
		if c := *k.asks.open[0].Tool.Content; len(c) != 2 || c[0].Block.Text != "C" || c[1].Block.Text != "d" {
			t.Errorf("the question has %+v", c)
		}
	})
}

// case 149: output arrives in pieces that are decoded separately.
func TestCase149Terminals(t *testing.T) {
	talkV2(t, nil, func(t *testing.T, k *v2Talk) {
		term := func(updates ...string) thread.Terminal {
			for _, u := range updates {
				k.update(`{"sessionUpdate":"terminal_` + u + `}`)
			}
			k.settle()
			return *k.thread.Terminal("t")
		}
		k.update(`{"sessionUpdate":"tool_call_update","toolCallId":"t","content":[{"type":"terminal","terminalId":"t"}]}`)
		got := term(`output_chunk","terminalId":"t","data":"4pw="`, `output_chunk","terminalId":"t","data":"kw=="`)
		if string(got.Output) != "✓" || got.Exited {
			t.Errorf("%+v %q", got, got.Output)
		}
		got = term(`update","terminalId":"t","command":"ls","cwd":"/w","size":{"cols":100,"rows":30}`)
		if got.Command != "ls" || got.Cwd != "/w" || !got.Foreign || got.Cols != 100 || string(got.Output) != "✓" {
			t.Errorf("got %+v", got)
		}
		if got = term(`output_chunk","terminalId":"t","data":"%%"`); !got.Gap || string(got.Output) != "✓" {
			t.Errorf("got %+v", got)
		}
		before := k.thread.Terminal("t")
		if got = term(`update","terminalId":"t","command":null,"output":{"data":"bmV3"}`, `output_chunk","terminalId":"t","data":"IQ=="`); string(got.Output) != "new!" || got.Total != 4 || got.Gap || got.Command != "" || got.Cwd != "/w" || k.thread.Terminal("t") == before {
			t.Errorf("%+v %q", got, got.Output)
		}
		if got = term(`update","terminalId":"t","exitStatus":{}`); !got.Exited || got.Code != nil || got.Signal != "" {
			t.Errorf("got %+v", got)
		}
		if got = term(`update","terminalId":"t","exitStatus":{"exitCode":-1,"signal":"KILL"}`); got.Code == nil || *got.Code != -1 || got.Signal != "KILL" {
			t.Errorf("got %+v", got)
		}
		if got = term(`update","terminalId":"t","exitStatus":null,"output":null`); got.Exited || got.Code != nil || len(got.Output) != 0 {
			t.Errorf("got %+v", got)
		}
		if !slices.Contains(k.thread.Apply(event.TerminalOutput{For: event.For{Session: "s"}, ID: "t", Data: []byte("x")}), 0) {
			t.Error("the tool call that shows it is not touched")
		}
	})
}

// case 150: diffs are lists of files, with or without a patch.
func TestCase150Diffs(t *testing.T) {
	talkV2(t, nil, func(t *testing.T, k *v2Talk) {
		diff := func(rest string) *event.Changes {
			k.update(`{"sessionUpdate":"tool_call_update","toolCallId":"c","content":[{"type":"diff",` + rest + `}]}`)
			k.settle()
			if c := k.thread.Tool("c").Content; len(c) == 1 {
				return c[0].Changes
			}
			return nil
		}
		c := diff(`"changes":[{"operation":"add","path":"/a"},{"operation":"delete","path":"/b","fileType":"binary"},{"operation":"move","path":"/d","oldPath":"/c"},
			{"operation":"copy","path":"/f","oldPath":"/e"},{"operation":"modify","path":"/l","fileType":"symlink"},{"operation":"_chmod","path":"/g"},{"operation":"move","path":"/h"},{"path":"/i"}]`)
		want := []event.FileChange{{Operation: "add", Path: "/a"}, {Operation: "delete", Path: "/b", FileType: "binary"}, {Operation: "move", Path: "/d", OldPath: "/c"},
			{Operation: "copy", Path: "/f", OldPath: "/e"}, {Operation: "modify", Path: "/l", FileType: "symlink"}, {Operation: "_chmod", Path: "/g"}}
		if !slices.Equal(c.Files, want) || c.Patch != "" {
			t.Errorf("got %+v", c)
		}
		if c := diff(`"changes":[],"patch":null`); len(c.Files) != 0 || c.Patch != "" {
			t.Errorf("got %+v", c)
		}
		if c := diff(`"changes":[],"patch":{"format":"_x","text":"a\u001b[2Jb"}`); c.Patch != "ab" || c.PatchFormat != "_x" {
			t.Errorf("got %+v", c)
		}
		patch := "diff --git /w/a b /w/a b\n--- /w/a b\n+++ /w/a b\n@@ -1 +1 @@\n-old\n+new\n"
		text, _ := json.Marshal(patch)
		if c := diff(`"changes":[{"operation":"modify","path":"/w/a b"}],"patch":{"format":"git_patch","text":` + string(text) + `}`); c.PatchFormat != "git_patch" || c.Patch != patch {
			t.Errorf("got %+v", c)
		}
	})
}

// case 155: a session is resumed with or without its history. The state is reported
// before the answer, or is idle.
func TestCase155Resume(t *testing.T) {
	asked := `{"sessionUpdate":"state_update","state":"requires_action","background":[{"type":"_x"}]}`
	for _, tt := range []struct {
		name, answer string
		replay       bool
		want         thread.State
		lines        string
	}{
		{"replay", userMessage("u", "q") + "\n" + chunk("agent_message_chunk", "m", "a") + "\n" + idle + "\n" + `{"configOptions":[],"availableCommands":[{"name":"c"}]}`, true, thread.Idle, "user q | agent a"},
		{"working", userMessage("u", "q") + "\n" + asked + "\n{}", true, thread.Waiting, "user q"},
		{"no replay", running + "\n{}", false, thread.Running, ""},
		{"no snapshot", "null", false, thread.Idle, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			talkV2(t, map[string]string{"session/new": `{"sessionId":"other"}`, "session/resume": tt.answer}, func(t *testing.T, k *v2Talk) {
				open := k.client.ResumeSession
				if tt.replay {
					open = k.client.LoadSession
				}
				s := must.Get(open(t.Context(), "s", acpclient.NewSession{Cwd: "/w", MCP: []acpclient.MCPServer{{Name: "m", Command: "/bin/m"}, {Name: "h", Type: "http", URL: "http://h"}}}))(t)
				k.wantState(tt.want)
				k.wantLines(tt.lines)
				if len(k.ends()) != 0 || s.Running() != (tt.want != thread.Idle) {
					t.Errorf("ends %v, running %v", k.ends(), s.Running())
				}
				params := string(k.got("session/resume")[0].Params)
				if strings.Contains(params, `"replayFrom":{"type":"start"}`) != tt.replay || !strings.Contains(params, `"mcpServers":[{"type":"stdio","name":"m","command":"/bin/m","args":[],"env":[]}]`) {
					t.Errorf("%s", params)
				}
				if tt.name == "replay" && len(k.thread.Commands) != 1 {
					t.Errorf("commands %v", k.thread.Commands)
				}
			})
		})
	}
}

// case 156: setting an option names the type of the value, and the answer replaces the
// list.
func TestCase156Options(t *testing.T) {
	list := `[{"configId":"fast","name":"Fast","type":"boolean","currentValue":true},{"configId":"m","name":"M","type":"select","currentValue":"a","options":[{"groupId":"g","name":"G","options":[{"value":"a","name":"A"}]},{"value":"b","name":"B"}]},{"id":"v1","type":"select"},{"configId":"x","type":"_x"}]`
	talkV2(t, map[string]string{"session/new": `{"sessionId":"s","configOptions":` + list + `}`, "session/set_config_option": `{"configOptions":[{"configId":"fast","name":"Fast","type":"boolean","currentValue":false}]}`}, func(t *testing.T, k *v2Talk) {
		k.settle()
		if c := k.thread.Config; len(c) != 2 || c[0].Current != "on" || len(c[1].Choices) != 2 {
			t.Errorf("got %+v", c)
		}
		for _, set := range []struct {
			value any
			want  string
		}{{false, `"type":"boolean","value":false`}, {"b", `"type":"id","value":"b"`}} {
			if err := k.session.SetOption(t.Context(), event.LegacyModels, set.value); err != nil {
				t.Error(err)
			}
			if got := k.got("session/set_config_option"); !strings.HasSuffix(string(got[len(got)-1].Params), `"configId":"`+event.LegacyModels+`",`+set.want+`}`) {
				t.Errorf("%s", got[len(got)-1].Params)
			}
		}
		if k.settle(); len(k.thread.Config) != 1 || k.thread.Config[0].Current != "off" {
			t.Errorf("got %+v", k.thread.Config)
		}
		if err := k.session.SetMode(t.Context(), "x"); err == nil {
			t.Error("there are no modes in v2")
		}
	})
}

// case 157: commands arrive in answers and in updates, with or without a type.
func TestCase157Commands(t *testing.T) {
	one := `[{"type":"command","name":"a","description":"A","input":{"type":"text","hint":"h"}},{"name":"b"},{"type":"_x","name":"c","description":"C","input":{"type":"_y"}},{"type":"command"}]`
	talkV2(t, map[string]string{"session/new": `{"sessionId":"s","availableCommands":` + one + `}`}, func(t *testing.T, k *v2Talk) {
		want := []event.Command{{Name: "a", Description: "A", Hint: "h"}, {Name: "b"}, {Name: "c", Description: "C"}}
		if k.settle(); !slices.Equal(k.thread.Commands, want) {
			t.Errorf("got %+v", k.thread.Commands)
		}
		k.update(`{"sessionUpdate":"available_commands_update","availableCommands":[]}`)
		if k.settle(); len(k.thread.Commands) != 0 {
			t.Errorf("got %+v", k.thread.Commands)
		}
	})
}

// case 158: unknown values are kept and shown as such, including extensions. case 160:
// _meta is ignored here.
func TestCase158Unknown(t *testing.T) {
	talkV2(t, nil, func(t *testing.T, k *v2Talk) {
		k.update(`{"sessionUpdate":"_x","a":1}`, `{"sessionUpdate":"future","b":2}`, `{"sessionUpdate":"plan_update","plan":{"type":"file","planId":"p","uri":"file:///p.md"}}`,
			`{"sessionUpdate":"tool_call_update","toolCallId":"c","content":[{"type":"_y","z":3}],"_meta":{"title":"no"}}`,
			`{"sessionUpdate":"agent_message","messageId":"m","content":[{"type":"hologram","q":4}],"_meta":null}`,
			`{"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"text","text":"t"},"_meta":{"a":{"b":1}}}`)
		k.settle()
		var unknown []string
		for _, e := range k.events {
			if e, ok := e.(event.UnknownArrived); ok {
				unknown = append(unknown, e.Kind+" "+e.JSON)
			}
		}
		if len(unknown) != 3 || unknown[0] != `_x {"sessionUpdate":"_x","a":1}` || !strings.HasPrefix(unknown[2], "a plan of type file ") {
			t.Errorf("got %q", unknown)
		}
		if c := k.thread.Tool("c").Content[0].Content; c.Kind != event.UnknownContent || c.Text != `{"type":"_y","z":3}` || k.thread.Tool("c").Title != "" {
			t.Errorf("got %+v", c)
		}
		if !strings.Contains(k.lines(), "agent t | attachment ") {
			t.Errorf("%s", k.lines())
		}
	})
}

// case 161: plans have ids.
func TestCase161Plans(t *testing.T) {
	plan := func(id, entries string) string {
		return `{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"` + id + `","entries":[` + entries + `]}}`
	}
	entry := func(s string) string { return `{"content":"` + s + `","priority":"low","status":"cancelled"}` }
	talkV2(t, nil, func(t *testing.T, k *v2Talk) {
		check := func(want string) {
			t.Helper()
			k.settle()
			got := ""
			for _, p := range k.thread.Plans {
				got += p.ID + ":" + p.Entries[0].Content + " "
			}
			if len(k.thread.Plan) > 0 {
				got += "last " + k.thread.Plan[0].Content
			}
			if got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		}
		k.update(plan("1", entry("a")), plan("2", entry("b")))
		check("1:a 2:b last b")
		k.update(plan("1", entry("c")+`,5`))
		check("1:c 2:b last c")
		k.update(plan("1", ``))
		check("2:b last b")
		k.update(`{"sessionUpdate":"plan_removed","planId":"2"}`)
		check("")
	})
}

// case 163: updates that only v1 has are accepted, and noted in the log.
func TestCase163UpdatesOfV1(t *testing.T) {
	talkV2(t, nil, func(t *testing.T, k *v2Talk) {
		k.update(`{"sessionUpdate":"tool_call","toolCallId":"c","title":"T"}`, `{"sessionUpdate":"plan","entries":[{"content":"a"}]}`, `{"sessionUpdate":"current_mode_update","currentModeId":"x"}`)
		if k.settle(); k.thread.Tool("c").Title != "T" || len(k.thread.Plan) != 1 || k.thread.Mode != "x" {
			t.Errorf("%+v %v %q", k.thread.Tool("c"), k.thread.Plan, k.thread.Mode)
		}
		lines, _ := k.log.Lines()
		n := 0
		for _, l := range lines {
			if strings.Contains(l.Text, "v1 on a connection of v2") {
				n++
			}
		}
		if n != 3 {
			t.Errorf("got %v", lines)
		}
	})
}

// The cost can be retracted; logins have other names.
func TestSmallDifferencesOfV2(t *testing.T) {
	hello := strings.Replace(v2Hello, `"capabilities"`, `"authMethods":[{"methodId":"a","type":"agent","name":"A"},{"id":"b","type":"agent"},{"methodId":"c","name":"no type"}],"capabilities"`, 1)
	talkV2(t, map[string]string{"initialize": hello}, func(t *testing.T, k *v2Talk) {
		k.update(`{"sessionUpdate":"usage_update","used":1,"size":2,"cost":{"amount":3,"currency":"USD"}}`, `{"sessionUpdate":"usage_update","used":4,"size":5}`)
		if k.settle(); k.thread.Usage.Cost != 3 || k.thread.Usage.Used != 4 {
			t.Errorf("got %+v", k.thread.Usage)
		}
		k.update(`{"sessionUpdate":"usage_update","used":4,"size":5,"cost":null}`)
		if k.settle(); k.thread.Usage.Currency != "" || k.thread.Usage.Cost != 0 {
			t.Errorf("got %+v", k.thread.Usage)
		}
		if m := k.client.Agent().AuthMethods; len(m) != 1 || m[0].ID != "a" {
			t.Errorf("got %+v", m)
		}
		if err := k.client.Authenticate(t.Context(), "a"); err != nil || len(k.got("auth/login")) != 1 {
			t.Error(err)
		}
		if err := k.client.LogOut(t.Context()); err != nil || len(k.got("auth/logout")) != 1 {
			t.Error(err)
		}
		if err := k.client.DeleteSession(t.Context(), "old"); err != nil || len(k.got("session/delete")) != 1 {
			t.Error(err)
		}
		if err := k.client.CloseSession(t.Context(), k.session); err != nil || len(k.got("session/close")) != 1 {
			t.Error(err)
		}
		if err := k.session.Prompt(event.Block{Text: "x"}); err == nil {
			t.Error("a closed session takes a prompt")
		}
	})
}
