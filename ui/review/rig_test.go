package review

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient/event"
	"parley/internal/intent"
	"parley/internal/notes"
	"parley/internal/tty"
	"parley/internal/undo"
	"parley/internal/workspace"
	"parley/ui/layer"
	"parley/ui/theme"
	"parley/ui/uitest"
)

// rig is a fake page with a review, and the files that it is about.
type rig struct {
	t             *testing.T
	r             *Review
	session       *workspace.Session
	width, height int
	waiting       []tea.Cmd // while held
	held          bool

	out     layer.Effects
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
	undo.Change
	before, after string
	noText        bool
	staged        *string
}

func newRig(t *testing.T, files ...onDisk) *rig {
	t.Helper()
	g := &rig{t: t, width: 120, height: 30, files: map[string]*onDisk{}}
	for _, f := range files {
		f.Path, f.Kind, f.By = "/x/"+f.Path, cmp.Or(f.Kind, undo.Changed), undo.OnDisk
		f.Turn, f.Version = max(1, f.Turn), "1"
		g.files[f.Path] = &f
	}
	env := &layer.Env{Now: func() time.Time { return time.Unix(1000, 0) }, Keys: intent.Default, Theme: theme.For("dark", tty.Colours{Dark: true})}
	g.session = workspace.New(workspace.Options{Cwd: "/w"}).Front()
	g.session.Thread.Apply(event.ToolChanged{ID: "1", Locations: &[]event.Location{{Path: "named.go"}}})
	g.r = g.review(env)
	g.r.Saw(g.width, g.height)
	g.run(g.r.Start(g.changes()))
	return g
}

func (g *rig) review(env *layer.Env) *Review {
	return New(env, &g.out, g.session, func() bool { return true })
}

// putNotes gives the session the notes of the rig, and takeNotes reads them.
func (g *rig) putNotes() {
	all := slices.Clone(g.undid)
	if g.written != (notes.Note{}) {
		all = append(all, g.written)
	}
	g.session.SetNotes(all)
}

func (g *rig) takeNotes() {
	g.undid = nil
	for _, n := range g.session.Notes() {
		if n.Undone {
			g.undid = append(g.undid, n)
		} else {
			g.written = n
		}
	}
}

// changes are those of the files.
func (g *rig) changes() *Changes {
	return &Changes{journal{g}, func(path string) string { return strings.TrimPrefix(path, "/x/") }}
}

// journal is the record of the changes of a rig.
type journal struct{ *rig }

func (j journal) Turn(bool) int { return 0 }

func (j journal) Changes() []undo.Change { return j.Since(0) }

func (j journal) Since(turn int) (files []undo.Change) {
	for _, f := range j.files {
		if f.Turn >= turn && (f.before != f.after || f.noText || f.Undone || f.Kind != undo.Changed) {
			files = append(files, f.Change)
		}
	}
	return files
}

func (j journal) NotRecorded() []string { return j.gaps }

func (j journal) Texts(c undo.Change) (before, after string, ok bool) {
	j.reads++
	f := j.files[c.Path]
	return f.before, f.after, !f.noText
}

func (j journal) Preview(context.Context, []undo.Change) []undo.Result { return nil }

// change changes a file, unless its change is another by now.
func (j journal) change(c undo.Change, do func(*onDisk)) error {
	f := j.files[c.Path]
	switch {
	case j.err != nil:
		return j.err
	case f.Version != c.Version:
		return undo.ErrChangedSince
	}
	do(f)
	f.Version += "'"
	j.changed++
	return nil
}

func (j journal) Undo(_ context.Context, of []undo.Change) []undo.Result {
	return []undo.Result{{Err: j.change(of[0], func(f *onDisk) { f.Undone = true })}}
}

func (j journal) Redo(_ context.Context, of []undo.Change) []undo.Result {
	return []undo.Result{{Err: j.change(of[0], func(f *onDisk) { f.Undone = false })}}
}

func (j journal) Rewrite(_ context.Context, c undo.Change, text string) error {
	return j.change(c, func(f *onDisk) { f.after = text })
}

func (j journal) Stage(_ context.Context, c undo.Change, text *string) error {
	if j.err != nil {
		return j.err
	}
	f := j.files[c.Path]
	if f.staged = text; text == nil {
		f.staged = &f.after
	}
	return nil
}

// run runs a command and what follows from it.
func (g *rig) run(cmd tea.Cmd) {
	g.takeNotes()
	defer g.putNotes()
	for _, e := range g.out.Take() {
		switch e := e.(type) {
		case layer.Say:
			g.said = append(g.said, string(e))
		case layer.Do:
			g.did = append(g.did, intent.Intent(e))
		case layer.Copy:
			g.copied = e()
		case OpenFile:
			g.opened = fmt.Sprintf("%s:%d", e.Path, e.Line)
		case WriteNote:
			g.written = notes.Note(e)
		}
	}
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
		g.putNotes()
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
	g.putNotes()
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
	return onDisk{Change: undo.Change{Path: name, Before: int64(len(before)), After: int64(len(after))}, before: before, after: after}
}
