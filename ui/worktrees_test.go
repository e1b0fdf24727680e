package ui

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"parley/internal/fakeagent"
	"parley/internal/workspace"
	"parley/ui/layer"
	"parley/ui/page"
	"parley/ui/panel"
)

// forest is the worktrees of a test.
type forest struct {
	holds workspace.Unmerged
	fails error
	did   []string
	asked string // the prompt that was given for the message
	makes func(names []string) ([]workspace.Worktree, error)

	merged func() // called after a merge; it may be nil
}

func (f *forest) Enter(context.Context, string) (workspace.Worktree, error) {
	return workspace.Worktree{Dir: f.holds.Dir, Branch: f.holds.Branch}, nil
}

func (f *forest) Make(_ context.Context, names []string) ([]workspace.Worktree, error) {
	return f.makes(names)
}

func (f *forest) Unmerged(_ context.Context, dir, prompt string) (workspace.Unmerged, error) {
	if dir != f.holds.Dir {
		return workspace.Unmerged{}, errors.New("this session is not in a worktree; /worktree starts one")
	}
	f.asked = prompt
	return f.holds, nil
}

func (f *forest) Merge(_ context.Context, _ string, shown workspace.Unmerged) (bool, error) {
	f.did = append(f.did, "merge "+shown.Message)
	if f.merged != nil {
		f.merged()
	}
	return true, f.fails
}

func (f *forest) Discard(context.Context, string, workspace.Unmerged) error {
	f.did = append(f.did, "discard")
	return f.fails
}

// inTree runs a test in front of a session in a worktree. Another session is open beside it.
func inTree(t *testing.T, f func(d *driver, trees *forest)) {
	t.Helper()
	trees := &forest{holds: workspace.Unmerged{Name: "typed-errors", Branch: "parley/typed-errors", Dir: filepath.Join(t.TempDir(), "typed-errors"), Into: "main", Makes: true, Message: "return typed errors", Total: 2, Commits: []string{"4f2c1aa Wire typed errors through Parse", "90d1e07 Return typed errors from the lexer"},
		Uncommitted: []string{"parser/errors_test.go"},
		Files:       []workspace.ChangedFile{{Path: "parser/errors.go", Added: 12}, {Path: "parser/errors_test.go", Added: 5}, {Path: "parser/lex.go", Added: 3, Removed: 5}, {Path: "parser/testdata/logo.png"}}}}
	if err := os.Mkdir(trees.holds.Dir, 0o700); err != nil {
		t.Fatal(err)
	}
	drive(t, func(_ *driver, opts *Options) {
		opts.Worktrees, opts.Home = trees, filepath.Dir(trees.holds.Dir)
	}, func(d *driver) {
		d.connected()
		d.types("/worktree typed-errors\n")
		d.rest()
		d.wait(10 * time.Second) // until the toast is gone
		f(d, trees)
	})
}

// refuses types a command and expects a line, and that nothing was done.
func (f *forest) refuses(d *driver, command, line string) {
	d.t.Helper()
	d.types(command + "\n")
	d.soon()
	d.sees(line)
	d.misses("enter select")
	if len(f.did) > 0 {
		d.t.Errorf("it did %q", f.did)
	}
}

// /merge lists what would be merged, and merges it after a deliberate key.
func TestMergeWorktree(t *testing.T) {
	inTree(t, func(d *driver, trees *forest) {
		d.types("/merge\n")
		d.soon()
		d.sees("Merge typed-errors into main?", "Merge 4 files, +20 −5", "commits 1 file first, keeps the worktree", "Merge and remove", "4 files", "parser/errors_test.go", "not committed", "+3 −5")
		d.press("y")
		d.sees("Too soon after another key: press enter again")
		d.golden("merge a worktree")
		d.wait(time.Second)
		d.press("esc")
		d.misses("enter select")
		for i, key := range []string{"y", "enter"} {
			d.types("/merge\n")
			d.rest()
			if key == "y" {
				d.press("down", "down") // y is the answer wherever the cursor is
			}
			d.press(key)
			d.soon()
			d.misses("enter select")
			d.sees("Merged into main", "· Merged typed-errors into main (fast-forward): 4 files, +20 −5")
			if len(trees.did) != i+1 {
				t.Fatalf("%s: did %q", key, trees.did)
			}
		}
	})
}

// A session is closed and its worktree removed after a merge if the user chooses that and nothing is left.
func TestMergeAndRemoveWorktree(t *testing.T) {
	for _, left := range []bool{false, true} {
		inTree(t, func(d *driver, trees *forest) {
			d.types("/merge\n")
			d.rest()
			d.press("down")
			if !left {
				trees.merged = func() { trees.holds.Total, trees.holds.Uncommitted, trees.holds.Files = 0, nil, nil }
			}
			d.press("enter")
			d.soon()
			if left {
				d.sees("Merged, but the worktree is kept: it has changed since")
			} else {
				d.sees("Discarded typed-errors")
			}
			want := []string{"merge return typed errors", "discard"}
			if left {
				want = want[:1]
			}
			if !slices.Equal(trees.did, want) {
				t.Errorf("did %q, want %q", trees.did, want)
			}
		})
	}
}

