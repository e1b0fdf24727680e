package review

import (
	"strings"
	"testing"

	"parley/internal/notes"
	"parley/internal/undo"
)

// A note is about the selected hunk, or about the file where there is none.
func TestNoteOnAHunk(t *testing.T) {
	g := newRig(t, three(), onDisk{Change: undo.Change{Path: "logo.png"}, noText: true})
	g.press("}", "c")
	if want := (notes.Note{Path: "/x/d/three.go", From: 1, To: 1, Quote: "-a\n+A", Diff: true}); g.written != want {
		t.Errorf("%+v, want %+v", g.written, want)
	}
	g.sees("1 note")
	g.press("]", "z", "c") // a folded one
	if g.written.From != 22 || g.written.Quote != "-b\n+B" {
		t.Errorf("%+v", g.written)
	}
	g.press("tab", "c")
	if want := (notes.Note{Path: "/x/d/three.go"}); g.written != want {
		t.Errorf("in the list of files: %+v, want %+v", g.written, want)
	}
	g.press("tab", "{", "c")
	if want := (notes.Note{Path: "/x/logo.png"}); g.written != want {
		t.Errorf("%+v, want %+v", g.written, want)
	}
}

// Lines are selected with keys, in one column and side by side, and with a click; esc forgets them.
func TestNoteOnLines(t *testing.T) {
	g := newRig(t, three())
	g.press("J", "c")
	if g.written.Quote != "-a" || g.written.From != 1 || !g.written.Old {
		t.Errorf("%+v", g.written)
	}
	g.press("J", "J", "J", "K", "c")
	if g.written.Quote != "-a\n+A\n "+strings.TrimSuffix(strings.Split(far, "\n")[0], "\n") || g.written.From != 1 || g.written.To != 2 || g.written.Old {
		t.Errorf("%+v", g.written)
	}
	g.press("esc", "c")
	if g.written.Quote != "-a\n+A" || !g.r.Open() {
		t.Errorf("after esc: %+v", g.written)
	}
	g.press("v", "J", "c")
	if g.written.Quote != "-a\n+A" {
		t.Errorf("side by side: %+v", g.written)
	}
	g.press("v")
	for y, row := range strings.Split(g.screen(), "\n") {
		if strings.Contains(row, "+ B") {
			g.r.Click(60, y, true)
		}
	}
	g.press("c")
	if g.written.Quote != "+B" || g.written.From != 22 {
		t.Errorf("clicked: %+v", g.written)
	}
	g.press("K", "K", "K", "K", "K", "K", "K", "K", "K", "K", "K", "K", "c")
	if !strings.HasPrefix(g.written.Quote, "-a\n+A\n ") || !strings.HasSuffix(g.written.Quote, "\n-b\n+B") {
		t.Errorf("upwards: %+v", g.written)
	}
}

// The page learns what was undone, as long as it is not redone.
func TestUndoneIsNoted(t *testing.T) {
	g := newRig(t, three())
	g.press("u")
	if want := (notes.Note{Path: "/x/d/three.go", From: 1, To: 1, Quote: "-a\n+A", Diff: true, Undone: true}); len(g.undid) != 1 || g.undid[0] != want {
		t.Errorf("%+v, want %+v", g.undid, want)
	}
	g.press("r")
	if len(g.undid) != 0 {
		t.Errorf("redone, and still noted: %+v", g.undid)
	}
	g.press("U")
	if len(g.undid) != 1 || g.undid[0].Path != "/x/d/three.go" || !strings.HasPrefix(g.undid[0].Quote, "@@ -1,") {
		t.Errorf("%+v", g.undid)
	}
	g.press("c")
	if g.written.Quote != "" || g.written.Path != "/x/d/three.go" {
		t.Errorf("on a restored file: %+v", g.written)
	}
	g.press("r")
	if len(g.undid) != 0 {
		t.Errorf("redone, and still noted: %+v", g.undid)
	}
}
