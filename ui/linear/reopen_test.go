package linear

import (
	"strings"
	"testing"
	"time"

	"parley/acpclient/jsonrpc"
)

// ways are agents that open a session again, or do not.
var ways = map[string]func(*rig){
	"load":   func(r *rig) {},
	"resume": func(r *rig) { greets(r, `,"agentCapabilities":{"sessionCapabilities":{"resume":{}}}`) },
	"never":  func(r *rig) { greets(r, "") },
	"v2":     func(r *rig) { r.protocol = "2"; delete(r.on, "initialize") },
}

func greets(r *rig, capabilities string) {
	r.on["initialize"] = func(*call) (string, error) { return hello(capabilities), nil }
}

// A session that is gone is said to be: what was said stays, a line alone begins
// another one, and nothing of the old one is sent again.
func TestSessionGone(t *testing.T) {
	for name, way := range ways {
		for _, running := range []bool{false, true} {
			when := "idle"
			if running {
				when = "in a turn"
			}
			t.Run(name+", "+when, func(t *testing.T) {
				talkTo(t, func(r *rig) {
					remote(r)
					way(r)
					unknown := func(*call) (string, error) { return "", jsonrpc.Errorf(-32002, "never heard of it") }
					r.on["session/load"], r.on["session/resume"] = unknown, unknown
					r.turn = func(tn *turn) string {
						tn.say("about " + tn.text)
						if running && len(r.agents) == 1 {
							tn.waits(time.Hour)
						}
						return "end_turn"
					}
				}, func(r *rig) {
					r.types("first")
					r.pause()
					r.agent().Close(nil)
					time.Sleep(2 * time.Second)
					r.sees("Connected again.", "Notice: Reconnected, but the session is gone: ", "Enter alone starts a new one.")
					r.types("second")
					r.sees("Put aside as prompt 1: the session is gone. Enter alone starts a new one.")
					r.types("")
					r.pause()
					r.sees("Notice: started again: the agent does not remember what stands above", "Now in session", "Waiting: 1 prompt. Enter alone sends the first one")
					time.Sleep(time.Hour)
					if prompts, _, _ := r.agent().seen(); prompts != "" {
						t.Errorf("sent by itself: %q", prompts)
					}
					r.types("")
					r.pause()
					r.sees("You: second", "about second")
					if prompts, _, _ := r.agent().seen(); prompts != "second" || len(r.agents) != 2 {
						t.Errorf("sent: %q, %d connections", prompts, len(r.agents))
					}
					r.types("/transcript")
					r.sees("You: first\nfake: about first")
				})
			})
		}
	}
}

// A prompt that may not have arrived is offered, and sent again by a command alone.
func TestUnconfirmedPrompt(t *testing.T) {
	for name, c := range map[string]struct {
		way     string
		says    string
		offered bool
	}{
		"not in the history": {"load", "Notice: The connection was lost · this prompt may not have arrived", true},
		"in the history":     {"load", "Notice: The connection was lost during this turn · the answer may be incomplete", false},
		"not told again":     {"resume", "Notice: Reconnected · the last prompt may not have arrived", true},
		"session gone":       {"never", "Notice: Reconnected, but the session is gone", true},
	} {
		t.Run(name, func(t *testing.T) {
			talkTo(t, func(r *rig) {
				remote(r)
				ways[c.way](r)
				r.on["session/resume"] = func(*call) (string, error) { return "{}", nil }
				r.on["session/load"] = func(q *call) (string, error) {
					q.p.updateIn("s1", `{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"first"}}`)
					q.p.updateIn("s1", `{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"about first"}}`)
					if !c.offered {
						q.p.updateIn("s1", `{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"lose it"}}`)
					}
					return "{}", nil
				}
				r.turn = func(tn *turn) string {
					if tn.text == "lose it" && len(r.agents) == 1 {
						tn.waits(time.Hour)
					}
					tn.say("about " + tn.text)
					return "end_turn"
				}
			}, func(r *rig) {
				r.types("first", "lose it")
				r.pause()
				r.agent().Close(nil)
				r.pause()
				r.fresh()
				time.Sleep(5 * time.Second)
				if said := r.out.text(); !strings.Contains(said, c.says) {
					t.Errorf("not written: %q; there is:\n%s", c.says, said)
				}
				if c.way == "never" {
					r.types("/resend", "")
					r.sees("Not sent: there is no session yet.")
					r.pause()
				}
				r.types("")
				time.Sleep(time.Hour)
				if prompts, _, _ := r.agent().seen(); prompts != "" {
					t.Errorf("sent by itself: %q", prompts)
				}
				if offer := "Prompt may not have arrived; /resend sends it again: lose it"; strings.Contains(r.out.text(), offer) != c.offered {
					t.Errorf("offered: %v; there is:\n%s", !c.offered, r.out.text())
				}
				r.types("/resend")
				r.pause()
				if !c.offered {
					r.sees("Every prompt has arrived.")
					return
				}
				r.sees("about lose it")
				r.types("/resend")
				r.sees("Every prompt has arrived.")
				if prompts, _, _ := r.agent().seen(); prompts != "lose it" {
					t.Errorf("sent: %q", prompts)
				}
			})
		})
	}
}
