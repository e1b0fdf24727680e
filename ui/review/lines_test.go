package review

import (
	"strings"
	"testing"

	"parley/internal/notes"
)

// row returns the first row of the diff that has a text.
func (g *rig) row(part string) string {
	g.t.Helper()
	for _, row := range strings.Split(g.screen(), "\n") {
		if _, row, _ = strings.Cut(row[len("│"):], "│"); strings.Contains(row, part) {
			return strings.TrimRight(strings.TrimSuffix(strings.TrimSpace(row), "│"), " ")
		}
	}
	g.t.Fatalf("no row with %q:\n%s", part, g.screen())
	return ""
}

// The line above a hunk is above its context, too; a bar is beside all of the selected hunk.
func TestBarAtTheHunk(t *testing.T) {
	g := newRig(t, three())
	g.press("]")
	g.sees("⋯")
	rows := strings.Split(g.screen(), "\n")
	at := -1
	for i, row := range rows {
		if strings.Contains(row, "▌ hunk 2 of 3") {
			at = i
		}
	}
	for i, part := range []string{"hunk 2", "19  19   same", "20", "21", "- b", "+ B", "23  23   same", "24", "25"} {
		if row := rows[at+i]; !strings.Contains(row, "│ ▌") || !strings.Contains(row, part) {
			t.Errorf("row %d of the hunk is %q, want a bar and %q", i, row, part)
		}
	}
	if strings.Count(g.screen(), "▌") != 9 {
		t.Error(g.screen())
	}
	g.press("tab")
	g.misses("▌")
}

// Selected lines have a bar and keep their colours.
func TestSelectedLinesKeepTheirColours(t *testing.T) {
	colours := func(g *rig) string {
		rows, _ := g.r.Rows(g.width, g.height)
		for _, row := range rows {
			if strings.Contains(row, "A") && strings.Contains(row, "+") && strings.Contains(row, "48;") {
				return row[strings.LastIndex(row[:strings.Index(row, "+ ")+1], "\x1b"):]
			}
		}
		t.Fatal("no added line")
		return ""
	}
	g := newRig(t, three())
	before := colours(g)
	g.press("J", "J")
	if got := g.row("+ A"); !strings.HasPrefix(got, "┃") {
		t.Errorf("%q has no bar", got)
	}
	if got := colours(g); got != before {
		t.Errorf("selected %q, else %q", got, before)
	}
}

// Side by side, the line numbers of both sides are selected.
func TestSelectedLinesSideBySide(t *testing.T) {
	text := "1\n" + far + "2\n"
	g := newRig(t, changedFile("f", text, "1\nadded\n"+far+"2\n"))
	g.width = 240
	g.r.Saw(240, g.height)
	g.press("g", "J")
	rows, _ := g.r.Rows(g.width, g.height)
	selected, _, _ := strings.Cut(g.r.env.Theme.Selected.Paint("x"), "x")
	for _, row := range rows {
		if strings.Contains(row, "added") && strings.Count(row, selected) != 2 {
			t.Errorf("%q", row)
		}
	}
}

// The footer names the keys of what has the focus.
func TestFooterOfTheFocus(t *testing.T) {
	g := newRig(t, three())
	g.sees("] [ hunk", "u undo ·", "esc back")
	g.press("J")
	g.sees("c note on these lines", "esc unselect")
	g.press("esc", "tab")
	g.sees("u undo file", "esc back")
	g.misses("] [ hunk")
	g.press("enter", "J")
	g.sees("esc unselect")
	for _, part := range []string{"] [ hunk", "u undo file", "(closed)"} { // esc goes back one step: the diff, the list, the chat
		g.press("esc")
		g.sees(part)
	}
}

// Where only the diff is on the screen, the footer says how to see the list of files; and how to redo what was
// undone.
func TestFooterOfANarrowScreen(t *testing.T) {
	g := newRig(t, three())
	g.width = 80
	g.r.Saw(80, g.height)
	g.sees("a keep · u undo · c note · tab files")
	g.press("u")
	g.sees("u undo · r redo")
}

