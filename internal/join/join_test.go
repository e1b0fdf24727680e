package join

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/internal/fakeagent"
	"parley/internal/hello"
	"parley/internal/must"
)

func TestAClientFollowsATurn(t *testing.T) {
	each(t, func(r *rig, version int) {
		r.script.Turn(func(t *fakeagent.Turn) string {
			t.Say("You said: ")
			time.Sleep(time.Second)
			t.Say(t.Text)
			return "end_turn"
		})
		before := r.follow("early", hello.Watch, version)
		r.on(func() { r.session().Prompts.Submit("hello", false) })
		time.Sleep(500 * time.Millisecond)
		during := r.follow("late", hello.Watch, version)
		r.settle()
		after := r.follow("after", hello.Watch, version)
		for _, g := range []*guest{before, during, after} {
			g.wants("user_message: hello", "agent_message: You said: hello")
			g.matches()
			g.valid()
		}
		if version == 2 {
			if got := strings.Join(before.states, ", "); got != "idle, running, idle end_turn" {
				t.Errorf("the states are %q", got)
			}
			if got := strings.Join(after.states, ", "); got != "idle end_turn" {
				t.Errorf("the states are %q", got)
			}
		}
	})
}

func TestSessionsAreListed(t *testing.T) {
	each(t, func(r *rig, version int) {
		g := r.join("phone", hello.Watch, version)
		list := g.must("session/list", `{}`)
		if !strings.Contains(list, `"sessionId":"s1"`) || !strings.Contains(list, jsonText(r.Cwd)) {
			t.Errorf("listed %s", list)
		}
		if list := g.must("session/list", `{"cwd":"/elsewhere"}`); list != `{"sessions":[]}` {
			t.Errorf("listed %s", list)
		}
		g.fails(-32602, "session/list", `{"cursor":"x"}`)
		if status := g.must("session/status", `{"sessionId":"s1"}`); status != `{"state":{"state":"idle"},"status":"open"}` {
			t.Errorf("the status is %s", status)
		}
		g.valid()
	})
}

func TestVersionsAreNegotiated(t *testing.T) {
	with(t, "1", Options{}, func(r *rig) {
		for params, want := range map[string]string{
			`{"protocolVersion":1}`:                         `"protocolVersion":1`,
			`{"protocolVersion":2,"info":{}}`:               `"protocolVersion":2`,
			`{"protocolVersion":7}`:                         `"protocolVersion":2`,
			`{"protocolVersion":1,"clientCapabilities":[]}`: `"protocolVersion":1`,
		} {
			if got := r.dial("phone", hello.Talk, 1).must("initialize", params); !strings.Contains(got, want) || !strings.Contains(got, `"version":"1.2.3"`) {
				t.Errorf("%s: %s", params, got)
			}
		}
		for _, params := range []string{`{}`, `{"protocolVersion":0}`, `{"protocolVersion":"2"}`, `{"protocolVersion":-1}`} {
			r.dial("phone", hello.Talk, 1).fails(-32022, "initialize", params)
		}
		g := r.dial("phone", hello.Talk, 1)
		g.fails(-32600, "session/list", `{}`)
		g.must("initialize", `{"protocolVersion":1}`)
		g.must("initialize", `{"protocolVersion":1}`)
		g.fails(-32600, "initialize", `{"protocolVersion":2}`)
		g.fails(-32601, "fs/read_text_file", `{"path":"/elsewhere"}`)
		g.fails(-32601, "authenticate", `{"methodId":"x"}`)
		g.fails(-32601, "_parley/x", `{}`)
		g.fails(-32602, "session/load", `{"sessionId":1}`)
		g.fails(-32002, "session/load", `{"sessionId":"nothing"}`)
		two := r.join("tablet", hello.Talk, 2)
		two.fails(-32601, "session/load", `{"sessionId":"s1"}`)
		two.fails(-32601, "session/set_mode", `{"sessionId":"s1","modeId":"x"}`)
		two.fails(-32602, "session/resume", `{"sessionId":"s1","cwd":"/","replayFrom":{"type":"end"}}`)
		g.valid()
		two.valid()
	})
}

func TestResumingReplaysNothing(t *testing.T) {
	each(t, func(r *rig, version int) {
		r.on(func() { r.session().Prompts.Submit("hello", false) })
		r.settle()
		g := r.join("phone", hello.Watch, version)
		g.must("session/resume", `{"sessionId":"s1","cwd":"/"}`)
		g.wants()
		r.on(func() { r.session().Prompts.Submit("more", false) })
		g.wants("user_message: more", "agent_message: You said: more")
		g.valid()
	})
}

func TestWatchersOnlyWatch(t *testing.T) {
	each(t, func(r *rig, version int) {
		g := r.follow("phone", hello.Watch, version)
		for method, params := range map[string]string{
			"session/prompt": `{"sessionId":"s1","prompt":[{"type":"text","text":"hi"}]}`, "session/new": `{"cwd":"/","mcpServers":[]}`,
			"session/set_config_option": `{"sessionId":"s1","configId":"x","value":"y"}`, "session/cancel": `{"sessionId":"s1"}`,
		} {
			g.fails(-32603, method, params)
		}
		g.peer.Notify("session/cancel", object{"sessionId": "s1"})
		g.settle()
		if got := r.Agent().Prompts(); len(got) > 0 || r.Agent().Cancels() > 0 {
			t.Errorf("the agent got %q", got)
		}
		g.must("session/close", `{"sessionId":"s1"}`)
		r.on(func() { r.session().Prompts.Submit("hello", false) })
		g.wants()
	})
}

