package panel

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/internal/words"
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
// remove says to close the session then, and to remove the worktree. review shows the changes.
func Merge(t Tree, merge func(message string, remove bool) tea.Cmd, review func() tea.Cmd) *List {
	l := &List{Title: fmt.Sprintf("Merge %s into %s?", t.Name, t.Into), Foot: "enter select · y merge · esc back", NeedsConfirmation: true, Yes: true,
		Choose: With(func(do func() tea.Cmd) tea.Cmd { return do() })}
	items := []list.Item{
		{Title: strings.TrimSuffix("Merge "+words.Count(len(t.Files), "file")+", "+lines(t.Added, t.Removed), ", "), Detail: t.commitsFirst("keeps the worktree"), Value: func() tea.Cmd { return merge(t.Message, false) }},
		{Title: "Merge and remove", Detail: "closes the session, removes the worktree", Value: func() tea.Cmd { return merge(t.Message, true) }},
		{Title: "Review the changes", Value: review},
	}
	return t.listed(l, items, review)
}

// Ending is what happens to a worktree at the end of a chat.
type Ending int

// The endings. Keep is the one without an answer.
const (
	Keep Ending = iota
	MergeAndRemove
	MergeAndKeep
	Remove
)

// End asks what happens to a worktree at the end of a chat, and lists what it has. refused says why it
// cannot be merged, "" if it can.
func End(t Tree, refused string, choose func(do Ending, message string) tea.Cmd) *List {
	l := &List{Title: fmt.Sprintf("What about the worktree %s?", t.Name), Foot: "enter select · esc keep", NeedsConfirmation: true, Note: refused,
		Choose: With(func(do func() tea.Cmd) tea.Cmd { return do() })}
	as := func(do Ending) func() tea.Cmd { return func() tea.Cmd { return choose(do, t.Message) } }
	items := []list.Item{{Title: "Keep", Detail: "leaves it as it is; `parley worktrees` lists it", Value: as(Keep)}}
	if refused == "" {
		items = append(items, list.Item{Title: "Merge and remove", Detail: t.commitsFirst("into " + t.Into + ", then removes the worktree"), Value: as(MergeAndRemove)},
			list.Item{Title: "Merge and keep", Detail: t.commitsFirst("into " + t.Into + ", and leaves the worktree"), Value: as(MergeAndKeep)})
	} else {
		t.Message = ""
	}
	items = append(items, list.Item{Title: "Remove", Detail: t.loses(), Value: as(Remove)})
	return t.listed(l, items, func() tea.Cmd { return nil })
}

// loses says what is lost without a merge.
func (t Tree) loses() string {
	var what []string
	if n := len(t.Uncommitted); n > 0 {
		what = append(what, words.Count(n, "file")+" not committed")
	}
	if t.Total > 0 {
		what = append(what, words.Count(t.Total, "commit"))
	}
	return "loses " + cmp.Or(strings.Join(what, " and "), "nothing")
}

// commitsFirst says what a merge does with files that are not committed, before what it does then.
func (t Tree) commitsFirst(then string) string {
	if n := len(t.Uncommitted); n > 0 {
		return "commits " + words.Count(n, "file") + " first, " + then
	}
	return then
}

// listed completes a list about a worktree: the items, the message of the commit, which enter edits, the
// files and the commits. enter on one of these calls open.
func (t *Tree) listed(l *List, items []list.Item, open func() tea.Cmd) *List {
	if at := len(items); t.Message != "" {
		items = append(items, list.Item{Title: messageTitle + t.Message, Detail: "enter edit", Value: func() tea.Cmd {
			l.Edit(t.Message, "Message of the commit", "enter save · esc cancel", func(message string) tea.Cmd {
				t.Message = cmp.Or(strings.TrimSpace(message), t.Message)
				items[at].Title = messageTitle + t.Message
				l.List.SetItems(items)
				return nil
			})
			return nil
		}})
	}
	for _, f := range t.Files[:min(len(t.Files), maxTreeFiles)] {
		it := list.Item{Title: f.Path, Path: true, Section: words.Count(len(t.Files), "file"), Value: open}
		it.Hint = lines(f.Added, f.Removed)
		if slices.Contains(t.Uncommitted, f.Path) {
			it.Detail = "not committed"
		}
		items = append(items, it)
	}
	items = append(items, more(len(t.Files)-maxTreeFiles, words.Count(len(t.Files), "file"), open)...)
	items = append(items, t.commits("", open)...)
	l.List = list.New(items)
	return l
}

const messageTitle = "Message: "

// Discard asks whether to discard a worktree with its session, and lists what would be lost. review
// shows the changes.
func Discard(t Tree, discard, review func() tea.Cmd) *List {
	items := []list.Item{{Title: "Keep it", Value: func() tea.Cmd { return nil }}, {Title: "Discard it", Detail: "closes this session, removes its worktree and branch", Value: discard}, {Title: "Review the changes", Value: review}}
	section := "Lost: " + words.Count(len(t.Uncommitted), "file") + ", not committed"
	for _, path := range t.Uncommitted[:min(len(t.Uncommitted), maxTreeFiles)] {
		items = append(items, list.Item{Title: path, Path: true, Section: section, Value: review})
	}
	items = append(items, more(len(t.Uncommitted)-maxTreeFiles, section, review)...)
	items = append(items, t.commits("Lost: ", review)...)
	return &List{Title: "Discard " + t.Name + "?", Foot: "enter select · esc back", List: list.New(items), NeedsConfirmation: true,
		Choose: With(func(do func() tea.Cmd) tea.Cmd { return do() })}
}

// commits returns the rows of the commits.
func (t Tree) commits(lost string, review func() tea.Cmd) (items []list.Item) {
	section := lost + words.Count(t.Total, "commit")
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

// lines is how many lines were added and removed: "+20 −5"; "" if none.
func lines(added, removed int) string {
	if added+removed == 0 {
		return ""
	}
	return fmt.Sprintf("+%d −%d", added, removed)
}
