package panel

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/ui/widget/list"
)

// Tree is what a git worktree has that is not merged.
type Tree struct {
	Name           string
	Into           string // the branch that a merge goes to
	Files          []TreeFile
	Added, Removed int      // lines
	Uncommitted    []string // some of the files
	Commits        []string // the newest first
	Total          int      // how many there are, if these are only some
	Message        string   // of the commit that a merge makes; "" if it makes none
}

// TreeFile is a file that differs in a worktree.
type TreeFile struct {
	Path           string
	Added, Removed int // lines
}

// maxTreeFiles bounds how many files of a worktree are listed.
const maxTreeFiles = 200

// Merge asks whether to merge a worktree with the message, which can be edited, and lists what it has.
// review shows the changes.
func Merge(t Tree, merge func(message string) tea.Cmd, review func() tea.Cmd) *List {
	first := list.Item{Title: fmt.Sprintf("Merge %s, %s", CountFiles(len(t.Files)), lines(t.Added, t.Removed)), Value: func() tea.Cmd { return merge(t.Message) }}
	if n := len(t.Uncommitted); n > 0 {
		first.Detail = "commits " + CountFiles(n) + " first"
	}
	items := []list.Item{first, {Title: "Review the changes", Value: review}}
	var edit func() tea.Cmd
	if t.Message != "" {
		items = append(items, list.Item{Title: messageTitle + t.Message, Detail: "enter edits", Value: func() tea.Cmd { return edit() }})
	}
	for _, f := range t.Files[:min(len(t.Files), maxTreeFiles)] {
		it := list.Item{Title: f.Path, Path: true, Section: CountFiles(len(t.Files)), Value: review}
		if f.Added+f.Removed > 0 {
			it.Hint = lines(f.Added, f.Removed)
		}
		if slices.Contains(t.Uncommitted, f.Path) {
			it.Detail = "not committed"
		}
		items = append(items, it)
	}
	items = append(items, more(len(t.Files)-maxTreeFiles, CountFiles(len(t.Files)), review)...)
	items = append(items, t.commits("", review)...)
	l := &List{Title: fmt.Sprintf("Merge %s into %s?", t.Name, t.Into), Foot: "enter selects · y merges · esc closes", List: list.New(items), NeedsConfirmation: true, Yes: true,
		Choose: With(func(do func() tea.Cmd) tea.Cmd { return do() })}
	edit = func() tea.Cmd {
		at := l.List.Index()
		l.Edit(t.Message, "Message of the commit", "enter saves · esc cancels", func(message string) tea.Cmd {
			t.Message = cmp.Or(strings.TrimSpace(message), t.Message)
			items[at].Title = messageTitle + t.Message
			l.List.SetItems(items)
			return nil
		})
		return nil
	}
	return l
}

const messageTitle = "Message: "

// Discard asks whether to discard a worktree with its session, and lists what would be lost. review
// shows the changes.
func Discard(t Tree, discard, review func() tea.Cmd) *List {
	items := []list.Item{{Title: "Keep it", Value: func() tea.Cmd { return nil }}, {Title: "Discard it", Detail: "closes this session, removes its worktree and branch", Value: discard}, {Title: "Review the changes", Value: review}}
	section := "Lost: " + CountFiles(len(t.Uncommitted)) + ", not committed"
	for _, path := range t.Uncommitted[:min(len(t.Uncommitted), maxTreeFiles)] {
		items = append(items, list.Item{Title: path, Path: true, Section: section, Value: review})
	}
	items = append(items, more(len(t.Uncommitted)-maxTreeFiles, section, review)...)
	items = append(items, t.commits("Lost: ", review)...)
	return &List{Title: "Discard " + t.Name + "?", Foot: "enter selects · esc closes", List: list.New(items), NeedsConfirmation: true,
		Choose: With(func(do func() tea.Cmd) tea.Cmd { return do() })}
}

// commits returns the rows of the commits.
func (t Tree) commits(lost string, review func() tea.Cmd) (items []list.Item) {
	section := lost + fmt.Sprintf("%d commits", t.Total)
	if t.Total == 1 {
		section = lost + "1 commit"
	}
	for _, line := range t.Commits {
		items = append(items, list.Item{Title: line, Section: section, Value: review})
	}
	return append(items, more(t.Total-len(t.Commits), section, review)...)
}

// more returns the row that says how many are not listed.
func more(n int, section string, review func() tea.Cmd) []list.Item {
	if n <= 0 {
		return nil
	}
	return []list.Item{{Title: fmt.Sprintf("… %d more", n), Section: section, Value: review}}
}

// lines is how many lines were added and removed: "+20 −5".
func lines(added, removed int) string { return fmt.Sprintf("+%d −%d", added, removed) }
