package guard

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
)

// Wherever the screen makes a mistake, it is caught once, ends the program, and is
// safe to show; later messages do not reach the model.
func TestMistakesAreCaught(t *testing.T) {
	mistake := func() tea.Msg { panic("on purpose \x1b]2;x\x07\n" + strings.Repeat("x", 3000)) }
	for name, falls := range map[string]func(*Guard, *clumsy){
		"update":  func(g *Guard, c *clumsy) { c.breaks = true; remains(t, g) },
		"init":    func(g *Guard, c *clumsy) { c.breaks = true; g.Init() },
		"command": func(g *Guard, _ *clumsy) { g.wrap(mistake)() },
		"batch": func(g *Guard, _ *clumsy) {
			g.wrap(tea.Batch(func() tea.Msg { return nil }, mistake))().(tea.BatchMsg)[1]()
		},
		"sequence": func(g *Guard, _ *clumsy) { all(g.wrap(tea.Sequence(nil, mistake, func() tea.Msg { return nil }))) },
		"nested": func(g *Guard, _ *clumsy) {
			all(g.wrap(tea.Batch(tea.Sequence(tea.Batch(nil, mistake, mistake), mistake), mistake)))
		},
		"in vain": func(g *Guard, _ *clumsy) { g.Do(func() { mistake() }) },
	} {
		t.Run(name, func(t *testing.T) {
			ended := make(chan bool, 2)
			c := &clumsy{}
			g := New(c)
			g.SetQuit(func() { ended <- true })
			falls(g, c)
			<-ended
			broke := g.Panic()
			if broke == nil || broke.What == "" || strings.ContainsAny(broke.Error()+broke.Trace, "\x1b\x07") || len(broke.What) > 2000 || !strings.Contains(broke.Trace, "guard_test.go") {
				t.Fatalf("got %+v", broke)
			}
			remains(t, g)
			if len(ended) > 0 {
				t.Error("it ends twice")
			}
		})
	}
	c := &clumsy{}
	g := New(c)
	if _, cmd := g.Update(tea.KeyPressMsg{Text: "x"}); g.Panic() != nil || g.wrap(nil) != nil || c.drawn != 1 || cmd() != tea.Msg(tea.KeyPressMsg{Text: "y"}) {
		t.Error("without a mistake it is not as if there were no net")
	}
}

// clumsy is a model that panics when it is told to. Each message changes what it draws.
type clumsy struct {
	breaks bool
	drawn  int
}

func (c *clumsy) step() {
	if c.breaks {
		panic("on purpose")
	}
}

func (c *clumsy) Init() tea.Cmd  { c.step(); return nil }
func (c *clumsy) View() tea.View { c.step(); return tea.View{Content: fmt.Sprint("frame ", c.drawn)} }
func (c *clumsy) Update(tea.Msg) (tea.Model, tea.Cmd) {
	c.drawn++
	c.step()
	return c, func() tea.Msg { return tea.KeyPressMsg{Text: "y"} }
}

// remains wants a message to change nothing.
func remains(t *testing.T, g *Guard) {
	t.Helper()
	if model, cmd := g.Update(tea.KeyPressMsg{Code: 'x', Text: "x"}); model != tea.Model(g) || cmd != nil {
		t.Errorf("a message has made %v of the model, and %v is to be done", model, cmd)
	}
}

// all runs a command and what it is made of, as Bubble Tea does, where a goroutine
// that panics would end the test.
func all(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	of := reflect.ValueOf(cmd())
	if of.Kind() != reflect.Slice {
		return
	}
	for i := range of.Len() {
		all(of.Index(i).Interface().(tea.Cmd))
	}
}
