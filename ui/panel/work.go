package panel

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient/thread"
	"parley/internal/describe"
	"parley/internal/intent"
	"parley/internal/safetext"
	"parley/internal/words"
	"parley/ui/widget/list"
)

// Work is something that runs: a tool call, a command of the agent or the user, or
// background work of which the agent says only the kind.
type Work struct {
	Title, Hint string
	Tool        *thread.Tool // nil if it is no tool call
	Subagent    *thread.Subagent
	Terminal    string // the id of its terminal, or ""
	Run         uint64 // the key of the user's command, or 0
	Stops       bool   // it can be stopped without the turn
	Own         bool   // parley runs the terminal for the agent
}

// Run is a shell command of the user.
type Run struct {
	Key  uint64
	Line string
}

// WorkOf lists what runs in a session, the newest last. kills says that commands which
// parley runs for the agent can be stopped. title returns the title of a tool call.
func WorkOf(t *thread.Thread, runs []Run, kills bool, title func(*thread.Tool) string) []Work {
	var out []Work
	listed := map[string]bool{}
	background := map[string]bool{}
	for _, b := range t.Background {
		background[b.Type+"\x00"+b.ID] = true
	}
	for _, it := range t.Items {
		call := it.Tool
		if call == nil || !call.Live() {
			continue
		}
		w := Work{Title: title(call), Tool: call, Stops: call.Cancelable, Hint: "in this turn"}
		if call.StillRunning {
			w.Hint = "still running after its turn"
			if call.Stopped {
				w.Hint = "still running, the turn was stopped"
			}
		}
		for _, content := range call.Content {
			id := content.Terminal
			if id == "" {
				continue
			}
			term := t.Terminal(id)
			if term != nil && term.Cancelable && !term.Exited && !call.Cancelable {
				w.Terminal, w.Stops = id, true
			}
			if term != nil && !term.Foreign && term.Command != "" && !term.Exited && kills {
				w.Terminal, w.Stops, w.Own = id, true, true
			}
			if background["terminal\x00"+id] {
				w.Hint = "in the background"
			}
			listed["terminal\x00"+id] = true
		}
		if background["tool_call\x00"+call.ID] {
			w.Hint = "in the background"
		}
		listed["tool_call\x00"+call.ID] = true
		out = append(out, w)
	}
	for _, s := range t.Subagents() {
		if s.Runs() {
			out = append(out, Work{Title: s.Name(), Hint: describe.Subagent(s, ""), Subagent: s, Stops: s.Cancelable})
		}
	}
	for _, r := range runs {
		out = append(out, Work{Title: "! " + r.Line, Hint: "yours", Run: r.Key, Stops: true})
	}
	for _, b := range t.Background {
		if listed[b.Type+"\x00"+b.ID] {
			continue
		}
		w := Work{Title: strings.TrimSpace(strings.ReplaceAll(b.Type, "_", " ") + " " + safetext.Line(b.ID, 60)), Hint: "in the background"}
		if call := t.Tool(b.ID); b.Type == "tool_call" && call != nil {
			w.Title, w.Tool, w.Stops = call.Title, call, call.Cancelable
		}
		if term := t.Terminal(b.ID); b.Type == "terminal" && term != nil {
			w.Terminal, w.Stops = b.ID, term.Cancelable
			if term.Command != "" {
				w.Title = term.Command
			}
		}
		out = append(out, w)
	}
	return out
}

// same reports whether two rows are about the same work.
func (w Work) same(other Work) bool {
	return w.Tool == other.Tool && w.Subagent == other.Subagent && w.Terminal == other.Terminal && w.Run == other.Run && (w.Tool != nil || w.Terminal != "" || w.Run != 0 || w.Title == other.Title)
}

// WorkActions are the actions of the list of running work. Stop and TakeOver get the list,
// which stays open.
type WorkActions struct {
	Show           func(Work) tea.Cmd
	Stop, TakeOver func(*List, Work) tea.Cmd
	TakesOver      bool // offer TakeOver
}

// Running lists the work that now returns, and updates itself. Each row names the key that
// stops it. Rows keep their places and say when the work is over.
func Running(keys *intent.Keymap, now func() []Work, does WorkActions) *List {
	hints := []intent.Hint{{Key: intent.CloseEntry, Action: "stop"}, {Action: "enter show"}}
	if does.TakesOver {
		hints = slices.Insert(hints, 1, intent.Hint{Key: intent.TakeOver, Action: "take over"})
	}
	l := &List{OpenedBy: intent.Background, Title: "Running", Foot: Foot(keys, hints...), Empty: "Nothing is running", List: list.New(nil)}
	item := func(w Work) list.Item {
		hint := w.Hint
		if w.Stops {
			hint += " · " + keys.KeyOf(intent.List, intent.CloseEntry) + " stop"
			if key := keys.Label(intent.List, intent.TakeOver); w.Own && key != "" && does.TakesOver {
				hint += " · " + key + " take over"
			}
		}
		return list.Item{Title: words.OneLine(w.Title), Hint: hint, Value: w}
	}
	l.Same = func(a, b any) bool { return a.(Work).same(b.(Work)) }
	l.Items = func() (items []list.Item) {
		all := now()
		for _, it := range l.List.Items() {
			w := it.Value.(Work)
			if i := slices.IndexFunc(all, w.same); i >= 0 {
				w = all[i]
				all = slices.Delete(all, i, i+1)
			} else {
				w.Hint, w.Stops = "ended", false
			}
			items = append(items, item(w))
		}
		for _, w := range all {
			items = append(items, item(w))
		}
		return items
	}
	l.List.SetItems(l.Items())
	here := func(do func(*List, Work) tea.Cmd) func(list.Item) tea.Cmd {
		return With(func(w Work) tea.Cmd { return do(l, w) })
	}
	l.Choose = With(does.Show)
	l.Keys = map[intent.Intent]func(list.Item) tea.Cmd{intent.CloseEntry: here(does.Stop), intent.TakeOver: here(does.TakeOver)}
	return l
}
