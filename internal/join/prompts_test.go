package join

import (
	"encoding/base64"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/fakeagent"
	"parley/internal/hello"
)

// ended is how the request for a prompt ends when its turn does, or begins.
func ended(version int) string {
	if version == 1 {
		return `{"stopReason":"end_turn"}`
	}
	return `{"messageId":"m`
}

func TestAPromptOfAClient(t *testing.T) {
	each(t, func(r *rig, version int) {
		phone, other := r.follow("phone", hello.Talk, version), r.follow("tablet", hello.Watch, version)
		call := phone.prompt("hello")
		r.settle()
		if got := outcome(call); !strings.HasPrefix(got, ended(version)) {
			t.Errorf("the prompt ended with %q", got)
		}
		want := []string{"user_message: hello", "agent_message: You said: hello"}
		other.wants(want...)
		if version == 1 { // it shows its own prompt itself
			want = want[1:]
		}
		phone.wants(want...)
		r.follow("late", hello.Watch, version).matches()
		if got := r.Agent().Prompts(); !slices.Equal(got, []string{"hello"}) {
			t.Errorf("the agent got %q", got)
		}
		phone.valid()
		other.valid()
	})
}

func TestPromptsWaitInTheQueue(t *testing.T) {
	each(t, func(r *rig, version int) {
		r.script.Turn(func(t *fakeagent.Turn) string { t.Wait(time.Minute); t.Say("done " + t.Text); return "end_turn" })
		r.on(func() { r.session().Prompts.Submit("long", false) })
		time.Sleep(time.Second)
		phone, tablet := r.follow("phone", hello.Talk, version), r.follow("tablet", hello.Talk, version)
		first, second := phone.prompt("one"), tablet.prompt("two")
		r.settle()
		if outcome(first)+outcome(second) != "" {
			t.Errorf("answered %s, %s", outcome(first), outcome(second))
		}
		time.Sleep(time.Minute)
		if version == 1 && outcome(first) != "" {
			t.Errorf("answered %s before its turn had ended", outcome(first))
		}
		time.Sleep(5 * time.Minute)
		for _, call := range []string{outcome(first), outcome(second)} {
			if !strings.HasPrefix(call, ended(version)) {
				t.Errorf("answered %q", call)
			}
		}
		if got := r.Agent().Prompts(); !slices.Equal(got, []string{"long", "one", "two"}) {
			t.Errorf("the agent got %q", got)
		}
		if got := strings.Join(phone.said(), "|"); !strings.Contains(got, "user_message: two") || version == 1 && strings.Contains(got, "user_message: one") {
			t.Errorf("the phone shows %q", got)
		}
	})
}

func TestAHeldPromptIsExplained(t *testing.T) {
	with(t, "1", Options{}, func(r *rig) {
		r.script.Turn(func(t *fakeagent.Turn) string { t.Wait(time.Minute); return "end_turn" })
		r.on(func() { r.session().Prompts.Submit("long", false) })
		time.Sleep(time.Second)
		phone := r.follow("phone", hello.Talk, 1)
		phone.prompt("one")
		r.settle()
		want := []string{"A turn is running in this session: Prompts wait for its end", "Your prompt is queued: A turn is running"}
		if !slices.Equal(phone.notices, want) {
			t.Errorf("the notices are %q", phone.notices)
		}
		if got := phone.must("session/status", `{"sessionId":"s1"}`); !strings.Contains(got, `"running"`) {
			t.Errorf("the status is %s", got)
		}
	})
}

func TestCancelFromAny(t *testing.T) {
	each(t, func(r *rig, version int) {
		r.script.Turn(func(t *fakeagent.Turn) string {
			if t.Wait(time.Hour) {
				return "cancelled"
			}
			return "end_turn"
		})
		phone, tablet := r.follow("phone", hello.Talk, version), r.follow("tablet", hello.Talk, version)
		call := phone.prompt("long")
		time.Sleep(time.Second)
		waits := tablet.prompt("later")
		r.settle()
		tablet.peer.Notify("session/cancel", object{"sessionId": "s1"})
		r.settle()
		want := map[int]string{1: `{"stopReason":"cancelled"}`, 2: ended(2)}[version]
		if got := outcome(call); !strings.HasPrefix(got, want) {
			t.Errorf("the prompt ended with %q", got)
		}
		r.on(func() {
			if r.session().Busy() {
				t.Error("it still runs")
			}
		})
		want = map[int]string{1: `{"stopReason":"cancelled"}`, 2: "-32800"}[version]
		if got := outcome(waits); !strings.Contains(got, want) {
			t.Errorf("the waiting prompt ended with %q, want %q", got, want)
		}
		if got := r.Agent().Prompts(); got[0] != "long" {
			t.Errorf("the agent got %q", got)
		}
	})
}

