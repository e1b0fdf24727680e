package panel

import (
	tea "charm.land/bubbletea/v2"

	"parley/internal/intent"
	"parley/ui/widget/list"
)

// Leave asks what happens to a kept parley when the user leaves it. name is that by which it is attached again, ends says
// what ends with it, or is "". The choice that has the focus is keep, unless ending is preferred.
func Leave(name, ends string, preferEnd bool, keep, end func() tea.Cmd) *List {
	items := []list.Item{
		{Title: "Keep running", Detail: "parley attach " + name + " returns", Value: keep},
		{Title: "End", Detail: ends, Value: end},
	}
	l := &List{OpenedBy: intent.Quit, Title: "Leave parley", Foot: "enter select · esc stay", NeedsConfirmation: true, List: list.New(items),
		Choose: With(func(do func() tea.Cmd) tea.Cmd { return do() })}
	if preferEnd {
		l.List.Select(1)
	}
	return l
}
