package demo

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"parley/acpclient/jsonrpc"
	"parley/internal/must"
)

// cancelled sends session/cancel now and returns the finished transcript. The answer must come
// without any delay.
func (c *client) cancelled(session string, running *jsonrpc.Call) *transcript {
	c.t.Helper()
	begun := time.Now()
	c.peer.Notify("session/cancel", map[string]string{"sessionId": session})
	var r promptResult
	must.Do(c.t, running.Wait(c.t.Context(), &r))
	if took := time.Since(begun); took != 0 {
		c.t.Errorf("the turn ran %v after the cancel", took)
	}
	time.Sleep(time.Second)
	synctest.Wait()
	tr := c.since(session, 0)
	tr.stop = r.StopReason
	if tr.stop != "cancelled" {
		c.t.Errorf("stopReason %q", tr.stop)
	}
	if tr.late != 0 {
		c.t.Errorf("%d updates after the answer", tr.late)
	}
	for _, k := range tr.tools {
		if last := k.statuses[len(k.statuses)-1]; last != "completed" && last != "failed" {
			c.t.Errorf("%s is left %s", k.title, last)
		}
	}
	return tr
}

func TestCancelMidStream(t *testing.T) {
	for _, prompt := range []string{"hello", "think", "long"} {
		bubble(t, Options{}, func(t *testing.T, c *client) {
			s := c.open(allCaps)
			running := c.peer.Begin("session/prompt", promptOf(s, prompt))
			time.Sleep(10*DefaultPace + 1)
			synctest.Wait()
			before := c.since(s, 0)
			tr := c.cancelled(s, running)
			if tr.prose+tr.thought != before.prose+before.thought || tr.prose+tr.thought == "" {
				t.Errorf("%s: prose continued from %q to %q", prompt, before.prose, tr.prose)
			}
			if next := c.prompt(s, "hello"); next.stop != "end_turn" {
				t.Errorf("the next turn: %q", next.stop)
			}
		})
	}
}

// A session/cancel right after the prompt finds the turn.
func TestCancelAtOnce(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, c *client) {
		s := c.open(allCaps)
		if tr := c.cancelled(s, c.peer.Begin("session/prompt", promptOf(s, "edit"))); tr.prose != "" || len(tr.tools) != 0 {
			t.Errorf("it said %q", tr.prose)
		}
	})
}

// $/cancel_request on the prompt has the same effect as session/cancel.
func TestCancelRequest(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, c *client) {
		s := c.open(allCaps)
		running := c.peer.Begin("session/prompt", promptOf(s, "hello"))
		time.Sleep(10 * DefaultPace)
		c.peer.Notify("$/cancel_request", map[string]int64{"requestId": running.ID})
		var r promptResult
		if err := running.Wait(t.Context(), &r); err != nil || r.StopReason != "cancelled" {
			t.Errorf("%+v, %v", r, err)
		}
	})
}

// Nested requests are cancelled too, and an answer that arrives anyway changes nothing.
func TestCancelWhileAsked(t *testing.T) {
	for _, option := range []string{"allow_once", "reject_once"} {
		bubble(t, Options{}, func(t *testing.T, c *client) {
			asked, told := make(chan struct{}), make(chan error, 1)
			c.permit = func(ctx context.Context) (string, string) {
				close(asked)
				<-ctx.Done()
				told <- context.Cause(ctx)
				return "selected", option
			}
			s := c.open(allCaps)
			running := c.peer.Begin("session/prompt", promptOf(s, "edit"))
			<-asked
			tr := c.cancelled(s, running)
			if err := <-told; err != jsonrpc.ErrRequestCancelled {
				t.Errorf("the permission request ended with %v", err)
			}
			if _, ok := c.file(notes); ok || len(tr.tools) != 1 || tr.tools[0].path() != "pending failed" {
				t.Errorf("file written: %v, tools %+v", ok, tr.tools)
			}
		})
	}
}

func TestCancelWhileRunning(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, c *client) {
		waiting := make(chan struct{})
		c.exit = func(ctx context.Context) any {
			close(waiting)
			<-ctx.Done()
			return map[string]any{"signal": "SIGKILL"}
		}
		s := c.open(allCaps)
		running := c.peer.Begin("session/prompt", promptOf(s, "run sleep 1000"))
		<-waiting
		tr := c.cancelled(s, running)
		if len(tr.tools) != 1 || tr.tools[0].path() != "pending in_progress failed" {
			t.Errorf("tools: %+v", tr.tools)
		}
		if n := len(c.called("terminal/release")); n != 1 {
			t.Errorf("released %d times", n)
		}
	})
}

// A terminal that is created despite the cancellation is released.
func TestCancelWhileCreating(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, c *client) {
		creating := make(chan struct{})
		c.create = func(ctx context.Context) { close(creating); <-ctx.Done(); time.Sleep(time.Second / 2) }
		s := c.open(allCaps)
		running := c.peer.Begin("session/prompt", promptOf(s, "run sleep 1000"))
		<-creating
		tr := c.cancelled(s, running)
		if tr.tools[0].path() != "pending failed" || tr.tools[0].content("terminal") != nil {
			t.Errorf("tools: %+v", tr.tools[0])
		}
		if n := len(c.called("terminal/release")); n != 1 {
			t.Errorf("released %d times", n)
		}
	})
}

// The end of the connection ends a running turn.
func TestClosedMidTurn(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, c *client) {
		s := c.open(allCaps)
		c.peer.Begin("session/prompt", promptOf(s, "long"))
		time.Sleep(DefaultPace)
		// bubble closes the connection, expects Serve to return nil, and fails if a goroutine
		// remains.
	})
}