// At the end of a chat a list names the files and says what each answer does; without an answer the
// worktree is kept.
func TestEndingOfAWorktree(t *testing.T) {
	u := workspace.Unmerged{Name: "fix", Into: "main", Makes: true, Message: "first prompt", Total: 1, Commits: []string{"4f2c1aa One"}, Uncommitted: []string{"a.txt"},
		Files: []workspace.ChangedFile{{Path: "a.txt", Added: 2}, {Path: "b.txt", Added: 1, Removed: 1}}}
	for _, c := range []struct {
		refused string
		keys    []string
		do      panel.Ending
		message string
	}{
		{"", []string{"enter"}, panel.Keep, "first prompt"},
		{"", []string{"esc"}, panel.Keep, ""},
		{"", []string{"ctrl+c"}, panel.Keep, ""},
		{"", []string{"y"}, panel.Keep, ""},
		{"", []string{"down", "enter"}, panel.MergeAndRemove, "first prompt"},
		{"", []string{"down", "down", "enter"}, panel.MergeAndKeep, "first prompt"},
		{"", []string{"down", "down", "down", "enter"}, panel.Remove, "first prompt"},
		{"it would conflict: a.txt", []string{"down", "enter"}, panel.Remove, ""},
	} {
		u.Refused = c.refused
		do, message := panel.Keep, ""
		now := time.Unix(1000, 0)
		e := newEnding(Options{Theme: "plain"}, u, func(chosen panel.Ending, with string) { do, message = chosen, with })
		e.Now = func() time.Time { return now }
		e.list.Open(&e.Env, new(layer.Effects), e)
		now = now.Add(time.Minute)
		e.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
		screen := e.View().Content
		for _, part := range []string{"What about the worktree fix?", "Keep", "not committed", "a.txt", "b.txt", "4f2c1aa One", "loses 1 file not committed and 1 commit", "Remove", c.refused} {
			if !strings.Contains(ansi.Strip(screen), part) {
				t.Errorf("%q is not in\n%s", part, ansi.Strip(screen))
			}
		}
		if strings.Contains(ansi.Strip(screen), "Merge and remove") != (c.refused == "") {
			t.Errorf("refused with %q:\n%s", c.refused, ansi.Strip(screen))
		}
		if strings.Contains(screen, "into main") != (c.refused == "") {
			t.Errorf("refused with %q:\n%s", c.refused, ansi.Strip(screen))
		}
		for _, key := range c.keys {
			code, ok := map[string]tea.Key{"enter": {Code: tea.KeyEnter}, "esc": {Code: tea.KeyEscape}, "down": {Code: tea.KeyDown}, "ctrl+c": {Code: 'c', Mod: tea.ModCtrl}}[key]
			if !ok {
				code = tea.Key{Code: []rune(key)[0], Text: key}
			}
			e.Update(tea.KeyPressMsg(code))
		}
		if do != c.do || message != c.message || e.closed != (c.keys[0] != "y") {
			t.Errorf("%q: chose %v with %q, closed %v", c.keys, do, message, e.closed)
		}
	}
}

// The message of the commit is the first prompt since the last merge, and can be changed: in its row, or
// with the command.
func TestMergeMessage(t *testing.T) {
	inTree(t, func(d *driver, trees *forest) {
		merges := func(command string, keys ...string) {
			t.Helper()
			trees.did = nil
			d.types(command + "\n")
			d.rest()
			for _, key := range keys {
				d.press(key)
			}
		}
		d.types("return typed errors\n")
		d.wait(time.Second)
		d.types("and test it\n")
		d.wait(time.Second)
		merges("/merge")
		if trees.asked != "return typed errors" {
			t.Errorf("the message is made of %q, want the first prompt", trees.asked)
		}
		d.sees("Message: return typed errors  enter edit")
		d.press("down", "down", "down", "enter")
		d.sees("› return typed errors", "enter save · esc cancel")
		d.types(": lexer")
		d.golden("edit the message of a merge")
		d.press("esc")
		d.sees("Message: return typed errors  enter edit")
		d.rest()
		d.press("enter")
		d.types(": lexer\n")
		d.sees("Message: return typed errors: lexer  enter edit")
		d.press("enter") // as fast as a double press
		d.sees("Too soon after another key")
		if len(trees.did) > 0 {
			t.Fatalf("it did %q", trees.did)
		}
		d.rest()
		d.press("y")
		d.soon()
		if want := []string{"merge return typed errors: lexer"}; !slices.Equal(trees.did, want) {
			t.Errorf("did %q, want %q", trees.did, want)
		}
		d.types("more\n")
		d.wait(time.Second)
		merges("/merge from the command", "y")
		d.soon()
		if want := []string{"merge from the command"}; !slices.Equal(trees.did, want) || trees.asked != "more" {
			t.Errorf("did %q, asked with %q, want %q with the first prompt since the last merge", trees.did, trees.asked, want)
		}
		trees.holds.Makes, trees.holds.Message = false, ""
		merges("/merge", "esc")
		d.types("/merge\n")
		d.soon()
		d.sees("Merge 4 files")
		d.misses("Message:")
	})
}

