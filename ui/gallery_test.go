package ui

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient/thread"
	"parley/ui/uitest"
)

// edit is a question about a change of code.
func edit() string {
	old := "package parser\n\n// Parse reads.\nfunc Parse(in string) error {\n\tn, err := expr(in)\n\tif err != nil {\n\t\treturn err\n\t}\n\treturn use(n)\n}\n"
	now := strings.NewReplacer("return err", "return &Error{Op: \"parse\", Err: err}", "n, err", "node, err", "use(n)", "use(node)").Replace(old)
	text := func(s string) string { b, _ := json.Marshal(s); return string(b) }
	return `{"toolCallId":"t1","title":"Edit","kind":"edit","status":"pending","content":[{"type":"diff","path":"/home/ada/src/parser/parse.go","oldText":` + text(old) + `,"newText":` + text(now) + `}]}`
}

// What a question looks like in all of its states.
func TestGoldenQuestions(t *testing.T) {
	t.Parallel()
	withQuestion(t, edit(), usual, func(d *driver) {
		d.rest()
		d.golden("question, edit")
		d.press("alt+a")
		d.wait(200 * time.Millisecond)
		d.press("f")
		d.golden("question, edit, full screen")
	})
	withQuestion(t, push, usual, func(d *driver) {
		d.types("one more thi")
		d.golden("question, while typing")
		d.press("ctrl+u", "alt+a")
		d.wait(200 * time.Millisecond)
		d.press("d")
		d.golden("question, details")
		d.press("y")
		d.rest()
		d.golden("question, answered")
	})
	withQuestion(t, strings.Replace(longCommand(40), `"rawInput":{`, `"rawInput":{"cwd":"/home/ada/src/parser",`, 1), usual, func(d *driver) {
		d.rest()
		d.golden("question, long")
	})
}

// What opens over the transcript.
func TestGoldenOverlays(t *testing.T) {
	t.Parallel()
	drive(t, withOptions, func(d *driver) {
		d.connected()
		d.golden("empty")
		d.Agent().Update("s1", commands)
		d.Agent().Update("s1", `{"sessionUpdate":"plan","entries":[{"content":"read it","priority":"high","status":"completed"},{"content":"wire typed errors through Parse()","priority":"low","status":"in_progress"},{"content":"test it","priority":"low","status":"pending"}]}`)
		d.types("hello\n")
		d.soon()
		d.types("/")
		d.golden("commands")
		d.press("ctrl+u", "ctrl+t")
		d.golden("plan, opened")
		d.press("esc", "ctrl+p")
		d.golden("actions")
		d.types("them")
		d.golden("actions, filtered")
		d.press("esc", "esc", "?")
		d.golden("help")
		d.press("esc", "f2")
		d.golden("log")
		d.press("esc")
		d.types("/theme\n")
		d.sees("╭ Theme")
		for _, p := range uitest.Pages() { // the list itself says what the theme is
			d.m.Front.Panels.List().List.SetFilter(p.Theme)
			d.send(tea.WindowSizeMsg{Width: p.Width, Height: p.Height})
			uitest.Section(t, "screens", p, "themes", strings.Split(visible(d.m.View()), "\n"))
		}
	})
}

// The status line in every state there is.
func TestGoldenStatus(t *testing.T) {
	t.Parallel()
	lines := map[string][]string{}
	var names []string
	take := func(d *driver, name string) {
		names = append(names, name)
		for _, p := range uitest.Pages() {
			d.m.Options.Theme = p.Theme
			d.send(tea.WindowSizeMsg{Width: p.Width, Height: p.Height})
			lines[p.Name] = append(lines[p.Name], d.m.Front.Status(d.m.around(d.m.divided())).Row(p.Width))
		}
	}
	drive(t, func(d *driver, o *Options) { d.fake.Turn(slow); withOptions(d, o) }, func(d *driver) {
		d.connected()
		take(d, "idle")
		d.Agent().Update("s1", `{"sessionUpdate":"usage_update","used":76000,"size":200000,"cost":{"amount":0.414,"currency":"USD"}}`)
		d.types("one\ntwo\n")
		d.wait(time.Second)
		d.m.Front.Thread.Added, d.m.Front.Thread.Removed = 22, 3
		take(d, "running, one queued")
		d.m.Front.Thread.State = thread.Waiting
		take(d, "waiting")
		d.m.Front.Thread.State = thread.Cancelling
		take(d, "cancelling")
		d.wait(10 * time.Second)
		d.press("ctrl+o")
		take(d, "said something")
		d.wait(6 * time.Second)
		d.press("ctrl+c")
		take(d, "about to quit")
		d.wait(3 * time.Second)
		d.press("tab")
		take(d, "reading")
		d.press("tab")
		d.m.Front.ReadOnly = true
		take(d, "from a log")
		d.m.Front.ReadOnly = false
		d.m.Front.Agent.SetForTest(d.m.Front.Agent.ConnForTest(), "browser")
		take(d, "logging in")
		d.m.Front.Agent.SetForTest(d.m.Front.Agent.ConnForTest(), "")
		d.m.Front.Agent.Spec.Warning = "any certificate is accepted"
		take(d, "with a warning")
		d.m.Front.Thread.State = thread.Ended
		take(d, "gone")
		d.m.Front.Thread.State = thread.Idle
		d.m.Front.Agent.Spec.Warning = ""
	})
	for _, p := range uitest.Pages() {
		var rows []string
		for i, l := range lines[p.Name] {
			uitest.CheckRows(t, []string{l}, p.Width)
			rows = append(rows, fmt.Sprintf("-- %s", names[i]), l)
		}
		uitest.Section(t, "screens", p, "status", rows)
	}
}

// A conversation with one of everything in it, on the whole page: its end, its
// beginning, with an entry selected and opened, and a screen that is too small.
func TestGoldenEverything(t *testing.T) {
	t.Parallel()
	drive(t, nil, func(d *driver) {
		d.connected()
		c := d.m.Front
		for _, it := range uitest.GalleryEvents() {
			d.m.applyTo(c, it)
		}
		c.Applied()
		d.m.Now = func() time.Time { return uitest.Now }
		c.View.Tick(uitest.Now)
		d.golden("everything, its end")
		d.press("ctrl+home")
		d.golden("everything, its beginning")
		d.press("tab", "g", "j", "j", "j", "j", "enter")
		d.golden("everything, selected and opened")
		d.send(tea.WindowSizeMsg{Width: 19, Height: 5})
		d.sees("too small")
	})
}
