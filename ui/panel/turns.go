package panel

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/ui/intent"
	"parley/ui/widget/list"
)

// Prompt is the prompt of a turn.
type Prompt struct {
	Text string
	At   time.Time // zero if unknown
	Item int       // its index in the transcript
}

// Turns lists the prompts of a session, the newest last. show, copy and edit get the index
// of the prompt in the transcript.
func Turns(keys *intent.Keymap, prompts []Prompt, now time.Time, show, copy, edit func(item int) tea.Cmd) *List {
	const date = "2 January 2006"
	var items []list.Item
	day := ""
	for _, p := range prompts {
		first, rest, _ := strings.Cut(strings.TrimSpace(p.Text), "\n")
		if strings.TrimSpace(rest) != "" {
			first += " …"
		}
		item := list.Item{Title: first, Detail: strings.Join(strings.Fields(rest[:min(len(rest), 2000)]), " "), Value: p.Item}
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
	return &List{Title: "Prompts", Foot: Foot(keys, Hint{Action: "enter goes there"}, Hint{intent.Copy, "copies"}, Hint{intent.EditEntry, "edits"}), List: l,
		Choose: With(show),
		Keys:   map[intent.Intent]func(list.Item) tea.Cmd{intent.Copy: With(copy), intent.EditEntry: With(edit)}}
}