// A turn that begins while the list is open keeps the worktree as it is.
func TestMergeAfterATurnHasBegun(t *testing.T) {
	inTree(t, func(d *driver, trees *forest) {
		d.fake.Turn(func(t *fakeagent.Turn) string { t.Wait(time.Minute); return "end_turn" })
		for _, keys := range [][]string{{"/merge\n", "y", "Not merged: a turn is running: stop it first"}, {"/discard\n", "enter", "Not discarded: a turn is running: stop it first"}} {
			d.types(keys[0])
			d.rest()
			if keys[1] == "enter" {
				d.press("down")
			}
			if err := d.m.Front.Prompts.Send("work"); err != nil {
				t.Fatal(err)
			}
			d.soon()
			d.press(keys[1])
			d.soon()
			d.sees(keys[2])
			if len(trees.did) > 0 {
				t.Errorf("it did %q", trees.did)
			}
			d.wait(2 * time.Minute)
		}
	})
}

// What cannot be merged says why in one line.
func TestNotMergedWorktree(t *testing.T) {
	inTree(t, func(d *driver, trees *forest) {
		full := trees.holds
		trees.holds.Total, trees.holds.Uncommitted = 0, nil
		trees.refuses(d, "/merge", "Not merged: main has all of typed-errors")
		trees.holds = full
		trees.holds.Refused = "a merge or rebase is in progress there: finish it first"
		trees.refuses(d, "/merge", "Not merged: a merge or rebase is in progress there: finish it first")
		trees.holds = full
		trees.fails = errors.New("the merge would conflict in a.txt")
		d.types("/merge\n")
		d.rest()
		d.press("y")
		d.soon()
		d.sees(" Not merged: the merge would conflict in a.txt", "· Not merged: the merge would conflict in a.txt")
		trees.did = nil
		d.fake.Turn(func(t *fakeagent.Turn) string { t.Wait(time.Minute); return "end_turn" })
		d.types("work\n")
		d.soon()
		trees.refuses(d, "/merge", "Not merged: a turn is running: stop it first")
		trees.refuses(d, "/discard", "Not discarded: a turn is running: stop it first")
		d.m.Workspace.Show(d.m.Workspace.Sessions()[0])
		d.send(page.Refresh{})
		trees.refuses(d, "/merge", "Not merged: this session is not in a worktree; /worktree starts one")
	})
}

// /discard lists what would be lost; the first answer keeps it, and y is none.
func TestDiscardWorktree(t *testing.T) {
	inTree(t, func(d *driver, trees *forest) {
		discards := func(keys ...string) {
			t.Helper()
			d.types("/discard\n")
			d.rest()
			d.sees("Discard typed-errors?", "› Keep it", "Lost: 1 file, not committed", "parser/errors_test.go", "Lost: 2 commits", "Wire typed errors through Parse")
			d.press(keys...)
			d.soon()
		}
		discards("y")
		d.golden("discard a worktree")
		d.rest()
		d.press("enter")
		discards("esc")
		if len(trees.did) > 0 || len(d.m.Workspace.Sessions()) != 2 {
			t.Fatalf("did %q", trees.did)
		}
		discards("down", "enter")
		d.sees("Discarded typed-errors")
		if len(d.m.Workspace.Sessions()) != 1 || !slices.Equal(trees.did, []string{"discard"}) {
			t.Errorf("did %q, %d sessions are open", trees.did, len(d.m.Workspace.Sessions()))
		}
	})
}

// The only session stays, with a line that says what to do instead.
func TestDiscardTheOnlySession(t *testing.T) {
	inTree(t, func(d *driver, trees *forest) {
		d.m.Workspace.Sessions()[0].Close()
		d.send(page.Refresh{})
		d.rest()
		trees.refuses(d, "/discard", "Not discarded: it is the only session: quit, and discard it then")
	})
}

// A worktree with many changes is listed in part.
func TestMergeALotOfFiles(t *testing.T) {
	inTree(t, func(d *driver, trees *forest) {
		trees.holds.Files = nil
		for i := range 500 {
			trees.holds.Files = append(trees.holds.Files, workspace.ChangedFile{Path: fmt.Sprintf("file%03d.go", i), Added: 1})
		}
		d.types("/merge\n")
		d.soon()
		d.sees("Merge 500 files, +500 −0")
		if n := d.m.Front.Panels.List().List.Len(); n > 250 {
			t.Errorf("%d rows", n)
		}
	})
}
