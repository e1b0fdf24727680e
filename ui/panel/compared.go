package panel

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/internal/text"
	"parley/internal/words"
	"parley/ui/widget/list"
)

// ComparedAgent is an agent that is compared with others. All texts are safe to show.
type ComparedAgent struct {
	Name, State string
	More        []string // context, cost
	Files       []TreeFile
}

// Compared lists the agents of a comparison, and the files that any of them has changed with what each
// did to them; that of the path at is selected. show brings an agent to the front, open shows the versions of
// a file.
func Compared(agents []ComparedAgent, at string, show func(agent int) tea.Cmd, open func(path string) tea.Cmd) *List {
	names, paths := make([]string, len(agents)), []string(nil)
	rows := make([][]string, len(agents))
	for i, a := range agents {
		names[i] = fmt.Sprintf("%d %s", i+1, a.Name)
		added, removed := 0, 0
		for _, f := range a.Files {
			added, removed = added+f.Added, removed+f.Removed
			if !slices.Contains(paths, f.Path) {
				paths = append(paths, f.Path)
			}
		}
		rows[i] = append([]string{a.State, words.Count(len(a.Files), "file"), lines(added, removed)}, a.More...)
	}
	var items []list.Item
	for i, row := range text.Columns(rows) {
		items = append(items, list.Item{Title: names[i], Detail: row, Section: "Agents", Value: func() tea.Cmd { return show(i) }})
	}
	slices.Sort(paths)
	cells := make([][]string, len(paths))
	for i, path := range paths {
		for k, a := range agents {
			cell := fmt.Sprintf("%d –", k+1)
			if at := slices.IndexFunc(a.Files, func(f TreeFile) bool { return f.Path == path }); at >= 0 {
				cell = strings.TrimSuffix(fmt.Sprintf("%d ✓ %s", k+1, lines(a.Files[at].Added, a.Files[at].Removed)), " ")
			}
			cells[i] = append(cells[i], cell)
		}
	}
	section := words.Count(len(paths), "file") + ", by agent"
	for i, row := range text.Columns(cells) {
		items = append(items, list.Item{Title: paths[i], Path: true, Detail: row, Section: section, Value: func() tea.Cmd { return open(paths[i]) }})
	}
	l := list.New(items)
	if i := slices.Index(paths, at); i >= 0 {
		l.Select(len(agents) + i)
	}
	return &List{Title: "Comparison", Foot: "enter show the agent, or all versions of the file · esc back", List: l,
		Choose: With(func(do func() tea.Cmd) tea.Cmd { return do() })}
}
