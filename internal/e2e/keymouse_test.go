//go:build unix

package e2e

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Buttons as terminals report them.
const (
	leftButton = 0
	dragged    = 32
	wheelUp    = 64
	wheelDown  = 65
	releases   = -1
)

// mouse reports a button at a cell. The button releases is the release of the left one.
func (s *Screen) mouse(button, x, y int) {
	end := "M"
	if button == releases {
		button, end = leftButton, "m"
	}
	s.Type(fmt.Sprintf("\x1b[<%d;%d;%d%s", button, x+1, y+1, end))
}

func (s *Screen) click(x, y int) {
	s.mouse(leftButton, x, y)
	s.mouse(releases, x, y)
}

// cellOf returns the cell where a text begins on the screen.
func cellOf(rows []string, text string) (x, y int) {
	y = rowOf(rows, text)
	if y < 0 {
		return -1, -1
	}
	return ansi.StringWidth(rows[y][:strings.Index(rows[y], text)]), y
}

func wheels(d *desk) {
	s := d.start(80, 24, "demo")
	s.Prompt("long")
	s.WaitFor("That is all.")
	end := s.WaitIdle()
	s.mouse(wheelUp, 10, 5)
	s.WaitFunc("what is above", func(rows []string) bool {
		return rows[0] != end[0] && strings.Contains(strings.Join(rows[1:10], "\n"), end[0])
	})
	for range 5 {
		s.mouse(wheelUp, 10, 5)
	}
	s.WaitFor("↓ end")
	for range 6 {
		s.mouse(wheelDown, 10, 5)
	}
	s.WaitGone("↓ end")
	s.WaitFunc("the end", func(rows []string) bool { return rows[0] == end[0] })
}

func clicks(d *desk) {
	s := d.keyed(90, 50)
	rows := s.Turn("work")
	x, y := cellOf(rows, ran)
	s.click(x+2, y) // opens, then closes
	rows = s.WaitFor("row 15 of the output")
	x, y = cellOf(rows, ran)
	s.click(x+2, y)
	s.WaitGone("row 15 of the output")

	s.Type("abcdef") // a click places the cursor
	rows = s.WaitDraft("abcdef")
	x, y = cellOf(rows, "abcdef")
	s.click(x+3, y)
	s.Type("-")
	s.WaitDraft("abc-def")
	s.Press("ctrl+c")
	s.WaitDraft("")

	s.Resize(90, 12)
	s.WaitFunc("the small screen", func(rows []string) bool { return len(rows) == 12 && strings.Contains(rows[11], "help") })
	s.Press("ctrl+home")
	rows = s.WaitFor("▌ work", "↓ end")
	x, y = cellOf(rows, "↓ end")
	s.click(x+1, y)
	s.WaitFor("The work is done.")
	s.WaitGone("↓ end")

	s.Resize(90, 30)
	s.Prompt("questions")
	s.WaitFor("keyed asks")
	s.Type("more words")
	s.WaitDraft("more words")
	rows = s.WaitFor("You are typing", "1 of 2 waiting")
	s.click(5, rowOf(rows, "keyed asks")+1)
	s.WaitFor("read on to allow")
	s.WaitDraft("more words")
}

func drags(d *desk) {
	s := d.start(80, 24, scripted(d)...)
	s.Turn("words to be copied")
	rows := s.Rows()
	x, y := cellOf(rows, "heard: words")
	s.mouse(leftButton, x+7, y)
	s.mouse(dragged, x+9, y)
	s.mouse(dragged, x+len("heard: words to")-1, y)
	s.mouse(releases, x+len("heard: words to")-1, y)
	s.WaitCopied("words to")
	s.WaitFor("Sent 1 line to the terminal's clipboard (OSC 52)")

	_, top := cellOf(rows, "▌ words") // across entries: without bars
	s.mouse(leftButton, 2, top)
	s.mouse(dragged, x+3, y)
	s.mouse(dragged, x+len("heard:")-1, y)
	s.mouse(releases, x+len("heard:")-1, y)
	text := s.WaitCopiedFunc("both", func(text string) bool { return strings.HasSuffix(text, "heard:") })
	if !strings.HasPrefix(text, "words to be copied") || strings.Contains(text, "▌") {
		d.Errorf("copied: %q", text)
	}
}

// dragsAndCopies tests copying in two steps, as configured.
func dragsAndCopies(d *desk) {
	configured(d, d.dir, "copy_on_select = false\n")
	s := d.start(80, 24, scripted(d)...)
	rows := s.Turn("words to be copied")
	x, y := cellOf(rows, "heard: words")
	s.mouse(leftButton, x+7, y)
	s.mouse(dragged, x+9, y)
	s.mouse(dragged, x+11, y)
	s.mouse(releases, x+11, y)
	s.Type("d") // typing continues in the draft
	s.WaitDraft("d")
	if got := s.copied(); got != "" {
		d.Errorf("copied by dragging alone: %q", got)
	}
	s.mouse(leftButton, x+7, y)
	s.mouse(dragged, x+9, y)
	s.mouse(dragged, x+11, y)
	s.mouse(releases, x+11, y)
	s.Press("ctrl+c")
	s.WaitCopied("words")
	s.WaitDraft("d") // the key did not reach the draft
	s.Press("ctrl+c")
	s.WaitDraft("")
}

// mouseModes returns the mouse modes that the output has left on.
func (s *Screen) mouseModes() string {
	raw, _ := s.Raw(0)
	on := map[string]bool{}
	for _, m := range modeChange.FindAllStringSubmatch(string(raw), -1) {
		for mode := range strings.SplitSeq(m[1], ";") {
			switch mode {
			case "1000", "1002", "1003":
				if on[mode] = m[2] == "h"; !on[mode] {
					delete(on, mode)
				}
			}
		}
	}
	if len(on) == 0 {
		return "off"
	}
	return fmt.Sprint(on)
}

func mouseOff(d *desk) {
	s := d.start(80, 24, scripted(d)...)
	s.Turn("words to be copied")
	if modes := s.mouseModes(); modes == "off" {
		d.Error("the mouse is not taken")
	}
	s.Prompt("/mouse")
	s.WaitFor("The terminal has the mouse; /mouse takes it back")
	s.WaitFunc("the end of the mouse modes", func([]string) bool { return s.mouseModes() == "off" })
	s.WaitFor("mouse off")
	s.Prompt("/mouse")
	s.WaitFor("parley has the mouse")
	s.WaitFunc("the mouse modes", func([]string) bool { return s.mouseModes() != "off" })
	s.quit()

	configured(d, d.dir, "mouse = false\n")
	s = d.start(80, 24, scripted(d)...)
	s.WaitFor("mouse off")
	s.Turn("hello")
	if modes := s.mouseModes(); modes != "off" {
		d.Errorf("the mouse is taken: %s", modes)
	}
}
