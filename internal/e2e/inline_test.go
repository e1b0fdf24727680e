//go:build unix

package e2e

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// pane is parley in tmux: a real terminal with a scrollback that rewraps its lines when it gets
// narrower.
type pane struct {
	t    *testing.T
	tmux string
	sock string
}

// inTmux runs a command line in its own tmux, after three lines of shell output.
func inTmux(t *testing.T, cols, rows int, dir string, args ...string) *pane {
	t.Helper()
	tmux, err := exec.LookPath("tmux")
	if err != nil {
		t.Skip("there is no tmux here")
	}
	p := &pane{t: t, tmux: tmux, sock: filepath.Join(t.TempDir(), "s")}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the terminal at the end:\n%s", p.all())
		}
		p.end(dir)
	})
	env, err := exec.LookPath("env")
	if err != nil {
		t.Fatal(err)
	}
	line := append([]string{filepath.Join(toolbox, "sh"), "-mc", "echo before-1; echo before-2; " + shell + `; echo "after"; read line`, "sh", parley, "--inline"}, args...)
	p.run(append([]string{"new-session", "-d", "-x", strconv.Itoa(cols), "-y", strconv.Itoa(rows), "-c", dir, env, "-i"}, append(environ(dir, "TMUX=x"), line...)...)...)
	p.run("set-option", "-g", "window-size", "manual")
	return p
}

// end ends tmux, and waits until what ran in it has ended, too: until then it may write below dir's parent.
func (p *pane) end(dir string) {
	p.run("kill-server")
	for deadline := time.Now().Add(patience); len(processesOf(filepath.Dir(dir))) > 0 && time.Now().Before(deadline); {
		time.Sleep(5 * time.Millisecond)
	}
}

func (p *pane) run(args ...string) string {
	cmd := exec.Command(p.tmux, append([]string{"-u", "-S", p.sock, "-f", "/dev/null"}, args...)...)
	cmd.Env = []string{"LANG=C.UTF-8", "TERM=xterm-256color", "PATH=" + toolbox}
	out, err := cmd.CombinedOutput()
	if err != nil && args[0] != "kill-server" && args[0] != "capture-pane" {
		p.t.Fatalf("tmux %s: %v: %s", args[0], err, out)
	}
	return string(out)
}

// all returns the scrollback and the screen, with wrapped lines joined.
func (p *pane) all() string {
	var rows []string
	for r := range strings.SplitSeq(p.run("capture-pane", "-p", "-J", "-S", "-"), "\n") {
		rows = append(rows, strings.TrimRight(r, " "))
	}
	return strings.TrimRight(strings.Join(rows, "\n"), "\n")
}

func (p *pane) typed(text string) { p.run("send-keys", "-l", text) }
func (p *pane) key(name string)   { p.run("send-keys", name) }
func (p *pane) resize(cols, rows int) {
	p.run("resize-window", "-x", strconv.Itoa(cols), "-y", strconv.Itoa(rows))
}

// until waits until wrong returns "", and returns the text.
func (p *pane) until(wrong func(all string) string) string {
	p.t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		all := p.all()
		what := wrong(all)
		if what == "" {
			return all
		}
		if time.Now().After(deadline) {
			p.t.Fatal(what)
		}
	}
}

func (p *pane) shows(text string) string {
	p.t.Helper()
	return p.until(func(all string) string {
		if strings.Contains(all, text) {
			return ""
		}
		return fmt.Sprintf("waited in vain for %q", text)
	})
}

var paragraph = regexp.MustCompile(`Paragraph (\d+) runs`)

// whole checks a terminal at rest and says what is wrong: the earlier lines must be there, each
// paragraph once and in order, and one live part.
func whole(all string) string {
	if !strings.HasPrefix(all, "before-1\nbefore-2\n── ") {
		return "what was there before is not there"
	}
	for i, m := range paragraph.FindAllStringSubmatch(all, -1) {
		if m[1] != strconv.Itoa(i+1) {
			return fmt.Sprintf("paragraph %s is where %d belongs", m[1], i+1)
		}
	}
	for text, want := range map[string]int{"› ": 1, "? help": 1, "esc stop": 0, "⋮": 0} {
		if n := strings.Count(all, text); n != want {
			return fmt.Sprintf("%q is there %d times, not %d", text, n, want)
		}
	}
	return ""
}

// The conversation appears once and in order, whatever size the terminal is resized to, during a
// turn and after it.
func TestInlineResized(t *testing.T) {
	t.Parallel()
	for _, step := range []time.Duration{0, 60 * time.Millisecond} {
		t.Run(step.String(), func(t *testing.T) {
			t.Parallel()
			dir := workDir(t)
			p := inTmux(t, 120, 30, dir, scripted(t)...)
			p.shows(placeholder)
			p.typed(map[bool]string{true: "steps", false: "trickle"}[step == 0])
			p.key("Enter")
			seen := 0
			for _, size := range [][2]int{{60, 30}, {150, 12}, {43, 20}, {200, 50}, {80, 24}, {35, 12}, {100, 40}} {
				seen += 10
				if step > 0 {
					time.Sleep(step) // faster than parley is told of it
					p.resize(size[0], size[1])
					continue
				}
				p.shows(fmt.Sprintf("Paragraph %d runs", seen))
				p.resize(size[0], size[1]) // at rest: a frame on its way would come to another screen
				open(t, dir)
			}
			p.shows("Paragraph 80 runs")
			open(t, dir)
			p.shows("The end of the trickle.")
			n := len(paragraph.FindAllString(p.until(whole), -1))
			for _, size := range [][2]int{{58, 20}, {160, 40}, {80, 12}} {
				p.resize(size[0], size[1])
				p.until(whole)
				p.typed("x") // once its echo appears, the new size was drawn
				p.shows("› x")
				p.key("BSpace")
				p.shows("› Ask the agent")
				if all := p.until(whole); len(paragraph.FindAllString(all, -1)) != n {
					t.Errorf("%d paragraphs of %d at %v", len(paragraph.FindAllString(all, -1)), n, size)
				}
			}
		})
	}
}

