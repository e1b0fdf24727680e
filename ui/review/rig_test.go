package review

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/internal/notes"
	"parley/ui/intent"
	"parley/ui/layer"
	"parley/ui/theme"
	"parley/ui/uitest"
)

// rig is a fake page with a review, and the files that it is about.
type rig struct {
	t             *testing.T
	r             *Review
	width, height int
	waiting       []tea.Cmd // while held
	held          bool

	said    []string
	did     []intent.Intent
	opened  string
	copied  string
	written notes.Note   // the last
	undid   []notes.Note // and not redone
	changed int

	files map[string]*onDisk
	gaps  []string
	reads int
	err   error // of everything that changes something
}

// onDisk is a file that an agent has changed.
type onDisk struct {
	File
	before, after string
	noText        bool
	staged        *string
}

func newRig(t *testing.T, files ...onDisk) *rig {
	t.Helper()
	g := &rig{t: t, width: 120, height: 30, files: map[string]*onDisk{}}
	for _, f := range files {
		f.Path, f.Kind, f.By = "/x/"+f.Name, cmp.Or(f.Kind, "changed"), "on disk during the turn"
		f.Turn, f.Version, f.Disk = max(1, f.Turn), "1", true
		g.files[f.Path] = &f
	}
	env := &layer.Env{Now: func() time.Time { return time.Unix(1000, 0) }, Keys: intent.Default, Theme: theme.Pick("dark", true, false)}
	g.r = New(env, g)
	g.r.Saw(g.width, g.height)
	g.run(g.r.Start(g))
	return g
}

func (g *rig) Say(text string) tea.Cmd        { g.said = append(g.said, text); return nil }
func (g *rig) HasKeys() bool                  { return true }
func (g *rig) Compared() bool                 { return false }
func (g *rig) Do(i intent.Intent) tea.Cmd     { g.did = append(g.did, i); return nil }
func (g *rig) Named(path string) bool         { return strings.HasSuffix(path, "named.go") }
func (g *rig) Changed()                       { g.changed++ }
func (g *rig) Undid(n notes.Note)             { g.undid = notes.Undo(g.undid, n) }
func (g *rig) Redid(path string)              { g.undid = notes.Redo(g.undid, path) }
func (g *rig) Copy(f func() string) tea.Cmd   { g.copied = f(); return nil }
func (g *rig) Left() tea.Cmd                  { return nil }
func (g *rig) WriteNote(n notes.Note) tea.Cmd { g.written = n; return nil }
func (g *rig) Notes(path string) []notes.Note {
	if g.written.Path == path {
		return []notes.Note{g.written}
	}
	return nil
}
func (g *rig) OpenFile(path string, line int) tea.Cmd {
	g.opened = fmt.Sprintf("%s:%d", path, line)
	return nil
}

func (g *rig) Since(turn int) (files []File, turns []int) {
	for _, f := range g.files {
		turns = append(turns, f.Turn)
		if f.Turn >= turn && (f.before != f.after || f.noText || f.Undone || f.Kind != "changed") {
			files = append(files, f.File)
		}
	}
	slices.Sort(turns)
	return files, slices.Compact(turns)
}

func (g *rig) NotRecorded() []string { return g.gaps }

func (g *rig) Texts(f File) (before, after string, ok bool) {
	g.reads++
	d := g.files[f.Path]
	return d.before, d.after, !d.noText
}

// change changes a file, unless its change is another by now.
func (g *rig) change(f File, do func(*onDisk)) error {
	d := g.files[f.Path]
	switch {
	case g.err != nil:
		return g.err
	case d.Version != f.Version:
		return errors.New("it was changed since")
	}
	do(d)
	d.Version += "'"
	return nil
}

func (g *rig) Undo(f File) error { return g.change(f, func(d *onDisk) { d.Undone = true }) }
func (g *rig) Redo(f File) error { return g.change(f, func(d *onDisk) { d.Undone = false }) }
func (g *rig) Rewrite(f File, text string) error {
	return g.change(f, func(d *onDisk) { d.after = text })
}

