package panel

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/internal/intent"
	"parley/internal/words"
	"parley/ui/widget/list"
)

// Prompt is the prompt of a turn.
type Prompt struct {
	Text string
	At   time.Time // zero if unknown
	Item int       // its index in the transcript
}

// TurnActions are what can be done with a prompt. They get its index in the transcript.
type TurnActions struct {
	Show, Copy, Edit, Restore, Fork func(item int) tea.Cmd
}

// Turns lists the prompts of a session, the newest last.
func Turns(keys *intent.Keymap, prompts []Prompt, now time.Time, do TurnActions) *List {
	const date = "2 January 2006"
	var items []list.Item
	day := ""
	for _, p := range prompts {
		first, rest, _ := strings.Cut(strings.TrimSpace(p.Text), "\n")
		if strings.TrimSpace(rest) != "" {
			first += " …"
		}
		item := list.Item{Title: first, Detail: words.OneLine(rest[:min(len(rest), 2000)]), Value: p.Item}
		if !p.At.IsZero() {
			item.Hint = p.At.Format("15:04")
			if d := p.At.Format(date); d != day && (day != "" || d != now.Format(date)) {
				item.Section = d
			}
			day = p.At.Format(date)
		}
		items = append(items, item)
	}
	l := list.New(items)
	l.Select(len(items) - 1)
	foot := Foot(keys, intent.Hint{Key: intent.EditEntry, Action: "edit, files stay"}, intent.Hint{Key: intent.UndoFiles, Action: "restore files"}, intent.Hint{Key: intent.Fork, Action: "fork"}, intent.Hint{Action: "enter show"}, intent.Hint{Key: intent.Copy, Action: "copy"})
	return &List{Title: "Prompts", Foot: foot, List: l, Choose: With(do.Show), Keys: map[intent.Intent]func(list.Item) tea.Cmd{
		intent.Copy: With(do.Copy), intent.EditEntry: With(do.Edit), intent.UndoFiles: With(do.Restore), intent.Fork: With(do.Fork),
	}}
}
