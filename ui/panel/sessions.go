package panel

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/internal/intent"
	"parley/ui/widget/list"
)

// Session is a session that is open, that an agent keeps, or that parley has a log of.
type Session struct {
	Section, Title, Detail string
	Value                  any // for the caller

	State string // "" if it is not open and nothing is known of it

	// Only for an open session:
	Number                     int // its number, from 1; 0 if it is not open
	Here, Waits, Unread, Ended bool

	Aside bool                                       // only shown with a filter
	Age   string                                     // "3 min ago", only for one that is not open; "" if unknown
	Holds func(word string) (around string, ok bool) // as in list.Item
}

// SessionsTitle is the title of the list of sessions.
const SessionsTitle = "Sessions"

// Untitled is shown for a session without a title.
const Untitled = "Untitled"

// item returns the row of a session. The mark is part of the title, so that it is shown even
// if there is no room for the hint.
func (s Session) item() list.Item {
	it := list.Item{Title: s.Title, Detail: s.Detail, Hint: s.State, Section: s.Section, Aside: s.Aside, Holds: s.Holds, Value: s.Value}
	if s.Number == 0 {
		if it.Title == "" {
			it.Title = Untitled
		}
		it.Hint = strings.Trim(s.State+" · "+s.Age, " ·")
		return it
	}
	mark := ""
	switch {
	case s.Here:
		it.Hint = "here · " + s.State
	case s.Waits:
		it.Hint, mark = "waiting for you", "● "
	case s.Unread && s.Ended:
		mark = "• "
	case s.Unread:
		it.Hint, mark = "unread", "• "
	}
	it.Title = fmt.Sprintf("%d %s%s", s.Number, mark, s.Title)
	return it
}

// SessionActions are the actions of the list of sessions. They get the caller's value; those
// that keep the list open get the list as well.
type SessionActions struct {
	Open                  func(value any) tea.Cmd
	New, Another          func() tea.Cmd
	InWorktree            func() tea.Cmd
	Rename, Close, Delete func(l *List, value any) tea.Cmd
	// Archive and ShowArchived are nil if no agent archives sessions.
	Archive, ShowArchived func(l *List, value any) tea.Cmd
}

// Sessions lists the sessions that now returns, and updates itself.
func Sessions(keys *intent.Keymap, now func() []Session, same func(a, b any) bool, does SessionActions) *List {
	another := intent.Hint{Key: intent.AnotherAgent, Action: "agent"}
	change := []intent.Hint{{Key: intent.EditEntry, Action: "rename"}, {Key: intent.CloseEntry, Action: "close"}, {Key: intent.DeleteEntry, Action: "delete"}}
	hints := append([]intent.Hint{{Key: intent.NewSession, Action: "new"}, another}, change...)
	if does.Archive != nil { // a narrow window has no room for all
		change = append(change, intent.Hint{Key: intent.ArchiveEntry, Action: "archive"}, intent.Hint{Key: intent.ShowArchived, Action: "archived"}, another)
		hints = append(hints[:1], change...)
	}
	l := &List{OpenedBy: intent.Sessions, Title: SessionsTitle, Same: same, Foot: Foot(keys, append(hints, intent.Hint{Key: intent.InWorktree, Action: "worktree"})...)}
	l.Items = func() []list.Item {
		var items []list.Item
		for _, s := range now() {
			items = append(items, s.item())
		}
		return items
	}
	l.List = list.New(l.Items())
	l.Choose = func(it list.Item) tea.Cmd { return does.Open(it.Value) }
	leave := func(do func() tea.Cmd) func(list.Item) tea.Cmd {
		return func(list.Item) tea.Cmd { l.host.Close(l); return do() }
	}
	l.Keys = map[intent.Intent]func(list.Item) tea.Cmd{
		intent.NewSession:   leave(does.New),
		intent.AnotherAgent: leave(does.Another),
		intent.InWorktree:   leave(does.InWorktree),
		intent.EditEntry:    func(it list.Item) tea.Cmd { return does.Rename(l, it.Value) },
		intent.CloseEntry:   func(it list.Item) tea.Cmd { return does.Close(l, it.Value) },
		intent.DeleteEntry:  func(it list.Item) tea.Cmd { return does.Delete(l, it.Value) },
	}
	if does.Archive != nil {
		l.Keys[intent.ArchiveEntry] = func(it list.Item) tea.Cmd { return does.Archive(l, it.Value) }
		l.Keys[intent.ShowArchived] = func(it list.Item) tea.Cmd { return does.ShowArchived(l, it.Value) }
	}
	return l
}
