package page

import (
	"time"

	"parley/acpclient/thread"
	"parley/internal/intent"
	"parley/ui/layer"
	"parley/ui/transcript"
	"parley/ui/transcript/find"
)

// transcriptPane is the transcript of a page: on the screen, with its search, and in the terminal's
// scrollback.
type transcriptPane struct {
	sub     *thread.Subagent // whose it is; nil: the session's own
	env     *layer.Env
	cwd     string // shortens paths
	View    *transcript.View
	find    *find.Bar
	written *transcript.Written // the part in the scrollback; nil: none
	changed []int               // items whose change neither of them has seen
	focused bool                // it has the keys
}

// load shows another thread, or a replayed one with the same entries open.
func (t *transcriptPane) load(th *thread.Thread, agent func() string) {
	view := transcript.New(th, t.cwd, t.env.Theme)
	view.SetAgent(agent)
	if t.View != nil {
		view.SetDensity(t.View.Density())
		t.find.SetView(view)
	}
	t.View, t.written, t.changed, t.focused = view, nil, nil, false
}

// applied updates the rows of the items that a portion of events changed.
func (t *transcriptPane) applied() {
	t.View.Changed(t.changed)
	if t.written != nil {
		t.written.Changed(t.changed)
	}
	if len(t.changed) > 0 {
		t.find.Changed()
	}
	t.changed = t.changed[:0]
}

// tick advances the clocks and spinners.
func (t *transcriptPane) tick(now time.Time) {
	t.View.Tick(now)
	if t.written != nil {
		t.written.Tick(now)
	}
}

// atRest reports whether the reader is at the end and neither searches nor has the keys here.
func (t *transcriptPane) atRest() bool { return !t.focused && !t.find.Open() && t.View.Following() }

var steps = map[intent.Intent]transcript.Step{intent.Next: transcript.Next, intent.Previous: transcript.Previous,
	intent.NextPrompt: transcript.NextPrompt, intent.PreviousPrompt: transcript.PreviousPrompt, intent.First: transcript.First, intent.Last: transcript.Last,
	intent.HalfDown: transcript.HalfPageDown, intent.HalfUp: transcript.HalfPageUp}

// step moves the selection; false if the intent is another.
func (t *transcriptPane) step(want intent.Intent) bool {
	by, ok := steps[want]
	if ok {
		t.View.Step(by)
	}
	return ok
}

// toScrollback returns the part to write to the scrollback.
func (t *transcriptPane) toScrollback(th *thread.Thread, width int) *transcript.Written {
	if t.written == nil {
		t.written = transcript.NewWritten(th, t.cwd, t.env.Theme)
	}
	t.written.Look(width, t.env.Theme, t.View.Density())
	return t.written
}