// A note is shown below its line, is edited from there, and says that its code was undone.
func TestNotesBelowTheirLines(t *testing.T) {
	g := newRig(t, three())
	note := notes.Note{Path: "/x/d/three.go", From: 1, To: 1, Quote: "-a\n+A", Diff: true, Text: "why\n\x1b[31mA"}
	g.written = note
	s := g.screen()
	if below := s[strings.Index(s, "+ A"):]; !strings.Contains(strings.SplitN(below, "\n", 3)[1], "✎ why") {
		t.Error(s)
	}
	g.press("J", "J", "J", "K") // the line and another
	g.press("esc", "J", "J")
	g.press("esc")
	for y, row := range strings.Split(g.screen(), "\n") {
		if strings.Contains(row, "+ A") {
			g.r.Click(60, y, true)
		}
	}
	g.written.Text = "because"
	want := g.written
	g.press("c")
	if g.written != want {
		t.Errorf("c at the note writes %+v", g.written)
	}
	for y, row := range strings.Split(g.screen(), "\n") {
		if strings.Contains(row, "│ ✎") && g.r.RowBelow(g.written) != y {
			t.Errorf("the note at row %d is edited at %d", y, g.r.RowBelow(g.written))
		}
	}
	g.written.Stale = true
	g.sees("✎ three.go:1, undone since: because")
	if s := g.screen(); strings.Index(s, "✎") > strings.Index(s, "hunk 1 of 3\n") && strings.Index(s, "✎") > strings.Index(s, "- a") {
		t.Errorf("not above the diff:\n%s", s)
	}
	g.width, g.height = 30, 8
	g.r.Saw(30, 8)
	g.screen()
}

// A note stays below its line when a hunk above it is undone, and when that is redone.
func TestNoteMovesWithItsLine(t *testing.T) {
	text := "1\n" + far + "2\n"
	g := newRig(t, changedFile("f", text, "new\nlines\n1\n"+far+"2\nmine\n"))
	g.press("]", "c")
	g.written.Text = "why"
	below := func() string {
		s := g.screen()
		return s[strings.Index(s, "+ mine"):]
	}
	want := "✎ why"
	if s := below(); !strings.Contains(strings.SplitN(s, "\n", 3)[1], want) {
		t.Fatal(g.screen())
	}
	g.press("[", "u")
	g.says("Undid 1 hunk of f")
	if s := below(); !strings.Contains(strings.SplitN(s, "\n", 3)[1], want) {
		t.Error(g.screen())
	}
	g.press("r")
	if s := below(); !strings.Contains(strings.SplitN(s, "\n", 3)[1], want) || !strings.Contains(g.screen(), "+ lines") {
		t.Error(g.screen())
	}
}

// The narrowest screen with the list beside the diff has line numbers, as has the widest without.
func TestNumbersBesideTheList(t *testing.T) {
	g := newRig(t, three())
	for _, width := range []int{leastBeside - 1, leastBeside} {
		g.width = width
		g.r.Saw(width, g.height)
		g.sees("22     - b")
	}
}

// The list of files marks those with notes.
func TestFilesWithNotes(t *testing.T) {
	g := newRig(t, three(), changedFile("d/other.go", "a\n", "b\n"))
	g.written = notes.Note{Path: "/x/d/three.go", Text: "why"}
	g.sees("three.go ✎ ")
	if strings.Count(g.screen(), "✎") != 1 {
		t.Error(g.screen())
	}
}

// A note whose line is folded is above the diff, and says where it belongs.
func TestNoteOnAFoldedLine(t *testing.T) {
	g := newRig(t, three())
	g.written = notes.Note{Path: "/x/d/three.go", From: 22, To: 22, Quote: "-b\n+B", Diff: true, Text: "why"}
	g.press("]", "z")
	g.sees("✎ three.go:22: why")
	g.press("z")
	g.sees("✎ why")
}

// With lines selected, the keys that scroll else select another line: without a mouse, too, a note can be
// on one line in the middle of a hunk.
func TestSelectOneLine(t *testing.T) {
	g := newRig(t, three())
	g.press("J", "j", "j")
	g.sees("j k line · J K select · c note on these lines")
	g.press("c")
	if g.written.Quote != " same" || g.written.From != 2 || g.written.To != 2 {
		t.Errorf("the third line: %+v", g.written)
	}
	g.written = notes.Note{}
	g.press("J", "up", "c")
	if g.written.Quote != " same" || g.written.From != 2 {
		t.Errorf("back again: %+v", g.written)
	}
	g.written.Text = "why"
	g.sees("c edit the note")
	g.press("k", "k", "k", "k", "k")
	g.sees("┃   1     - a")
	g.press("esc", "j")
	g.misses("┃")
}
