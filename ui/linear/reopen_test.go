package linear

import (
	"strings"
	"testing"
	"time"

	"parley/internal/fakeagent"
)

// ways are agents that reopen a session in each way, or cannot.
var ways = map[string]func(*rig){
	"load":   func(r *rig) {},
	"resume": func(r *rig) { greets(r, `,"agentCapabilities":{"sessionCapabilities":{"resume":{}}}`) },
	"never":  func(r *rig) { greets(r, "") },
	"v2":     func(r *rig) { r.fake.Protocol = "2"; r.fake.On("initialize", nil) },
}

func greets(r *rig, capabilities string) {
	r.fake.Capabilities(capabilities)
}

// A session that is gone is reported. Its text stays, an empty line starts a new session, and
// no prompt is sent again.
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
					unknown := func(*fakeagent.Call) (string, error) { return "", fakeagent.Errorf(-32002, "never heard of it") }
					r.fake.On("session/load", unknown)
					r.fake.On("session/resume", unknown)
					r.fake.Turn(func(tn *fakeagent.Turn) string {
						tn.Say("about " + tn.Text)
						if running && len(r.Agents()) == 1 {
							tn.Wait(time.Hour)
						}
						return "end_turn"
					})
				}, func(r *rig) {
					r.types("first")
					r.pause()
					r.Agent().Close()
					time.Sleep(2 * time.Second)
					r.sees("Reconnected.", "Notice: Reconnected, but the session is gone: ", "Press enter to start a new one.")
					r.types("second")
					r.sees("Queued as prompt 1: the session is gone. Press enter to start a new one.")
					r.types("")
					r.pause()
					r.sees("Notice: started again: the agent does not remember what is above", "Now in session", "Queued: 1 prompt. Press enter to send the first one")
					time.Sleep(time.Hour)
					if prompts, _, _ := r.seen(); prompts != "" {
						t.Errorf("sent by itself: %q", prompts)
					}
					r.types("")
					r.pause()
					r.sees("You: second", "about second")
					if prompts, _, _ := r.seen(); prompts != "second" || len(r.Agents()) != 2 {
						t.Errorf("sent: %q, %d connections", prompts, len(r.Agents()))
					}
					r.types("/transcript")
					r.sees("You: first\nfake: about first")
				})
			})
		}
	}
}

// A prompt that may not have arrived is offered, and sent again only by a command.
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
				r.fake.On("session/resume", func(*fakeagent.Call) (string, error) { return "{}", nil })
				r.fake.On("session/load", func(q *fakeagent.Call) (string, error) {
					q.Agent.Update("s1", `{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"first"}}`)
					q.Agent.Update("s1", `{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"about first"}}`)
					if !c.offered {
						q.Agent.Update("s1", `{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"lose it"}}`)
					}
					return "{}", nil
				})
				r.fake.Turn(func(tn *fakeagent.Turn) string {
					if tn.Text == "lose it" && len(r.Agents()) == 1 {
						tn.Wait(time.Hour)
					}
					tn.Say("about " + tn.Text)
					return "end_turn"
				})
			}, func(r *rig) {
				r.types("first", "lose it")
				r.pause()
				r.Agent().Close()
				r.pause()
				r.fresh()
				time.Sleep(5 * time.Second)
				if said := r.out.text(); !strings.Contains(said, c.says) {
					t.Errorf("the output does not have %q:\n%s", c.says, said)
				}
				if c.way == "never" {
					r.types("/resend", "")
					r.sees("Not sent: no session is open yet.")
					r.pause()
				}
				r.types("")
				time.Sleep(time.Hour)
				if prompts, _, _ := r.seen(); prompts != "" {
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
				if prompts, _, _ := r.seen(); prompts != "lose it" {
					t.Errorf("sent: %q", prompts)
				}
			})
		})
	}
}