// A cancel that comes right after the prompt finds it: sent, queued, or while its image is made ready.
func TestCancelAtOnce(t *testing.T) {
	each(t, func(r *rig, version int) {
		r.script.Capabilities(`,"agentCapabilities":{"promptCapabilities":{"image":true}},"capabilities":{"session":{"prompt":{"image":{}}}}`)
		r.on(func() { r.session().Agent.Restart() })
		r.settle()
		r.script.Turn(func(t *fakeagent.Turn) string {
			if t.Wait(time.Hour) {
				return "cancelled"
			}
			return "end_turn"
		})
		phone, id := r.join("phone", hello.Talk, version), r.id()
		png := base64.StdEncoding.EncodeToString([]byte("\x89PNG\r\n\x1a\n and more"))
		for _, content := range []string{`{"type":"text","text":"hello"}`, `{"type":"image","data":"` + png + `","mimeType":"image/png"}`} {
			call := phone.begin("session/prompt", `{"sessionId":"`+id+`","prompt":[`+content+`]}`)
			phone.peer.Notify("session/cancel", object{"sessionId": id})
			r.settle()
			r.on(func() {
				if r.session().Busy() || r.session().Running() {
					t.Errorf("it runs, and the prompt ended with %q", outcome(call))
				}
			})
			if got := outcome(call); version == 1 && !strings.Contains(got, "cancelled") || got == "" {
				t.Errorf("the prompt ended with %q", got)
			}
		}
	})
}

func TestARequestIsCancelled(t *testing.T) {
	with(t, "1", Options{}, func(r *rig) {
		r.script.Turn(func(t *fakeagent.Turn) string {
			if t.Wait(time.Hour) {
				return "cancelled"
			}
			return "end_turn"
		})
		phone := r.follow("phone", hello.Talk, 1)
		running, waits := phone.prompt("long"), phone.prompt("later")
		r.settle()
		phone.peer.Notify("$/cancel_request", object{"requestId": waits.ID})
		r.settle()
		if got := outcome(waits); !strings.Contains(got, "-32800") || outcome(running) != "" {
			t.Errorf("%q, %q", got, outcome(running))
		}
		phone.peer.Notify("$/cancel_request", object{"requestId": running.ID})
		r.settle()
		if got := outcome(running); got != `{"stopReason":"cancelled"}` {
			t.Errorf("the prompt ended with %q", got)
		}
	})
}

func TestPromptsRunNoCommand(t *testing.T) {
	each(t, func(r *rig, version int) {
		r.script.Turn(func(t *fakeagent.Turn) string { t.Wait(time.Minute); return "end_turn" })
		phone := r.follow("phone", hello.Talk, version)
		for _, text := range []string{"/quit", "/agent:quit", "/status now", "! ls"} {
			phone.prompt(text)
		}
		time.Sleep(10 * time.Minute)
		if got := r.Agent().Prompts(); !slices.Equal(got, []string{"/quit", "/agent:quit", "/status now", "! ls"}) {
			t.Errorf("the agent got %q", got)
		}
	})
}

