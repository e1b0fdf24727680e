package mouse

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
)

// paper is a page whose transcript is at the rows 2 to 9. It writes down what is done.
type paper struct {
	did  []string
	text string
}

func (p *paper) note(format string, args ...any) { p.did = append(p.did, fmt.Sprintf(format, args...)) }

func (p *paper) Click(x, y int, up bool) { p.note("click %d,%d %v", x, y, up) }
func (p *paper) Area() Area              { return Area{Y: 2, Width: 80, Height: 8} }
func (p *paper) Uncovered(x, y int) bool { return y >= 2 && y < 10 }
func (p *paper) Selected() tea.Cmd       { p.note("selected"); return nil }
func (p *paper) DragTo(row, cell int)    { p.text = "text"; p.note("drag %d,%d", row, cell) }
func (p *paper) DraggedText() string     { return p.text }
func (p *paper) ClearDrag()              { p.text = "" }
func (p *paper) Scroll(rows int)         { p.note("scroll %d", rows) }

func at(x, y int) tea.Mouse { return tea.Mouse{X: x, Y: y, Button: tea.MouseLeft} }

func TestMouse(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(m *Mouse, p *paper)
		want string
	}{
		{"a click", func(m *Mouse, p *paper) { m.Down(at(3, 4)); m.Move(at(3, 4)); m.Up(at(3, 4)) }, "click 3,4 false|click 3,4 true"},
		{"a click that moved", func(m *Mouse, p *paper) { m.Down(at(3, 4)); m.Up(at(4, 4)) }, "click 3,4 false"},
		{"another button", func(m *Mouse, p *paper) { m.Down(tea.Mouse{X: 3, Y: 4, Button: tea.MouseRight}); m.Up(at(3, 4)) }, ""},
		{"shift is the terminal's", func(m *Mouse, p *paper) {
			m.Down(tea.Mouse{X: 3, Y: 4, Button: tea.MouseLeft, Mod: tea.ModShift})
			m.Up(at(3, 4))
		}, ""},
		{"a selection", func(m *Mouse, p *paper) { m.Down(at(3, 4)); m.Move(at(9, 5)); m.Up(at(9, 5)) }, "click 3,4 false|drag 3,9|selected"},
		{"from elsewhere", func(m *Mouse, p *paper) { m.Down(at(3, 20)); m.Move(at(9, 5)); m.Up(at(9, 5)) }, "click 3,20 false"},
		{"at the edge", func(m *Mouse, p *paper) {
			m.Down(at(3, 4))
			m.Move(at(3, 9))
			rollMsg{m}.Handle()
			m.Move(at(3, 5))
			rollMsg{m}.Handle()
		}, "click 3,4 false|drag 7,3|scroll 1|drag 7,3|drag 3,3"},
		{"dropped by the page", func(m *Mouse, p *paper) { m.Down(at(3, 4)); m.Drop(); m.Move(at(9, 5)); m.Up(at(3, 4)) }, "click 3,4 false"},
		{"off", func(m *Mouse, p *paper) { m.SetOff(true); m.Down(at(3, 4)); m.Move(at(9, 5)); m.Up(at(9, 5)) }, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := &paper{}
			m := New(func() Page { return p })
			c.do(m, p)
			if got := strings.Join(p.did, "|"); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// A button that went down on one page does nothing on another.
func TestMouseOnAnotherPage(t *testing.T) {
	first, second := &paper{}, &paper{}
	page := first
	m := New(func() Page { return page })
	m.Down(at(3, 4))
	m.Move(at(3, 9))
	page = second
	rollMsg{m}.Handle()
	m.Move(at(3, 5))
	m.Up(at(3, 4))
	if got := strings.Join(first.did, "|"); got != "click 3,4 false|drag 7,3" || len(second.did) > 0 {
		t.Errorf("got %q and %q", got, second.did)
	}
}

// The click that drops a selection says so.
func TestMouseDrops(t *testing.T) {
	p := &paper{text: "text"}
	m := New(func() Page { return p })
	m.Down(at(3, 4))
	if m.Up(at(3, 4)); !m.Drops() || p.text != "" {
		t.Errorf("drops: %v, %q is selected", m.Drops(), p.text)
	}
	m.Down(at(3, 4))
	if m.Drops() {
		t.Error("it drops what is not there")
	}
}
