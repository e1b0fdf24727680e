//go:build unix

package e2e

import (
	"context"
	"testing"
	"time"

	"parley/acpclient"
	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/acpclient/transport"
	"parley/internal/host"
	"parley/permissions"
)

// visitor is parley without a screen, connected to an agent at a URL, with one session.
type visitor struct {
	t       *testing.T
	client  *acpclient.Client
	host    *host.Host
	queue   *event.Queue
	log     *event.Log
	session *acpclient.Session
	thread  *thread.Thread

	chunks int   // number of text updates received
	asked  int   // number of questions; all were allowed
	lost   error // why the connection ended, nil while it is open
}

// visit connects and shares the directory with the agent.
func visit(t *testing.T, remote transport.Remote, dir string) *visitor {
	t.Helper()
	v := &visitor{t: t, queue: event.NewQueue(), log: event.NewLog(), thread: thread.New("")}
	v.host = host.New(host.Options{Sink: v.queue, Agent: "demo", Remote: &host.Remote{Files: true, Roots: []string{dir}}})
	t.Cleanup(v.host.Close)
	ctx, stop := context.WithTimeout(t.Context(), patience)
	defer stop()
	var err error
	v.client, err = acpclient.Dial(ctx, remote, acpclient.Options{Name: "parley", Version: "test", Sink: v.queue, Services: v.host.Services(), Log: v.log})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { v.client.Close() })
	if v.session, err = v.client.NewSession(ctx, acpclient.NewSession{Cwd: dir}); err != nil {
		t.Fatal(err)
	}
	return v
}

// take applies the queued events.
func (v *visitor) take() {
	for _, e := range v.queue.Drain() {
		switch e := e.(type) {
		case permissions.Asked:
			v.answer(e.Question)
			continue
		case event.TextArrived:
			v.chunks++
		case event.Disconnected:
			v.lost = e.Err
		}
		v.thread.Apply(e)
	}
}

func (v *visitor) answer(q permissions.Question) {
	v.asked++
	for _, o := range q.Options {
		if o.Kind == permissions.AllowOnce {
			if err := v.host.Broker().Answer(q.Key, o.ID); err != nil {
				v.t.Errorf("answer %q: %v", q.Heading, err)
			}
			return
		}
	}
	v.t.Errorf("%q cannot be allowed: %+v", q.Heading, q.Options)
}

// until applies events until the condition holds.
func (v *visitor) until(what string, holds func() bool) {
	v.t.Helper()
	for deadline := time.After(patience); ; {
		v.take()
		if holds() {
			return
		}
		select {
		case <-v.queue.Ready():
		case <-deadline:
			lines, _ := v.log.Lines()
			v.t.Fatalf("%s: not in %v; the agent said %q; the log: %v", what, patience, v.said(), lines)
		}
	}
}

func (v *visitor) send(text string) {
	v.t.Helper()
	if err := v.session.Prompt(event.Block{Text: text}); err != nil {
		v.t.Fatal(err)
	}
	turn := v.thread.Turn
	v.until("the turn of "+text, func() bool { return v.thread.Turn > turn })
}

// end waits for the end of the turn.
func (v *visitor) end() *thread.End {
	v.t.Helper()
	var end *thread.End
	v.until("the end of the turn", func() bool {
		for _, it := range v.thread.Items {
			if it.Kind == thread.TurnEnd && it.Turn == v.thread.Turn {
				end = it.End
			}
		}
		return end != nil
	})
	return end
}

// prompt sends a prompt and checks that its turn ends normally.
func (v *visitor) prompt(text string) {
	v.t.Helper()
	v.send(text)
	if end := v.end(); end.StopReason != "end_turn" || end.Err != nil {
		v.t.Errorf("%s: ended with %q, %v", text, end.StopReason, end.Err)
	}
}

// said returns the agent's text in the last turn.
func (v *visitor) said() (text string) {
	for _, it := range v.thread.Items {
		if it.Kind == thread.AgentMessage && it.Turn == v.thread.Turn {
			text += string(it.Text)
		}
	}
	return text
}
