package ui

import (
	"reflect"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
)

// Wherever the screen makes a mistake, it is caught once, ends the program, and is
// safe to show; what comes afterwards is not asked any more.
func TestMistakesAreCaught(t *testing.T) {
	mistake := func() tea.Msg { panic("on purpose \x1b]2;x\x07\n" + strings.Repeat("x", 3000)) }
	for name, falls := range map[string]func(*netted){
		"update":   func(n *netted) { n.m.start = nil; remains(t, n) },
		"view":     func(n *netted) { n.m.start = nil; n.m.dirty = true; n.View() },
		"init":     func(n *netted) { n.m.opts.Start, n.m.pages = "fake", nil; n.Init() },
		"command":  func(n *netted) { n.under(mistake)() },
		"batch":    func(n *netted) { n.under(tea.Batch(func() tea.Msg { return nil }, mistake))().(tea.BatchMsg)[1]() },
		"sequence": func(n *netted) { all(n.under(tea.Sequence(nil, mistake, func() tea.Msg { return nil }))) },
		"nested": func(n *netted) {
			all(n.under(tea.Batch(tea.Sequence(tea.Batch(nil, mistake, mistake), mistake), mistake)))
		},
		"in vain": func(n *netted) { n.kept(func() { mistake() }) },
	} {
		t.Run(name, func(t *testing.T) {
			ended := make(chan bool, 2)
			n := &netted{m: New(Options{Theme: "plain"}), quit: func() { ended <- true }}
			n.m.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
			before := n.View()
			falls(n)
			<-ended
			broke := n.ended()
			if broke == nil || broke.What == "" || strings.ContainsAny(broke.Error()+broke.Trace, "\x1b\x07") || len(broke.What) > 2000 || !strings.Contains(broke.Trace, "broken_test.go") {
				t.Fatalf("%+v", broke)
			}
			remains(t, n)
			if v := n.View(); v.Content != before.Content {
				t.Error("it is drawn all the same")
			}
			if len(ended) > 0 {
				t.Error("it ends twice")
			}
		})
	}
	if n := (&netted{m: New(Options{})}); n.ended() != nil || n.under(nil) != nil || n.under(func() tea.Msg { return tea.KeyPressMsg{Text: "x"} })() != tea.Msg(tea.KeyPressMsg{Text: "x"}) {
		t.Error("without a mistake it is not as if there were no net")
	}
}

// remains wants a message to change nothing.
func remains(t *testing.T, n *netted) {
	t.Helper()
	if model, cmd := n.Update(keyPress("x")); model != tea.Model(n) || cmd != nil {
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
