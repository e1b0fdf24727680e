package layer

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/internal/intent"
)

// Input hands keys and pastes to the layers, and knows when something was last
// typed.
type Input struct {
	env    *Env
	layers func() []Layer
	last   time.Time // when something was last typed
	muted  time.Time // typing is dropped until then
}

// NewInput returns the input of the layers that the function returns, the topmost first.
func NewInput(env *Env, layers func() []Layer) *Input { return &Input{env: env, layers: layers} }

// Last returns when something was last typed.
func (in *Input) Last() time.Time { return in.last }

// Touch counts typing elsewhere, in an editor or on another page, as typing now, so that it
// answers nothing here.
func (in *Input) Touch() { in.last = in.env.Now() }

// Mute drops typing until it has been quiet for a while: a user who was typing when a command
// ended was not typing for parley.
func (in *Input) Mute() { in.muted = in.env.Now().Add(Quiet) }

// drops reports whether typing is dropped now.
func (in *Input) drops() bool {
	if !in.env.Now().Before(in.muted) {
		return false
	}
	in.Mute()
	return true
}

// Press hands a key to the layers. Whether they have the keys depends on when the previous
// key was pressed; this one counts afterwards.
func (in *Input) Press(key tea.KeyPressMsg) (cmd tea.Cmd) {
	if in.drops() {
		return nil
	}
	p := Press{KeyPressMsg: key, Name: key.String(), Want: in.env.Keys.Of(intent.Chat, key.String())}
	Reach(in.layers(), func(l Layer) (taken bool) {
		cmd, taken = l.Key(p)
		return taken
	})
	in.Touch()
	return cmd
}

// Paste hands pasted text to the layers.
func (in *Input) Paste(text string) (cmd tea.Cmd) {
	if in.drops() {
		return nil
	}
	Reach(in.layers(), func(l Paster) (taken bool) {
		cmd, taken = l.Paste(text)
		return taken
	})
	in.Touch()
	return cmd
}

// Wheel hands the wheel to the topmost layer that scrolls.
func Wheel(layers []Layer, button tea.MouseButton) {
	if rows := map[tea.MouseButton]int{tea.MouseWheelUp: -3, tea.MouseWheelDown: 3}[button]; rows != 0 {
		Reach(layers, func(l Wheeler) bool { l.Wheel(rows); return true })
	}
}

// Rest returns how long it must stay quiet until a layer that waits for quiet takes the keys;
// 0 if none waits or it has been quiet long enough.
func (in *Input) Rest() time.Duration {
	since, waits := in.last, false
	Reach(in.layers(), func(l Waiter) bool {
		at, here := l.WaitsSince()
		if here && at.IsZero() { // it is about to be drawn
			at = in.env.Now()
		}
		if here && at.After(since) {
			since = at
		}
		waits = waits || here
		return false
	})
	if !waits {
		return 0
	}
	return max(0, Quiet-in.env.Now().Sub(since))
}
