package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/internal/glyphs"
)

// spot returns the cell where a text begins on the screen.
func (d *driver) spot(text string) (x, y int) {
	d.t.Helper()
	for y, row := range strings.Split(d.screen(), "\n") {
		if before, _, ok := strings.Cut(row, text); ok {
			return glyphs.Width(before), y
		}
	}
	d.t.Fatalf("the screen does not show %q:\n%s", text, d.screen())
	return 0, 0
}

func (d *driver) mouseDown(x, y int) {
	d.t.Helper()
	d.send(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft})
}

func (d *driver) mouseTo(x, y int) {
	d.t.Helper()
	d.send(tea.MouseMotionMsg{X: x, Y: y, Button: tea.MouseLeft})
}

func (d *driver) mouseUp(x, y int) {
	d.t.Helper()
	d.send(tea.MouseReleaseMsg{X: x, Y: y, Button: tea.MouseLeft})
}

func (d *driver) clickOn(text string) {
	d.t.Helper()
	x, y := d.spot(text)
	d.mouseDown(x, y)
	d.mouseUp(x, y)
}

// drags selects from the beginning of one text to the end of another.
func (d *driver) drags(from, to string) {
	d.t.Helper()
	x, y := d.spot(from)
	d.mouseDown(x, y)
	x, y = d.spot(to)
	d.mouseTo(x-1, y)
	x += glyphs.Width(to) - 1
	d.mouseTo(x, y)
	d.mouseUp(x, y)
}

// What is dragged over is copied when the button comes up, without what the screen
// has added.
func TestDragCopies(t *testing.T) {
	withAnswer(t, nil, func(d *driver) {
		d.drags("closing", "eighty")
		d.hasCopied("closing sentence that is long enough to be wrapped on a screen of eighty")
		d.sees("Sent 1 line to the terminal's clipboard (OSC 52")
		if got := d.painted(); !strings.HasPrefix(got, "closing") {
			t.Errorf("%q is painted", got)
		}
		d.press("esc")
		if got := d.painted(); got != "" {
			t.Errorf("%q is painted after esc", got)
		}
		d.drags("func", "return")
		d.hasCopied("func a() {\n\treturn")
		d.types("draft")
		d.press("ctrl+c") // copies, and neither stops nor clears
		d.hasCopied("func a() {\n\treturn")
		d.draft("draft")
		if got := d.painted(); got != "" {
			t.Errorf("%q is painted after ctrl+c", got)
		}
		d.drags("closing", "eighty")
		d.hasCopied("closing sentence that is long enough to be wrapped on a screen of eighty")
		d.clickOn("closing") // drops it
		if got := d.painted(); got != "" {
			t.Errorf("%q is painted after a click", got)
		}
		d.hasCopied("")
	})
	withAnswer(t, func(o *Options) { o.NoCopyOnSelect = true }, func(d *driver) {
		d.drags("closing", "eighty")
		d.hasCopied("")
		d.press("ctrl+c")
		d.hasCopied("closing sentence that is long enough to be wrapped on a screen of eighty")
		d.press("ctrl+c")
		d.sees("again to quit")
	})
}

// At an edge the transcript scrolls, as long as the pointer is held there.
func TestDragScrolls(t *testing.T) {
	withTranscript(t, nil, func(d *driver) {
		for i := range 60 {
			d.Agent().Update("s1", fmt.Sprintf(`{"sessionUpdate":"tool_call","toolCallId":"x%d","title":"Step %d","kind":"other","status":"completed"}`, i, i))
		}
		d.soon()
		d.sees("Step 59")
		x, y := d.spot("Step 59")
		d.mouseDown(x, y)
		d.mouseTo(x, y-5)
		d.mouseTo(2, 0)
		d.wait(time.Second)
		d.misses("Step 59")
		d.mouseTo(2, 4)
		shown := d.screen()
		d.wait(time.Second)
		if d.screen() != shown {
			t.Error("it scrolls on")
		}
		d.mouseUp(2, 4)
		if !strings.Contains(d.copied, "Tool   Step 45\nTool   Step 46\n") || !strings.HasSuffix(d.copied, "Tool   Step 58\nTool   S") {
			t.Errorf("copied %q", d.copied)
		}
		for i := range 20 { // new lines move nothing
			d.Agent().Update("s1", fmt.Sprintf(`{"sessionUpdate":"tool_call","toolCallId":"y%d","title":"More %d","kind":"other","status":"completed"}`, i, i))
		}
		d.soon()
		d.misses("More")
		d.sees("↓ 20 new · end")
		d.clickOn("20 new")
		d.sees("More 19")
	})
}

