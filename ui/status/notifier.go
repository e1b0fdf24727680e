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

// Notification is a way to make the terminal notify the user.
type Notification string

// The kinds of notification.
const (
	NotifyNone   Notification = ""
	NotifyBell   Notification = "bell"   // BEL
	NotifyOSC9   Notification = "osc9"   // iTerm2, WezTerm, Ghostty, Windows Terminal
	NotifyOSC777 Notification = "osc777" // foot, urxvt
	NotifyOSC99  Notification = "osc99"  // kitty
)

// away is how long nothing must have been typed, in a terminal that does not report its
// focus, until the user is considered to look elsewhere.
const away = 10 * time.Second

// notifyPause is the shortest time between two notifications.
const notifyPause = 2 * time.Second

// Notifier tells a user who looks elsewhere that a turn has ended or something is asked.
type Notifier struct {
	env     *layer.Env
	how     Notification
	focused bool      // the terminal has the focus
	known   bool      // the terminal reports its focus
	input   time.Time // the last key, paste or mouse event
	sent    time.Time // the last notification
}

// NewNotifier returns a notifier for a user who is looking now.
func NewNotifier(env *layer.Env, how Notification) *Notifier {
	return &Notifier{env: env, how: how, input: env.Now()}
}

// Watch records signs of whether the user is looking.
func (n *Notifier) Watch(msg tea.Msg) {
	switch msg.(type) {
	case tea.KeyPressMsg, tea.PasteMsg, tea.MouseMsg:
		n.input = n.env.Now()
	case tea.FocusMsg, tea.BlurMsg:
		_, n.focused = msg.(tea.FocusMsg)
		n.known = true
	}
}

// elsewhere reports whether the user is not looking at the screen.
func (n *Notifier) elsewhere() bool {
	if n.known {
		return !n.focused
	}
	return n.env.Now().Sub(n.input) >= away
}

// Tell notifies the user of an event if necessary. agent is the name of the agent, about the
// title of the session, and more says that the session continues with a queued prompt.
func (n *Notifier) Tell(e event.Event, agent, about string, more bool) tea.Cmd {
	what := ""
	switch e := e.(type) {
	case event.TurnEnded:
		switch {
		case e.StopReason == "cancelled" || more: // the user did it, or there is more to come
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

// sequence returns the escape sequence that shows the text or rings the bell.
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
