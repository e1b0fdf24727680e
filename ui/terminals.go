package ui

import (
	"os"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"parley/internal/glyphs"
	"parley/internal/keeper"
	"parley/internal/keyboard"
	"parley/internal/tty"
	"parley/ui/status"
)

// terminals is the user's terminal. That of a kept parley may leave, and another one come.
type terminals struct {
	keeper *keeper.Keeper // nil: parley is not kept
	away   bool           // no terminal is attached: nothing is drawn

	mu      sync.Mutex      // guards changes, and that a later change is not overtaken
	changes []keeper.Change // not seen by the model yet
	wake    chan struct{}   // closed when the keeper has ended
}

// begin asks the terminal what it can do, or waits for one.
func (t *terminals) begin(m *Model) tea.Cmd {
	if t.keeper == nil {
		return ask(m)
	}
	t.away, t.wake = true, make(chan struct{}, 1)
	pace(m)
	go t.follow(m)
	return t.next(m)
}

// follow notes what happens to the terminal. One that leaves is restored at once: while a program has the terminal,
// the model gets no message.
func (t *terminals) follow(m *Model) {
	defer close(t.wake)
	for c := range t.keeper.Changes() {
		t.mu.Lock()
		t.changes = append(t.changes, c)
		t.mu.Unlock()
		if !c.Attached {
			if m.painter != nil {
				m.painter.Detach()
			}
			t.keeper.Left()
		} else {
			keyboard.Redraw()
		}
		select {
		case t.wake <- struct{}{}:
		default:
		}
	}
}

// terminalMsg says that the terminal has left, or another one come.
type terminalMsg struct{ m *Model }

// next waits until something has happened to the terminal.
func (t *terminals) next(m *Model) tea.Cmd {
	return func() tea.Msg {
		if _, more := <-t.wake; !more {
			return nil
		}
		return terminalMsg{m}
	}
}

// Handle implements layer.Message.
func (msg terminalMsg) Handle() tea.Cmd {
	m := msg.m
	t := m.terminals
	next := t.next(m)
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.changes) == 0 {
		return next
	}
	now := t.changes[len(t.changes)-1]
	t.changes = nil
	t.away = !now.Attached
	pace(m)
	if t.away {
		m.Options.TellWaiting(m.Workspace)
		return next
	}
	now.Adopt()
	profile := m.Options.Profile(os.Environ())
	if m.painter != nil {
		m.painter.Attach(profile)
	}
	return tea.Batch(next, attached(m, profile))
}

// unseen is the shortest time between two portions of events while nothing is drawn.
const unseen = 200 * time.Millisecond

// pace sets how often events are taken: seldom while nobody sees them.
func pace(m *Model) {
	d := frame
	if m.terminals.away && len(m.Workspace.Clients()) == 0 {
		d = unseen
	}
	m.Workspace.SetPace(d)
}

// attached makes everything new for another terminal.
func attached(m *Model, profile tty.Profile) tea.Cmd {
	m.Options.Terminal = profile
	m.notifier = status.NewNotifier(&m.Env, profile)
	m.shownDir, m.QuitArmed = "", time.Time{}
	if glyphs.Measure(profile.Clusters) {
		relayout(m)
	}
	for _, c := range m.chats() {
		c.Unwrite()
	}
	m.inline.Restart(m.height)
	if !m.Choosing {
		m.Front.Enter() // keys typed elsewhere answer nothing
	}
	out := m.Options.Output
	return tea.Batch(ask(m), func() tea.Msg {
		if out == nil {
			out = os.Stdout
		}
		return tea.ColorProfileMsg{Profile: colorprofile.Detect(out, os.Environ())}
	})
}

// ask asks the terminal what the model must know. The painter asks for more.
func ask(m *Model) tea.Cmd {
	var cmds []tea.Cmd
	if m.requested {
		cmds = append(cmds, tea.Raw(tty.AskBackground))
	}
	if m.inline.On() {
		cmds = append(cmds, tea.Raw(tty.AskName))
	}
	return tea.Batch(cmds...)
}

// relayout lays everything out again.
func relayout(m *Model) {
	m.dirty = true
	for _, c := range m.chats() {
		c.SetTheme(m.Theme)
	}
}
