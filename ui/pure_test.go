package ui

import (
	"fmt"
	"maps"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// memos are types and fields that drawing fills in, and that no row depends on: what is drawn with
// them is what is drawn without (TestPageIsFresh).
var memos = []string{
	"question.body",           // the rows of a question: a large diff is not drawn on every frame
	"question.diffs",          // what was compared of it
	"transcript.layout",       // entries as rows, by width, theme and density
	"editor.inputLine.starts", // how a row of a draft wraps
	"editor.inputLine.width",
	"form.formField.help", // how the help of a field wraps
	"form.formField.helpWidth",
	"ui.source.rows", // the messages behind an item, by the width
	"ui.source.width",
}

// state is all of a model: what is in every field of parley's own types that can be
// reached, by the way there.
type state map[string]string

// stateOf looks at the types of the screen, the workspace and the thread. Of others, and
// of what goroutines of their own write, it notes which one it is.
func stateOf(m *Model) state {
	w := walker{state{}, map[visit]bool{}}
	w.walk(reflect.ValueOf(m), "")
	return w.state
}

type visit struct {
	at uintptr
	of reflect.Type
}

type walker struct {
	state
	been map[visit]bool
}

// looksInto tells whether the fields of a type are looked at.
func looksInto(t reflect.Type) bool {
	p := t.PkgPath()
	if t == reflect.TypeFor[paper]() {
		return false
	}
	return p == "" || strings.HasPrefix(p, "parley/ui") || slices.Contains([]string{"parley/internal/workspace", "parley/acpclient/thread", "parley/internal/elicit", "parley/permissions"}, p) &&
		t.Name() != "Broker" && t.Name() != "Workspace"
}

func (w walker) walk(v reflect.Value, path string) {
	switch v.Kind() {
	case reflect.Invalid:
		w.state[path] = "nil"
	case reflect.Pointer:
		if v.IsNil() || !looksInto(v.Type().Elem()) {
			w.state[path] = fmt.Sprintf("%x", v.Pointer())
			return
		}
		this := visit{v.Pointer(), v.Type()}
		w.state[path] = "pointer"
		if !w.been[this] {
			w.been[this] = true
			w.walk(v.Elem(), path)
		}
	case reflect.Interface:
		if v.IsNil() {
			w.state[path] = "nil"
			return
		}
		w.state[path] = v.Elem().Type().String()
		w.walk(v.Elem(), path)
	case reflect.Struct:
		t := v.Type()
		if slices.Contains(memos, t.String()) {
			return
		}
		if t.PkgPath() != "" && !strings.HasPrefix(t.PkgPath(), "parley/") && t.String() != "time.Time" {
			return
		}
		if strings.HasPrefix(t.PkgPath(), "parley/") && !looksInto(t) {
			return
		}
		for i := range t.NumField() {
			if f := t.String() + "." + t.Field(i).Name; !slices.Contains(memos, f) {
				w.walk(v.Field(i), path+"/"+f)
			}
		}
	case reflect.Slice, reflect.Array:
		w.state[path+"#"] = fmt.Sprint(v.Len())
		if v.Type().Elem().Kind() == reflect.Uint8 {
			b := make([]byte, v.Len())
			for i := range b {
				b[i] = byte(v.Index(i).Uint())
			}
			w.state[path] = string(b)
			return
		}
		for i := range v.Len() {
			w.walk(v.Index(i), fmt.Sprintf("%s/%d", path, i))
		}
	case reflect.Map:
		w.state[path+"#"] = fmt.Sprint(v.Len())
		values := map[string]reflect.Value{}
		for it := v.MapRange(); it.Next(); {
			key := fmt.Sprint(it.Key())
			if it.Key().Kind() == reflect.Pointer {
				key = fmt.Sprintf("%x", it.Key().Pointer())
			}
			values[key] = it.Value()
		}
		for _, key := range slices.Sorted(maps.Keys(values)) { // what is reached twice has one path
			w.walk(values[key], path+"/"+key)
		}
	case reflect.Func, reflect.Chan, reflect.UnsafePointer:
		w.state[path] = fmt.Sprintf("%x", v.Pointer())
	default:
		w.state[path] = fmt.Sprint(v)
	}
}

// changedPaths are the fields that differ.
func changedPaths(before, after state) []string {
	found := map[string]bool{}
	for path := range after {
		if before[path] != after[path] {
			found[path] = true
		}
	}
	for path := range before {
		if _, ok := after[path]; !ok {
			found[path] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// watching is whether every frame of the drivers is watched.
var watching bool

func (d *driver) watched() bool { return watching && d.m.width > 0 }

// watch draws the screen twice before anything is told of it, and checks that this
// writes nothing, and that the same state makes the same rows.
func (d *driver) watch(when string) {
	d.t.Helper()
	m := d.m
	m.arrange()
	before := stateOf(m)
	first, again := m.draw().view.Content, m.draw().view.Content
	after, said := stateOf(m), map[string]bool{}
	for _, path := range changedPaths(before, after) {
		field := path[strings.LastIndexByte(path[:strings.LastIndexByte(path, '.')], '/')+1:]
		switch {
		case !said[field]:
			said[field] = true
			d.t.Errorf("%s: drawing has written %s: %q -> %q", when, path, before[path], after[path])
		}
	}
	if again != first {
		d.t.Errorf("%s: drawn twice, the same is not the same:\n%s\n%s", when, first, again)
	}
}

// unwatched watches the screen as it is, at other sizes too, and then nothing until what
// it returns is called.
func (d *driver) unwatched() (again func()) {
	d.watchOtherSizes()
	was := watching
	watching = false
	return func() { watching = was }
}

// watchOtherSizes is watch on screens of other sizes, that nothing was told of.
func (d *driver) watchOtherSizes() {
	d.t.Helper()
	if !d.watched() {
		return
	}
	m, width, height := d.m, d.m.width, d.m.height
	for _, size := range [][2]int{{60, 18}, {150, 45}, {width, height}} {
		m.width, m.height, m.dirty = size[0], size[1], true
		d.watch(fmt.Sprintf("on a screen of %dx%d", m.width, m.height))
	}
}

// Drawing writes nothing, whatever is on the screen. What depends on having been shown is
// told after the frame.
func TestDrawingWritesNothing(t *testing.T) {
	watching = true
	defer func() { watching = false }()
	for _, gallery := range []func(*testing.T){
		TestGoldenQuestions, TestGoldenOverlays, TestGoldenStatus, TestGoldenEverything, TestGoldenScreens, TestGoldenTwoAgents, TestGoldenHunks, TestGoldenForm, TestGoldenPage,
		TestGoldenBehind, TestGoldenLogged, TestGoldenLogin, TestGoldenLoginStep, TestGoldenOptions, TestGoldenSessions, TestGoldenHeldPrompts, TestGoldenWork, scrolled, onPaperToo,
	} {
		name := runtime.FuncForPC(reflect.ValueOf(gallery).Pointer()).Name()
		t.Run(name[strings.LastIndexByte(name, '.')+1:], gallery)
	}
}

// scrolled is what is read on, further than it goes.
func scrolled(t *testing.T) {
	drive(t, nil, func(d *driver) {
		d.connected()
		d.press("f2", "pgup", "pgup", "esc", "ctrl+p", "pgdown", "pgdown", "down", "up")
		d.watchOtherSizes()
	})
}

// onPaperToo is a question below the terminal's own scrollback.
func onPaperToo(t *testing.T) {
	onPaper(t, func(d *driver, _ *Options) { d.turn = asking(push, usual) }, func(d *driver, p *paper) {
		d.types("go\n")
		d.wait(100 * time.Millisecond)
		p.shows("fake asks", "y Allow once")
		d.rest()
		d.press("d", "pgup", "pgdown", "n")
		d.watchOtherSizes()
	})
}

// The test of the test: a change anywhere is seen.
func TestStateIsSeen(t *testing.T) {
	drive(t, nil, func(d *driver) {
		d.connected()
		before := stateOf(d.m)
		if n := len(before); n < 500 {
			t.Fatalf("%d fields are all of a model", n)
		}
		d.m.chat.question.Turn()
		if changed := changedPaths(before, stateOf(d.m)); len(changed) > 0 {
			t.Errorf("nothing has changed: %q", changed)
		}
		d.m.chat.unread, d.m.chat.escAt = true, d.m.Now()
		if changed := changedPaths(before, stateOf(d.m)); len(changed) < 2 {
			t.Errorf("seen: %q", changed)
		}
	})
}