// A click on the line of an entry opens it and closes it; one that moves does not.
func TestClickOpens(t *testing.T) {
	withTranscript(t, nil, func(d *driver) {
		d.clickOn("Read two")
		d.clickOn("Read one")
		for range 60 {
			d.press("shift+down")
		}
		d.sees("last row of two")
		d.misses("┃")
		d.press("esc")
		d.drags("That", "was two")
		d.clickOn("was two") // drops the selection
		d.sees("That was two.")
	})
	withAnswer(t, nil, func(d *driver) {
		d.clickOn("Run    make all")
		d.misses("built")
		d.clickOn("Run    make all")
		d.sees("built")
		d.drags("closing", "eighty")
		d.clickOn("Run    make all") // drops the selection and does nothing else
		d.sees("built")
		x, y := d.spot("Run    make all")
		d.mouseDown(x, y)
		d.mouseTo(x+3, y)
		d.mouseUp(x+3, y)
		d.sees("built")
		d.mouseDown(x, y)
		d.mouseUp(x+1, y) // without a motion in between
		d.sees("built")
	})
}

// A click in the composer puts the cursor there, and gives it the keys.
func TestClickInTheComposer(t *testing.T) {
	withAnswer(t, nil, func(d *driver) {
		d.types("one two")
		d.press("shift+enter")
		d.types("日本語 three")
		x, y := d.spot("本語")
		d.mouseDown(x+1, y) // its right half
		d.mouseUp(x+1, y)
		d.types("X")
		d.draft("one two\n日X本語 three")
		d.clickOn("two")
		d.types("Y")
		d.draft("one Ytwo\n日X本語 three")
		x, y = d.spot("Ytwo")
		d.mouseDown(x+30, y)
		d.mouseUp(x+30, y)
		d.types("Z")
		d.draft("one YtwoZ\n日X本語 three")
	})
	withAnswer(t, nil, func(d *driver) {
		d.press("tab")
		d.sees("┃")
		d.clickOn("Ask the agent")
		d.misses("┃")
		d.types("typed")
		d.draft("typed")
	})
}

// A click in the composer takes the keys from a question that had them.
func TestClickAwayFromAQuestion(t *testing.T) {
	drive(t, func(d *driver, _ *Options) { d.fake.Turn(asking(push, usual)) }, func(d *driver) {
		d.connected()
		d.types("ask\n")
		d.soon()
		d.sees("fake asks")
		d.clickOn("fake asks")
		d.wait(time.Second)
		d.clickOn("Ask the agent")
		d.types("yes")
		d.soon()
		d.outcomes("")
		d.draft("yes")
		d.press("backspace", "backspace", "backspace")
		d.clickOn("git push")
		d.wait(time.Second)
		d.types("y")
		d.soon()
		d.outcomes("ok")
	})
}

// With the mouse off nothing is asked of the terminal, and nothing is done.
func TestMouseOff(t *testing.T) {
	withAnswer(t, func(o *Options) { o.NoMouse = true }, func(d *driver) {
		d.sees("mouse off")
		if d.m.View().MouseMode != tea.MouseModeNone {
			t.Error("the mouse is taken")
		}
		d.drags("closing", "eighty")
		d.clickOn("Run    make all")
		d.send(tea.MouseWheelMsg{Button: tea.MouseWheelUp})
		d.hasCopied("")
		d.sees("built", "eighty")
		d.types("/mouse\n")
		d.misses("mouse off")
		if d.m.View().MouseMode != tea.MouseModeCellMotion {
			t.Error("the mouse is not taken")
		}
		d.drags("closing", "eighty")
		d.hasCopied("closing sentence that is long enough to be wrapped on a screen of eighty")
		d.types("/mouse\n")
		d.sees("The terminal has the mouse; /mouse takes it back")
		if d.m.View().MouseMode != tea.MouseModeNone || d.painted() != "" {
			t.Error("the mouse is still taken")
		}
	})
}

// What lies over the transcript is not clicked through, and shift is the
// terminal's.
func TestClickThrough(t *testing.T) {
	withAnswer(t, nil, func(d *driver) {
		x, y := d.spot("Run    make all")
		d.press("f1")
		d.mouseDown(x, y)
		d.mouseUp(x, y)
		d.press("esc")
		d.sees("built")
		d.send(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft, Mod: tea.ModShift})
		d.mouseUp(x, y)
		d.send(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseRight})
		d.mouseUp(x, y)
		d.sees("built")
	})
}
