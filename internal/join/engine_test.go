package join

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"parley/acpclient"
	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/acpclient/transport"
	"parley/internal/fakeagent"
	"parley/internal/hello"
	"parley/internal/must"
)

// parley itself, joined at any moment as a client of either version, has the same conversation.
func TestParleyJoinsParley(t *testing.T) {
	for seed := range uint64(12) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(seed, 3))
			with(t, []string{"1", "2"}[seed%2], Options{}, func(r *rig) {
				turns := atomic.Uint64{}
				r.script.Turn(func(t *fakeagent.Turn) string {
					rnd := rand.New(rand.NewPCG(seed, 10+turns.Add(1))) // on a goroutine of its own
					for i := range 300 {
						switch rnd.IntN(5) {
						case 0:
							t.Update(fmt.Sprintf(`{"sessionUpdate":"agent_thought_chunk","messageId":"t%d","content":{"type":"text","text":"hm %d"}}`, i/7, i))
						case 1:
							t.Update(fmt.Sprintf(`{"sessionUpdate":"tool_call_update","toolCallId":"c%d","title":"Call %d","status":"in_progress","content":[{"type":"content","content":{"type":"text","text":"out %d"}}]}`, i/9, i, i))
						case 2:
							time.Sleep(time.Duration(rnd.IntN(10)) * time.Millisecond)
						default:
							t.Update(fmt.Sprintf(`{"sessionUpdate":"agent_message_chunk","messageId":"m%d","content":{"type":"text","text":"長い %d "}}`, i/11, i))
						}
					}
					return "end_turn"
				})
				var joined []*engine
				for i := range 3 {
					r.on(func() { r.session().Prompts.Submit(fmt.Sprintf("prompt %d", i), false) })
					for range 3 {
						time.Sleep(time.Duration(rnd.IntN(200)) * time.Millisecond)
						joined = append(joined, r.engine(fmt.Sprint(1+rnd.IntN(2))))
					}
				}
				time.Sleep(time.Minute)
				joined = append(joined, r.engine("1"), r.engine("2"))
				var want []string
				r.on(func() { want = spoken(r.session().Thread) })
				for _, e := range joined {
					got := spoken(e.read())
					if len(got) != len(want) {
						t.Errorf("version %s: %d lines, want %d", e.version, len(got), len(want))
						continue
					}
					for i := range got {
						if got[i] != want[i] {
							t.Errorf("version %s, line %d: got %.200q, want %.200q", e.version, i, got[i], want[i])
							break
						}
					}
					e.client.Close()
				}
			})
		})
	}
}

// engine is parley's own client, joined.
type engine struct {
	version string
	client  *acpclient.Client
	queue   *event.Queue
	thread  *thread.Thread
}

// engine joins with parley's own client, and loads the session.
func (r *rig) engine(version string) *engine {
	conn := r.sockets.dial()
	must.Do(r.T, hello.Send(conn, "parley", hello.Watch))
	e := &engine{version: version, queue: event.NewQueue(), thread: thread.New("s1")}
	var err error
	e.client, err = acpclient.Connect(context.Background(), transport.Streams(conn, conn), acpclient.Options{Name: "parley", Sink: e.queue, Protocol: version})
	must.Do(r.T, err)
	_, err = e.client.LoadSession(context.Background(), "s1", acpclient.NewSession{Cwd: r.Cwd})
	must.Do(r.T, err)
	return e
}

// read applies everything that has arrived.
func (e *engine) read() *thread.Thread {
	for _, ev := range e.queue.Drain() {
		e.thread.Apply(ev)
	}
	return e.thread
}

// spoken returns the messages and calls of a thread, a line each.
func spoken(t *thread.Thread) (lines []string) {
	for _, it := range t.Items {
		switch {
		case it.Tool != nil:
			line := "call " + it.Tool.Title
			for _, c := range it.Tool.Content {
				line += " " + c.Content.Text
			}
			lines = append(lines, line)
		case messageKinds[it.Kind] != "" && len(it.Text) > 0:
			lines = append(lines, messageKinds[it.Kind]+" "+strings.TrimSpace(string(it.Text)))
		}
	}
	return lines
}