func (g *rig) Stage(f File, text *string) error {
	if g.err != nil {
		return g.err
	}
	d := g.files[f.Path]
	if d.staged = text; text == nil {
		d.staged = &d.after
	}
	return nil
}

// run runs a command and what follows from it.
func (g *rig) run(cmd tea.Cmd) {
	switch {
	case cmd == nil:
		return
	case g.held:
		g.waiting = append(g.waiting, cmd)
		return
	}
	switch msg := cmd().(type) {
	case nil:
	case tea.BatchMsg:
		for _, c := range msg {
			g.run(c)
		}
	case layer.Message:
		g.run(msg.Handle())
	default:
		g.t.Fatalf("%T", msg)
	}
}

// release runs the commands that were held.
func (g *rig) release() {
	g.held = false
	for _, cmd := range g.waiting {
		g.run(cmd)
	}
	g.waiting = nil
}

var codes = map[string]rune{"enter": tea.KeyEnter, "esc": tea.KeyEscape, "backspace": tea.KeyBackspace, "up": tea.KeyUp, "down": tea.KeyDown, "pgup": tea.KeyPgUp,
	"pgdown": tea.KeyPgDown, "tab": tea.KeyTab, "f1": tea.KeyF1, "home": tea.KeyHome, "end": tea.KeyEnd, "left": tea.KeyLeft, "right": tea.KeyRight, "space": tea.KeySpace}

func (g *rig) press(keys ...string) {
	g.t.Helper()
	for _, name := range keys {
		rest, ctrl := strings.CutPrefix(name, "ctrl+")
		rest, alt := strings.CutPrefix(rest, "alt+")
		k := tea.Key{Code: []rune(rest)[0]}
		if code, ok := codes[rest]; ok {
			k.Code = code
		} else if !ctrl && !alt {
			k.Text = rest
		}
		if ctrl {
			k.Mod = tea.ModCtrl
		}
		if alt {
			k.Mod = tea.ModAlt
		}
		msg := tea.KeyPressMsg(k)
		cmd, taken := g.r.Key(layer.Press{KeyPressMsg: msg, Name: msg.String(), Want: intent.Default.Of(intent.Chat, msg.String())})
		if !taken {
			g.t.Errorf("%s was not taken", name)
		}
		g.run(cmd)
	}
}

func (g *rig) types(text string) {
	for _, r := range text {
		g.press(string(r))
	}
}

// screen returns what is on the screen. It fails the test if that does not fit.
func (g *rig) screen() string {
	g.t.Helper()
	if !g.r.Open() {
		return "(closed)"
	}
	rows, _ := g.r.Rows(g.width, g.height)
	uitest.CheckRows(g.t, rows, g.width)
	if len(rows) != g.height {
		g.t.Fatalf("%d rows on a screen of %d", len(rows), g.height)
	}
	return uitest.Text(rows)
}

func (g *rig) sees(parts ...string) {
	g.t.Helper()
	for _, p := range parts {
		if s := g.screen(); !strings.Contains(s, p) {
			g.t.Fatalf("the screen does not show %q:\n%s", p, s)
		}
	}
}

func (g *rig) misses(parts ...string) {
	g.t.Helper()
	for _, p := range parts {
		if s := g.screen(); strings.Contains(s, p) {
			g.t.Fatalf("the screen shows %q:\n%s", p, s)
		}
	}
}

// says fails unless this was said last, in one line.
func (g *rig) says(want string) {
	g.t.Helper()
	if len(g.said) == 0 || !strings.Contains(g.said[len(g.said)-1], want) || strings.Contains(g.said[len(g.said)-1], "\n") {
		g.t.Fatalf("said %q, want %q", g.said, want)
	}
}

// holds fails unless a file has the text.
func (g *rig) holds(name, want string) {
	g.t.Helper()
	if got := g.files["/x/"+name].after; got != want {
		g.t.Errorf("%s holds %q, want %q", name, got, want)
	}
}

func changedFile(name, before, after string) onDisk {
	return onDisk{File: File{Name: name, Before: int64(len(before)), After: int64(len(after))}, before: before, after: after}
}
