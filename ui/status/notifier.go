package status

import (
	"fmt"
	"os"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"parley/acpclient/event"
	"parley/internal/safetext"
	"parley/internal/tty"
	"parley/permissions"
	"parley/ui/layer"
)

// away is how long nothing must have been typed, in a terminal that does not report its
// focus, until the user is considered to look elsewhere.
const away = 10 * time.Second

// notifyPause is the shortest time between two notifications.
const notifyPause = 2 * time.Second

// Notifier tells a user who looks elsewhere that a turn has ended or something is asked.
type Notifier struct {
	env     *layer.Env
	how     tty.Notification
	tmux    bool      // between parley and the terminal
	focused bool      // the terminal has the focus
	known   bool      // the terminal reports its focus
	input   time.Time // the last key, paste or mouse event
	sent    time.Time // the last notification
	shown   bool      // it may still be shown
	asks    bool      // it says that something waits for the user
}

// NewNotifier returns a notifier for a user who is looking at the terminal now.
func NewNotifier(env *layer.Env, terminal tty.Profile) *Notifier {
	return &Notifier{env: env, how: terminal.Notify, tmux: terminal.Multiplexer == "tmux", input: env.Now()}
}

// Watch records signs of whether the user is looking. To one who looks, nothing needs to be notified.
func (n *Notifier) Watch(msg tea.Msg) tea.Cmd {
	switch msg.(type) {
	case tea.KeyPressMsg, tea.PasteMsg, tea.MouseMsg:
		n.input = n.env.Now()
	case tea.FocusMsg, tea.BlurMsg:
		_, n.focused = msg.(tea.FocusMsg)
		n.known = true
	default:
		return nil
	}
	if n.Elsewhere() {
		return nil
	}
	return n.withdraw()
}

// withdraw removes the last notification, where the terminal can.
func (n *Notifier) withdraw() tea.Cmd {
	if !n.shown || n.how != tty.NotifyOSC99 {
		return nil
	}
	n.shown = false
	return tea.Raw(n.passed("\x1b]99;" + kittyID + ":p=close;\x1b\\"))
}

// passed returns a sequence so that it reaches the terminal. tmux drops it unless it is allowed to pass.
func (n *Notifier) passed(seq string) string {
	if n.tmux && n.how != tty.NotifyBell {
		return ansi.TmuxPassthrough(seq)
	}
	return seq
}

// Elsewhere reports whether the user is not looking at the screen.
func (n *Notifier) Elsewhere() bool {
	if n.known {
		return !n.focused
	}
	return n.env.Now().Sub(n.input) >= away
}

// Tell notifies the user of an event if necessary, or withdraws what is answered. agent is the name of the agent, about the
// title of the session, and more says that the session continues with a queued prompt.
func (n *Notifier) Tell(e event.Event, agent, about string, more bool) tea.Cmd {
	what, asks := "", false
	switch e := e.(type) {
	case event.PermissionAnswered, event.ElicitationEnded:
		if n.asks {
			return n.withdraw()
		}
	case event.TurnEnded:
		switch {
		case e.StopReason == "cancelled" && n.asks:
			return n.withdraw()
		case e.StopReason == "cancelled" || more: // the user did it, or there is more to come
		case e.Err != nil:
			what = "stopped with an error"
		default:
			what = "is done"
		}
	case permissions.Asked, event.ElicitationAsked:
		what, asks = "is waiting for you", true
	}
	now := n.env.Now()
	if what == "" || n.how == tty.NotifyNone || !n.Elsewhere() || now.Sub(n.sent) < notifyPause {
		return nil
	}
	n.sent, n.shown, n.asks = now, true, asks
	seq := n.passed(sequence(n.how, agent+" "+what, about))
	if n.tmux && n.how != tty.NotifyBell {
		seq = "\a" + seq // marks the window of tmux
	}
	return tea.Raw(seq)
}

// kittyID makes each notification replace the one before.
var kittyID = fmt.Sprintf("i=parley-%d", os.Getpid())

// sequence returns the escape sequence that shows the text or rings the bell.
func sequence(how tty.Notification, text, about string) string {
	clean := func(s string) string { return strings.NewReplacer(";", ",", "\\", "/").Replace(safetext.Line(s, 200)) }
	text, about = clean(text), clean(about)
	whole := strings.TrimSuffix(text+": "+about, ": ")
	switch how {
	case tty.NotifyOSC9:
		return ansi.Notify(whole)
	case tty.NotifyOSC777:
		return fmt.Sprintf("\x1b]777;notify;parley;%s\x1b\\", whole)
	case tty.NotifyOSC99:
		return fmt.Sprintf("\x1b]99;%s;%s\x1b\\", kittyID, whole)
	}
	return "\a"
}