func TestASessionIsOpened(t *testing.T) {
	each(t, func(r *rig, version int) {
		inner := filepath.Join(r.Cwd, "inner")
		must.Do(t, os.Mkdir(inner, 0o700))
		g := r.join("phone", hello.Talk, version)
		got := g.must("session/new", `{"cwd":`+jsonText(inner)+`,"mcpServers":[]}`)
		if !strings.Contains(got, `"sessionId":"s2"`) {
			t.Errorf("opened %s", got)
		}
		must.Do(t, os.Symlink(filepath.Dir(r.Cwd), filepath.Join(r.Cwd, "out")))
		for _, dir := range []string{filepath.Dir(r.Cwd), "/", r.Cwd + "x", "inner", "", filepath.Join(r.Cwd, "out"), filepath.Join(r.Cwd, "nothing")} {
			g.fails(-32602, "session/new", `{"cwd":`+jsonText(dir)+`,"mcpServers":[]}`)
		}
		r.on(func() {
			if r.w.Front().Thread.Session != "s1" || len(r.w.Sessions()) != 2 {
				t.Errorf("%s is in front", r.w.Front().Thread.Session)
			}
		})
		g.must("session/prompt", `{"sessionId":"s2","prompt":[{"type":"text","text":"hi"}]}`)
		r.settle()
		if calls := r.Agent().Calls("session/new"); len(calls) != 2 || !strings.Contains(calls[1], jsonText(inner)) {
			t.Errorf("the agent was asked for %q", calls)
		}
		r.script.Fail("session/new", -32603, "no more")
		g.fails(-32603, "session/new", `{"cwd":`+jsonText(r.Cwd)+`,"mcpServers":[]}`)
		g.valid()
	})
}

func TestSettingsAreChanged(t *testing.T) {
	each(t, func(r *rig, version int) {
		options := `,"configOptions":[{"id":"model","configId":"model","name":"Model","type":"select","currentValue":"a","options":[{"value":"a","name":"A"},{"value":"b","name":"B"}]}]`
		changed := strings.Replace(strings.Replace(options, `"currentValue":"a"`, `"currentValue":"b"`, 1), ",", "{", 1) + "}"
		r.script.NewSessions(options)
		r.script.Answer("session/set_config_option", changed)
		g := r.join("phone", hello.Talk, version)
		opened := g.must("session/new", `{"cwd":`+jsonText(r.Cwd)+`,"mcpServers":[]}`)
		if !strings.Contains(opened, `"currentValue":"a"`) {
			t.Errorf("opened %s", opened)
		}
		other := r.join("tablet", hello.Watch, 1)
		other.must("session/load", `{"sessionId":"s2","cwd":"/","mcpServers":[]}`)
		set := g.must("session/set_config_option", `{"sessionId":"s2","configId":"model","type":"id","value":"b"}`)
		if !strings.Contains(set, `"currentValue":"b"`) {
			t.Errorf("set %s", set)
		}
		g.settle()
		if got := other.slots["config_option_update"]; !strings.Contains(got, `"currentValue":"b"`) {
			t.Errorf("the other was told %s", got)
		}
		g.fails(-32602, "session/set_config_option", `{"sessionId":"s2","configId":"model","type":"id","value":"c"}`)
		g.fails(-32602, "session/set_config_option", `{"sessionId":"s2","configId":"x","value":"b"}`)
		g.valid()
		other.valid()
	})
}

func TestModesAreChanged(t *testing.T) {
	for _, version := range []int{1, 2} {
		with(t, "1", Options{}, func(r *rig) {
			r.script.NewSessions(`,"modes":{"currentModeId":"ask","availableModes":[{"id":"ask","name":"Ask"},{"id":"auto","name":"Auto"}]}`)
			r.script.Answer("session/set_mode", `{}`)
			g := r.join("phone", hello.Talk, version)
			opened := g.must("session/new", `{"cwd":`+jsonText(r.Cwd)+`,"mcpServers":[]}`)
			set := []string{"session/set_mode", `{"sessionId":"s2","modeId":"auto"}`, `"currentModeId":"ask"`}
			if version == 2 {
				set = []string{"session/set_config_option", `{"sessionId":"s2","configId":"parley/mode","type":"id","value":"auto"}`, `"currentValue":"ask"`}
			}
			if !strings.Contains(opened, set[2]) {
				t.Errorf("opened %s", opened)
			}
			g.must(set[0], set[1])
			r.settle()
			if calls := r.Agent().Calls("session/set_mode"); len(calls) != 1 {
				t.Errorf("the agent got %q", calls)
			}
			if version == 1 && g.slots["current_mode_update"] != `{"currentModeId":"auto"}` {
				t.Errorf("told %q", g.slots)
			}
			g.valid()
		})
	}
}
