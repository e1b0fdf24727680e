// Package guard recovers from panics in a model: the program ends in order, and everything it
// started is ended as usual.
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

// PanicError is the error after a panic. Everything that was started has ended, and
// drafts are saved.
type PanicError struct {
	What  string   // safe to show, one line
	Trace string   // the stack trace
	Logs  []string // the logs of the sessions that were open
}

func (b *PanicError) Error() string { return "a bug in parley ended it: " + b.What }

// maxBroken bounds the text of a PanicError, in runes: it may hold text of an agent.
const maxBroken = 500

// NewPanicError must be called in the deferred function that recovers.
func NewPanicError(cause any) *PanicError {
	return &PanicError{What: safetext.Line(fmt.Sprint(cause), maxBroken), Trace: strings.TrimSpace(safetext.Clean(string(debug.Stack())))}
}

// Guard wraps a model. A panic in it, or in one of its commands on their own goroutines, ends
// the screen in order. Bubble Tea's own recovery kills the screen and writes the panic to the
// terminal unescaped.
type Guard struct {
	model tea.Model
	quit  func() // ends the program; it may wait
	once  sync.Once
	broke atomic.Pointer[PanicError] // the first panic; later ones mostly follow from it
}

// New wraps a model whose Update returns the model itself.
func New(model tea.Model) *Guard { return &Guard{model: model} }

// SetQuit sets the function that ends the program. It may block.
func (g *Guard) SetQuit(quit func()) { g.quit = quit }

// recoverPanic recovers from a panic. It must be deferred.
func (g *Guard) recoverPanic() {
	if cause := recover(); cause != nil {
		g.broke.CompareAndSwap(nil, NewPanicError(cause))
		g.once.Do(func() { go g.quit() })
	}
}

// Init implements tea.Model.
func (g *Guard) Init() (cmd tea.Cmd) {
	defer g.recoverPanic()
	return g.wrap(g.model.Init())
}

// Update implements tea.Model. A model that has panicked is not called again.
func (g *Guard) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if g.broke.Load() != nil {
		return g, nil
	}
	return g, g.update(msg)
}

func (g *Guard) update(msg tea.Msg) tea.Cmd {
	defer g.recoverPanic()
	_, cmd := g.model.Update(msg)
	return g.wrap(cmd)
}

// View implements tea.Model. The view is empty: the model passes its rows to the painter.
func (g *Guard) View() tea.View { return tea.View{} }

var cmdType = reflect.TypeFor[tea.Cmd]()

// wrap wraps a command, and the commands in a batch or in a sequence, whose type Bubble Tea
// does not export.
func (g *Guard) wrap(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() (msg tea.Msg) {
		defer g.recoverPanic()
		msg = cmd()
		of := reflect.TypeOf(msg)
		if of == nil || of.Kind() != reflect.Slice || of.Elem() != cmdType {
			return msg
		}
		all := reflect.ValueOf(msg)
		caught := reflect.MakeSlice(of, all.Len(), all.Len())
		for i := range all.Len() {
			one, _ := all.Index(i).Interface().(tea.Cmd)
			caught.Index(i).Set(reflect.ValueOf(g.wrap(one)))
		}
		return caught.Interface()
	}
}

// Do calls a function of a model that may be in an inconsistent state.
func (g *Guard) Do(do func()) {
	defer g.recoverPanic()
	do()
}

// Panic returns the panic of the model, or nil.
func (g *Guard) Panic() *PanicError { return g.broke.Load() }