func TestBadPrompts(t *testing.T) {
	each(t, func(r *rig, version int) {
		phone := r.follow("phone", hello.Talk, version)
		for _, content := range []string{`[]`, `[{"type":"text","text":" \n"}]`, `[{"type":"audio","data":"","mimeType":"audio/wav"}]`, `[{"type":"image","data":"x","mimeType":"image/png"}]`,
			`[{"type":"resource","resource":{"uri":"file:///x","text":"y"}}]`, `"hello"`, `[1]`, `[{"type":"text","text":"\udbe0\udc00"}]`} {
			phone.fails(-32602, "session/prompt", `{"sessionId":"s1","prompt":`+content+`}`)
		}
		phone.fails(-32002, "session/prompt", `{"sessionId":"s9","prompt":[{"type":"text","text":"x"}]}`)
		phone.must("session/prompt", `{"sessionId":"s1","prompt":[{"type":"text","text":"see "},{"type":"resource_link","name":"a.go","uri":"file:///w/a.go"}]}`)
		r.settle()
		if got := r.Agent().Prompts(); !slices.Equal(got, []string{"see [@a.go](file:///w/a.go)"}) {
			t.Errorf("the agent got %q", got)
		}
	})
}

func TestAnImageIsSent(t *testing.T) {
	for _, version := range []int{1, 2} {
		with(t, "1", Options{}, func(r *rig) {
			r.script.Capabilities(`,"agentCapabilities":{"promptCapabilities":{"image":true}}`)
			r.on(func() { r.session().Agent.Restart() })
			r.settle()
			phone := r.join("phone", hello.Talk, version)
			id := r.id()
			png := base64.StdEncoding.EncodeToString([]byte("\x89PNG\r\n\x1a\n and more"))
			phone.must("session/prompt", `{"sessionId":"`+id+`","prompt":[{"type":"text","text":"look"},{"type":"image","data":"`+png+`","mimeType":"image/png"}]}`)
			r.settle()
			if got := r.Agent().Blocks(); len(got) != 1 || !strings.Contains(got[0], png) {
				t.Errorf("the agent got %q", got)
			}
		})
	}
}

func TestAPromptFails(t *testing.T) {
	each(t, func(r *rig, version int) {
		r.script.Turn(func(t *fakeagent.Turn) string { return "" })
		phone := r.follow("phone", hello.Talk, version)
		call := phone.prompt("x")
		r.settle()
		if got := outcome(call); version == 1 && !strings.Contains(got, "the model is away") || got == "" {
			t.Errorf("the prompt ended with %q", got)
		}
		if version == 2 && !slices.Contains(phone.states, "idle error") {
			t.Errorf("the states are %q", phone.states)
		}
		r.Agent().Close()
		r.settle()
		if got := phone.must("session/list", `{}`); !strings.Contains(got, "s1") {
			t.Errorf("listed %s", got)
		}
		phone.valid()
	})
}

func TestAQueuedPromptIsTakenOff(t *testing.T) {
	each(t, func(r *rig, version int) {
		r.script.Turn(func(t *fakeagent.Turn) string { t.Wait(time.Hour); return "end_turn" })
		r.script.OnPrompt(func(t *fakeagent.Turn) (string, error) { return t.AcceptInOrder() })
		phone := r.follow("phone", hello.Talk, version)
		phone.prompt("long")
		r.settle()
		r.on(func() { r.session().Prompts.Queue.Add("mine") })
		call := phone.prompt("later")
		r.settle()
		taken := false
		r.on(func() {
			if q := &r.session().Prompts.Queue; len(q.Texts()) == 2 {
				q.Drop(1)
				taken = true
			}
		})
		r.on(func() {})
		r.settle()
		phone.must("session/list", `{}`)
		if got := outcome(call); taken && got == "" {
			t.Errorf("the prompt ended with %q", got)
		}
	})
}

func TestATurnOutlivesItsClient(t *testing.T) {
	each(t, func(r *rig, version int) {
		r.script.Turn(func(t *fakeagent.Turn) string { t.Wait(time.Minute); t.Say("done " + t.Text); return "end_turn" })
		phone := r.follow("phone", hello.Talk, version)
		phone.prompt("one")
		phone.prompt("two")
		r.settle()
		phone.peer.Close(nil)
		time.Sleep(10 * time.Minute)
		if got := r.Agent().Prompts(); !slices.Equal(got, []string{"one", "two"}) || r.Agent().Cancels() > 0 {
			t.Errorf("the agent got %q", got)
		}
		r.follow("tablet", hello.Watch, version).wants("user_message: one", "agent_message: done one", "user_message: two", "agent_message: done two")
	})
}
