package panel

import (
	tea "charm.land/bubbletea/v2"

	"parley/internal/intent"
	"parley/ui/widget/list"
)

// Contender is an agent, with a model, that can be compared with others.
type Contender struct {
	Name, About, Command string // safe to show
	Ticked               bool   // at first
}

// Contenders lists agents to compare. start gets the indexes of those that the user has ticked, two or
// more; with one ticked, enter on another takes that, too.
func Contenders(keys *intent.Keymap, all []Contender, start func(chosen []int) tea.Cmd) *List {
	ticked := make([]bool, len(all))
	for i, c := range all {
		ticked[i] = c.Ticked
	}
	items := func() []list.Item {
		out := make([]list.Item, len(all))
		for i, c := range all {
			box := "[ ] "
			if ticked[i] {
				box = "[x] "
			}
			out[i] = list.Item{Title: box + c.Name, Detail: c.About, More: c.Command, Value: i}
		}
		return out
	}
	chosen := func(at list.Item) (out []int) {
		for i := range all {
			if ticked[i] {
				out = append(out, i)
			}
		}
		if i, ok := at.Value.(int); ok && len(out) == 1 && !ticked[i] {
			out = append(out, i)
		}
		return out
	}
	return &List{Title: "Compare agents", Foot: Foot(keys, intent.Hint{Key: intent.Tick, Action: "tick"}, intent.Hint{Action: "enter start"}), List: list.New(items()), Items: items,
		Same: func(a, b any) bool { return a == b }, Empty: "No agents found",
		Keys: map[intent.Intent]func(list.Item) tea.Cmd{intent.Tick: With(func(i int) tea.Cmd {
			ticked[i] = !ticked[i]
			return nil
		})},
		Refuse: func(at list.Item) string {
			if len(chosen(at)) < 2 {
				return "Tick two or more: " + keys.KeyOf(intent.List, intent.Tick)
			}
			return ""
		},
		Choose: func(at list.Item) tea.Cmd { return start(chosen(at)) }}
}