var frame = regexp.MustCompile(`(?m)^╭.*╮$`)

// A question survives a resize. So does leaving: the conversation stays, with the shell right below
// it and nothing left of the composer.
func TestInlineQuestion(t *testing.T) {
	t.Parallel()
	dir := workDir(t)
	p := inTmux(t, 100, 24, dir, scripted(t)...)
	p.shows(placeholder)
	p.typed("ask")
	p.key("Enter")
	p.shows("I shall ask")
	open(t, dir)
	p.shows("d details")
	for _, size := range [][2]int{{60, 24}, {120, 24}, {80, 20}} {
		p.resize(size[0], size[1])
		p.until(func(all string) string {
			for text, want := range map[string]int{"╭": 1, "╰": 1, "y Allow: Launch": 1, "› ": 1, "I shall ask": 1} {
				if n := strings.Count(all, text); n != want {
					return fmt.Sprintf("at %v %q is there %d times, not %d", size, text, n, want)
				}
			}
			// The next resize must not come before the question was drawn for this one.
			if top := frame.FindString(all); utf8.RuneCountInString(top) != min(76, size[0]-1) {
				return fmt.Sprintf("at %v the question was not drawn anew: %s", size, top)
			}
			return ""
		})
	}
	p.key("M-a")
	time.Sleep(300 * time.Millisecond) // a key right after that one is dropped, and the screen does not show until when
	p.key("y")
	p.shows("the answer was go")
	p.until(whole)
	p.key("C-d")
	all := p.shows("stopped, enter goes on") // this shell prints it after an exit too
	for _, left := range []string{"╭", "╰", "› ", "? help"} {
		if strings.Contains(all, left) {
			t.Errorf("%q was not erased", left)
		}
	}
	if !strings.Contains(all, "the answer was go\nstopped, enter goes on") {
		t.Error("the shell does not continue right below the conversation")
	}
}

// After a suspend, a page, and a return nothing is duplicated or lost.
func TestInlineAway(t *testing.T) {
	t.Parallel()
	dir := workDir(t)
	p := inTmux(t, 90, 30, dir, scripted(t)...)
	p.shows(placeholder)
	p.typed("trickle")
	p.key("Enter")
	p.shows("Paragraph 30 runs")
	p.key("?")
	p.shows("╭ Keys")
	p.resize(70, 24)
	p.until(func(all string) string {
		for row := range strings.SplitSeq(all, "\n") {
			if strings.HasPrefix(row, "╭ Keys") && strings.HasSuffix(row, "╮") && utf8.RuneCountInString(row) <= 70 {
				return ""
			}
		}
		return "the page is not drawn at the new size"
	})
	p.key("Escape")
	p.shows("Paragraph 40 runs")
	p.key("PPage")
	p.shows("↓")
	p.key("C-End")
	p.shows("Paragraph 60 runs")
	p.key("C-z")
	all := p.shows("stopped, enter goes on")
	if strings.Contains(all, "› ") || strings.Contains(all, "esc stop") {
		t.Error("the live part was left above the shell")
	}
	p.key("Enter")
	p.shows("esc stop")
	open(t, dir)
	p.shows("The end of the trickle.")
	n := strings.Count(p.until(func(all string) string {
		return whole(strings.ReplaceAll(all, "stopped, enter goes on\n", ""))
	}), "stopped, enter goes on")
	if n != 1 {
		t.Errorf("the output of the shell is shown %d times", n)
	}
}

// A paced stream writes at most twice the bytes of the full screen, and its text is written.
func TestInlineBytes(t *testing.T) {
	var wrote [2]int
	t.Run("modes", func(t *testing.T) {
		for i, flags := range [][]string{nil, {"--inline"}} {
			t.Run(fmt.Sprint(flags), func(t *testing.T) {
				t.Parallel()
				s := Start(t, 100, 30, workDir(t), append(flags, scripted(t)...)...)
				s.WaitFor(placeholder)
				s.quietFor(time.Second / 4)
				_, mark := s.Raw(0)
				s.Prompt("paced")
				s.WaitFor("word199")
				s.WaitFunc("the end of the turn", func(rows []string) bool { return rowOf(rows, "esc stop") < 0 })
				s.quietFor(time.Second / 4)
				out, _ := s.Raw(mark)
				wrote[i] = len(out)
				time.Sleep(time.Second) // nothing may be written during this second, so there is no output to wait for
				if out, _ := s.Raw(mark); len(out) != wrote[i] {
					t.Errorf("at rest it wrote %q", out[wrote[i]:])
				}
			})
		}
	})
	if t.Logf("%d bytes inline, %d on the whole screen", wrote[1], wrote[0]); wrote[1] > 2*wrote[0] {
		t.Error("inline writes too much")
	}
}
