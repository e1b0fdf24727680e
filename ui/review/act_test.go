package review

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"parley/internal/undo"
	"parley/ui/layer"
)

// The key for a hunk never undoes or stages a whole file that has several but is not shown yet.
func TestHunkOfAFileThatIsNotReadYet(t *testing.T) {
	other := three()
	other.Path = "d/two.go"
	for _, key := range []string{"u", "s", "a"} {
		g := newRig(t, three(), other)
		g.held = true
		g.press("}", key)
		g.release()
		g.says("Still reading d/two.go")
		g.holds("d/two.go", other.after)
		if f := g.files["/x/d/two.go"]; f.Undone || f.staged != nil {
			t.Errorf("%s: %+v", key, f.Change)
		}
		g.misses("✓")
	}
}

// What was undone is redone only where the file still is as the undo left it: an agent may have gone
// on writing.
func TestRedoKeepsLaterChanges(t *testing.T) {
	g := newRig(t, three())
	g.press("u")
	f := g.files["/x/d/three.go"]
	f.after += "more\n"
	f.Version = "later"
	g.run(g.r.Refresh())
	g.sees("+ more")
	g.press("r")
	g.says("Not redone: d/three.go: it was changed since")
	g.holds("d/three.go", "a\n"+far+"B\n"+far+"C\nmore\n")
}

// A redo that was refused since the file was changed is forgotten, so that r reaches the undos before
// it. After any other error it can be tried again.
func TestRefusedRedo(t *testing.T) {
	for name, c := range map[string]struct {
		key    string
		refuse func(g *rig)
	}{
		"a hunk, recorded": {"u", func(g *rig) { g.files["/x/b"].after += "more\n" }},
		"a hunk, on disk":  {"u", func(g *rig) { g.err = fmt.Errorf("b: %w", undo.ErrChangedSince) }},
		"a file":           {"U", func(g *rig) { g.err = undo.ErrChangedSince }},
	} {
		t.Run(name, func(t *testing.T) {
			text := "1\n" + far + "2\n"
			changed := "one\n" + far + "two\n"
			g := newRig(t, changedFile("a", text, changed), changedFile("b", text, changed))
			g.press("u", "}", c.key)
			g.err = errors.New("the disk is full")
			g.press("r")
			g.says("Not redone: b: the disk is full")
			g.err = nil
			c.refuse(g)
			g.press("r")
			g.says("Not redone: b: ")
			g.says("it was changed since")
			g.err = nil
			g.press("r")
			g.says("Redid a")
			g.holds("a", changed)
		})
	}
}

// Until the files are listed again, an undo has not ended: another key would be about the old diff.
func TestKeyBeforeTheNextList(t *testing.T) {
	g := newRig(t, three())
	g.held = true
	g.press("u")
	undo := g.waiting[0]
	g.waiting = nil
	g.run(undo().(layer.Message).Handle()) // lists the files; that is held
	g.press("u")
	g.release()
	g.says("Undid 1 hunk of d/three.go")
	g.holds("d/three.go", "a\n"+far+"B\n"+far+"C\n")
}

// Of many undone hunks the latest can be redone, so that not all of their texts are kept.
func TestManyUndone(t *testing.T) {
	var before, after strings.Builder
	for i := range maxUndone + 10 {
		fmt.Fprintf(&before, "a%d\n%s", i, far)
		fmt.Fprintf(&after, "A%d\n%s", i, far)
	}
	g := newRig(t, changedFile("f", before.String(), after.String()))
	for range maxUndone + 5 {
		g.press("u")
	}
	for range maxUndone {
		g.press("r")
		g.says("Redid f")
	}
	g.press("r")
	g.says("Nothing was undone here")
	g.sees("hunk 1 of " + fmt.Sprint(maxUndone+5))
}

// A smaller window still shows the selected hunk.
func TestSmallerWindow(t *testing.T) {
	g := newRig(t, three())
	g.press("]", "]")
	g.sees("▌ hunk 3 of 3")
	g.height = 12
	g.r.Saw(g.width, g.height)
	if !g.r.Resized() || g.r.Resized() {
		t.Error("the rows are not drawn again, or forever")
	}
	g.sees("▌ hunk 3 of 3", "+ C")
}

// Hunks with the same lines are kept and staged one by one.
func TestHunksThatAreAlike(t *testing.T) {
	g := newRig(t, changedFile("f", "old\n"+far+"old\n"+far+"old\n", "new\n"+far+"new\n"+far+"new\n"))
	g.press("a")
	g.sees("  hunk 1 of 3 · ✓ kept", "▌ hunk 2 of 3", "- old")
	g.misses("hunk 2 of 3 · ✓ kept")
	g.press("s")
	g.sees("hunk 2 of 3 · staged")
	g.misses("hunk 1 of 3 · staged", "✓ f")
	g.press("]", "u") // the marks of the others stay
	g.sees("hunk 1 of 2 · ✓ kept", "hunk 2 of 2 · staged")
}
