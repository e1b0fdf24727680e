// Package guard puts a net below a model: a mistake in it ends the program in order, and
// what was started is ended as always.
package guard

import (
	"fmt"
	"reflect"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"

	"parley/internal/safetext"
)

// Broken says that a mistake in the screen itself has ended it. What was started
// is gone all the same, and what was typed is kept.
type Broken struct {
	What  string   // safe to show, one line
	Trace string   // where it happened
	Logs  []string // files with what was said, of the sessions that were open
}

func (b *Broken) Error() string { return "a mistake of parley's own has ended the screen: " + b.What }

// maxBroken bounds what a Broken says, in runes: it may hold what an agent wrote.
const maxBroken = 500

// newBroken is to be called where the panic was caught.
func newBroken(cause any) *Broken {
	return &Broken{What: safetext.Line(fmt.Sprint(cause), maxBroken), Trace: strings.TrimSpace(safetext.Clean(string(debug.Stack())))}
}

// Guard is a model with a net below it: a panic in it, or in one of its commands on a
// goroutine of their own, ends the screen in order. Bubble Tea's own net kills the
// screen, and writes what it caught to the terminal as it is.
type Guard struct {
	model tea.Model
	quit  func() // ends the program; it may wait
	once  sync.Once
	broke atomic.Pointer[Broken] // the first mistake; others mostly come of it
}

// New puts a net below a model, whose Update returns the model itself.
func New(model tea.Model) *Guard { return &Guard{model: model} }

// SetQuit says how to end the program. quit may wait.
func (g *Guard) SetQuit(quit func()) { g.quit = quit }

// falls is deferred: it catches a panic.
func (g *Guard) falls() {
	if cause := recover(); cause != nil {
		g.broke.CompareAndSwap(nil, newBroken(cause))
		g.once.Do(func() { go g.quit() })
	}
}

// Init implements tea.Model.
func (g *Guard) Init() (cmd tea.Cmd) {
	defer g.falls()
	return g.under(g.model.Init())
}

// Update implements tea.Model. A model that has panicked is asked nothing more.
func (g *Guard) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if g.broke.Load() != nil {
		return g, nil
	}
	return g, g.update(msg)
}

func (g *Guard) update(msg tea.Msg) tea.Cmd {
	defer g.falls()
	_, cmd := g.model.Update(msg)
	return g.under(cmd)
}

// View implements tea.Model. Bubble Tea has nothing to draw: the model hands its views to
// the screen by itself.
func (g *Guard) View() tea.View { return tea.View{} }

var cmdType = reflect.TypeFor[tea.Cmd]()

// under puts the net below a command, and below those that it is made of: a batch,
// or a sequence, whose type Bubble Tea keeps to itself.
func (g *Guard) under(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() (msg tea.Msg) {
		defer g.falls()
		msg = cmd()
		of := reflect.TypeOf(msg)
		if of == nil || of.Kind() != reflect.Slice || of.Elem() != cmdType {
			return msg
		}
		all := reflect.ValueOf(msg)
		caught := reflect.MakeSlice(of, all.Len(), all.Len())
		for i := range all.Len() {
			one, _ := all.Index(i).Interface().(tea.Cmd)
			caught.Index(i).Set(reflect.ValueOf(g.under(one)))
		}
		return caught.Interface()
	}
}

// Do does what is still to be done of a model that may be in no good state.
func (g *Guard) Do(do func()) {
	defer g.falls()
	do()
}

// Broken is the mistake that the model has made; nil for none.
func (g *Guard) Broken() *Broken { return g.broke.Load() }
