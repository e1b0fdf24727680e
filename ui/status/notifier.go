package status

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"parley/acpclient/event"
	"parley/internal/safetext"
	"parley/permissions"
	"parley/ui/layer"
)

// Notification is how the terminal is told that the user is wanted.
type Notification string

// The ways there are.
const (
	NotifyNone   Notification = ""
	NotifyBell   Notification = "bell"   // BEL
	NotifyOSC9   Notification = "osc9"   // iTerm2, WezTerm, Ghostty, Windows Terminal
	NotifyOSC777 Notification = "osc777" // foot, urxvt
	NotifyOSC99  Notification = "osc99"  // kitty
)

// away is how long no key must have come, in a terminal that does not report its focus,
// until the user is taken to be elsewhere.
const away = 10 * time.Second

// notifyPause is the shortest time between two notifications.
const notifyPause = 2 * time.Second

// Notifier tells a user who looks elsewhere that a turn is over, or that something is
// asked.
type Notifier struct {
	env     *layer.Env
	how     Notification
	focused bool      // the terminal has the focus
	known   bool      // it reports that
	input   time.Time // when a key, a paste or the mouse came last
	sent    time.Time // when the user was told last
}

// NewNotifier makes one for a user who looks now.
func NewNotifier(env *layer.Env, how Notification) *Notifier {
	return &Notifier{env: env, how: how, input: env.Now()}
}

// Watch notes what the terminal reports of where the user is.
func (n *Notifier) Watch(msg tea.Msg) {
	switch msg.(type) {
	case tea.KeyPressMsg, tea.PasteMsg, tea.MouseMsg:
		n.input = n.env.Now()
	case tea.FocusMsg, tea.BlurMsg:
		_, n.focused = msg.(tea.FocusMsg)
		n.known = true
	}
}

// elsewhere tells whether the user does not look at the screen.
func (n *Notifier) elsewhere() bool {
	if n.known {
		return !n.focused
	}
	return n.env.Now().Sub(n.input) >= away
}

// Tell tells the user of an event where that matters: agent is whose it is, about the
// title of the session. more is whether the session continues by itself.
func (n *Notifier) Tell(e event.Event, agent, about string, more bool) tea.Cmd {
	what := ""
	switch e := e.(type) {
	case event.TurnEnded:
		switch {
		case e.StopReason == "cancelled" || more: // the user knows, or it is not over
		case e.Err != nil:
			what = "stopped with an error"
		default:
			what = "is done"
		}
	case permissions.Asked, event.ElicitationAsked:
		what = "is waiting for you"
	}
	now := n.env.Now()
	if what == "" || n.how == NotifyNone || !n.elsewhere() || now.Sub(n.sent) < notifyPause {
		return nil
	}
	n.sent = now
	return tea.Raw(n.how.sequence(agent+" "+what, about))
}

// sequence makes the terminal show the text, or ring.
func (n Notification) sequence(text, about string) string {
	clean := func(s string) string { return strings.NewReplacer(";", ",", "\\", "/").Replace(safetext.Line(s, 200)) }
	text, about = clean(text), clean(about)
	whole := strings.TrimSuffix(text+": "+about, ": ")
	switch n {
	case NotifyOSC9:
		return ansi.Notify(whole)
	case NotifyOSC777:
		return fmt.Sprintf("\x1b]777;notify;parley;%s\x1b\\", whole)
	case NotifyOSC99:
		return fmt.Sprintf("\x1b]99;;%s\x1b\\", whole)
	}
	return "\a"
}
