package ui

import (
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/fakeagent"
	"parley/internal/must"
	"parley/internal/workspace"
)

// ofClient submits a prompt as a client that has joined does.
func (d *driver) ofClient(text string) {
	d.t.Helper()
	must.Do(d.t, d.m.Front.Prompts.SubmitOf(workspace.Prompt{Text: workspace.ForAgent(text), ID: 7}))
	d.soon()
}

// What the agent refuses of a client is not put into the user's draft: enter would send it as the user's, or run it.
func TestPromptOfClientIsNoDraft(t *testing.T) {
	drive(t, func(d *driver, o *Options) {
		v2(d, o)
		d.fake.OnPrompt(func(*fakeagent.Turn) (string, error) { return "", fakeagent.Errorf(-32602, "not that") })
	}, func(d *driver) {
		d.connected()
		d.types("mine")
		d.ofClient("!rm -rf . @.env")
		d.sees("Not accepted: prompt: the agent answered: not that")
		d.draft("mine")
	})
}

// A queued prompt of a client is in no history and no saved draft, and one that the user looks at and sends stays the client's.
func TestQueuedPromptOfClient(t *testing.T) {
	drive(t, nil, func(d *driver) {
		d.fake.Turn(func(t *fakeagent.Turn) string { t.Wait(time.Minute); return "end_turn" })
		d.connected()
		d.types("go\n")
		d.soon()
		d.ofClient("!touch @.env")
		d.ofClient("dropped @.env")
		d.types("mine\n")
		if got := d.m.Front.Prompts.Queue.Typed(); !slices.Equal(got, []string{"mine"}) {
			t.Errorf("the draft to save has %q", got)
		}
		d.press("alt+q", "home", "enter")
		d.draft(" !touch @.env")
		d.press("enter")
		d.press("alt+q", "home", "down", "ctrl+x", "esc")
		if q := &d.m.Front.Prompts.Queue; !slices.Equal(q.Texts(), []string{" !touch @.env", "mine"}) || len(q.Typed()) != 1 {
			t.Errorf("%q wait, of the user %q", q.Texts(), q.Typed())
		}
		for _, it := range d.m.Front.Composer.Entries() {
			if text := it.Value.(string); text != "mine" && text != "go" {
				t.Errorf("the history has %q", text)
			}
		}
	})
}

// A prompt of a client that may not have arrived stays one when the user sends it again.
func TestUnconfirmedPromptOfClient(t *testing.T) {
	drive(t, func(d *driver, o *Options) {
		far("")(d, o)
	}, func(d *driver) {
		d.connected()
		d.fake.Turn(func(t *fakeagent.Turn) string { t.Wait(time.Hour); return "cancelled" })
		d.ofClient("!touch @.env")
		d.Agent().Close()
		d.wait(2 * time.Second)
		d.sees("may not have arrived")
		d.press("up")
		if text := d.m.Front.Composer.Value(); !strings.HasPrefix(text, " !touch") || !d.m.Front.Prompts.Queue.EditsClients(text) {
			t.Errorf("the user edits %q", text)
		}
	})
}
