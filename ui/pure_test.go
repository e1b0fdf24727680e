package ui

import (
	"cmp"
	"fmt"
	"hash/maphash"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
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
	"ui.source.rows", // the messages of an item, by width
	"ui.source.width",
}

// state is what is in every field of parley's own types that can be reached from a model: a
// hash of each value, in the order of the walk.
type state []uint64

// stateOf looks into the types of the screen, the workspace and the thread. Of values of other
// types, and of those that other goroutines write, it records only the identity.
func stateOf(m *Model) state {
	w := walker{been: map[visit]bool{}}
	w.walk(reflect.ValueOf(m))
	return w.state
}

// pathOf returns the path to the value at an index of a model's state, and the value.
func pathOf(m *Model, index int) (path, value string) {
	w := walker{been: map[visit]bool{}, wanted: index + 1}
	w.walk(reflect.ValueOf(m))
	return w.found, w.value
}

// changedPath returns the path to the first value of a model that is no longer as it was;
// "" if none has changed.
func changedPath(before state, m *Model) (path, value string) {
	now := stateOf(m)
	for i := range max(len(before), len(now)) {
		if i >= len(before) || i >= len(now) || before[i] != now[i] {
			return pathOf(m, min(i, len(now)-1))
		}
	}
	return "", ""
}

type visit struct {
	at uintptr
	of reflect.Type
}

type walker struct {
	state
	been   map[visit]bool
	steps  []turning // to where it is
	wanted int       // the number of the value whose path is wanted
	found  string
	value  string
}

// turning leads to a field by its name, or to an element by its index or key.
type turning struct {
	name  string
	index int
}

// note adds a value to the state.
func (w *walker) note(hash uint64, v reflect.Value) {
	w.state = append(w.state, hash)
	if len(w.state) != w.wanted {
		return
	}
	for _, s := range w.steps {
		w.found += "/" + cmp.Or(s.name, strconv.Itoa(s.index))
	}
	w.value = fmt.Sprint(v)
}

var seed = maphash.MakeSeed()

// field is one that the walk enters.
type field struct {
	index int
	name  string
}

var fieldsOfTypes sync.Map // reflect.Type -> []field

// fieldsOf returns the fields of a struct to look at.
func fieldsOf(t reflect.Type) []field {
	if known, ok := fieldsOfTypes.Load(t); ok {
		return known.([]field)
	}
	var fields []field
	ours := strings.HasPrefix(t.PkgPath(), "parley/")
	if !slices.Contains(memos, t.String()) && (t.PkgPath() == "" || t.String() == "time.Time" || ours && looksInto(t)) {
		for i := range t.NumField() {
			if name := t.String() + "." + t.Field(i).Name; !slices.Contains(memos, name) {
				fields = append(fields, field{i, name})
			}
		}
	}
	fieldsOfTypes.Store(t, fields)
	return fields
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

func (w *walker) walk(v reflect.Value) {
	switch v.Kind() {
	case reflect.Invalid:
		w.note(0, v)
	case reflect.Pointer:
		if v.IsNil() || !looksInto(v.Type().Elem()) {
			w.note(uint64(v.Pointer()), v)
			return
		}
		if this := (visit{v.Pointer(), v.Type()}); !w.been[this] {
			w.been[this] = true
			w.walk(v.Elem())
		}
	case reflect.Interface:
		if v.IsNil() {
			w.note(0, v)
			return
		}
		w.note(maphash.Comparable(seed, v.Elem().Type()), v)
		w.walk(v.Elem())
	case reflect.Struct:
		for _, f := range fieldsOf(v.Type()) {
			w.enter(turning{name: f.name}, v.Field(f.index))
		}
	case reflect.Slice, reflect.Array:
		w.note(uint64(v.Len()), v)
		if v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8 {
			w.note(maphash.Bytes(seed, v.Bytes()), v)
			return
		}
		for i := range v.Len() {
			w.enter(turning{index: i}, v.Index(i))
		}
	case reflect.Map:
		w.note(uint64(v.Len()), v)
		values := map[string]reflect.Value{}
		for it := v.MapRange(); it.Next(); {
			key := fmt.Sprint(it.Key())
			if it.Key().Kind() == reflect.Pointer {
				key = fmt.Sprintf("%x", it.Key().Pointer())
			}
			values[key] = it.Value()
		}
		for _, key := range slices.Sorted(maps.Keys(values)) { // what is reached twice has one path
			w.enter(turning{name: key}, values[key])
		}
	case reflect.Func, reflect.Chan, reflect.UnsafePointer:
		w.note(uint64(v.Pointer()), v)
	case reflect.String:
		w.note(maphash.String(seed, v.String()), v)
	case reflect.Bool:
		w.note(maphash.Comparable(seed, v.Bool()), v)
	case reflect.Float32, reflect.Float64:
		w.note(math.Float64bits(v.Float()), v)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		w.note(v.Uint(), v)
	default:
		w.note(uint64(v.Int()), v)
	}
}

func (w *walker) enter(s turning, v reflect.Value) {
	w.steps = append(w.steps, s)
	w.walk(v)
	w.steps = w.steps[:len(w.steps)-1]
}

// watched tells whether the model is compared before and after each drawing, as the golden
// tests do.
func (d *driver) watched() bool { return d.watching && d.m.width > 0 }

// watch draws the screen twice before the page is told, and checks that this changes no state
// and that the same state makes the same rows.
func (d *driver) watch(when string) {
	d.t.Helper()
	m := d.m
	m.arrange()
	before := stateOf(m)
	first, again := m.draw().view.Content, m.draw().view.Content
	if path, value := changedPath(before, m); path != "" {
		d.t.Errorf("%s: drawing has written %s: now %q", when, path, value)
	}
	if again != first {
		d.t.Errorf("%s: drawn twice, the same is not the same:\n%s\n%s", when, first, again)
	}
}

// unwatched watches the screen as it is, at other sizes too, and then nothing until what
// it returns is called.
func (d *driver) unwatched() (again func()) {
	d.watchOtherSizes()
	was := d.watching
	d.watching = false
	return func() { d.watching = was }
}

// watchOtherSizes is watch on screens of other sizes.
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

// Drawing changes no state, whatever is on the screen; the page is told after the frame what was
// shown. The golden tests check this too.
func TestDrawingWritesNothing(t *testing.T) {
	t.Parallel()
	t.Run("scrolled", scrolled)
	t.Run("inline", onPaperToo)
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
	onPaper(t, func(d *driver, _ *Options) { d.fake.Turn(asking(push, usual)) }, func(d *driver, p *paper) {
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
			t.Fatalf("%d values are all of a model", n)
		}
		d.m.Front.Question.Restart()
		if path, value := changedPath(before, d.m); path != "" {
			t.Errorf("nothing has changed, but %s is %q", path, value)
		}
		d.m.Front.Fit(81, 24)
		if path, _ := changedPath(before, d.m); !strings.Contains(path, "page.Page.Composer") {
			t.Errorf("the first change is at %q", path)
		}
		before = stateOf(d.m)
		d.m.Front.Unread = true
		if path, value := changedPath(before, d.m); !strings.HasSuffix(path, "page.Page.Unread") || value != "true" {
			t.Errorf("the first change is at %q, to %q", path, value)
		}
	})
}
