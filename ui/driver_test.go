package ui

import (
	"cmp"
	"encoding/base64"
	"flag"
	"fmt"
	"image/color"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient/event"
	"parley/internal/fakeagent"
	"parley/internal/tty"
	"parley/internal/workspace"
	"parley/ui/page"
	"parley/ui/paint"
	"parley/ui/uitest"
)

func TestMain(m *testing.M) {
	time.Local = time.UTC
	uitest.KeepTime()
	code := m.Run()
	if run := flag.Lookup("test.run").Value.String() + flag.Lookup("test.skip").Value.String(); code == 0 && run == "" { // all tests have run
		if err := uitest.Unused(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// driver is a user in front of the screen, with a fake clock: it runs the commands of the model
// as Bubble Tea does, hands over their messages one at a time, and checks the screen after each.
type driver struct {
	fakeagent.Dialer
	fake fakeagent.Script             // what the agents do
	of   map[string]*fakeagent.Script // what some do instead, by name
	t    *testing.T
	m    *Model

	copied     string      // sent to the terminal's clipboard last
	toldDirs   []string    // directories that the terminal was told
	background color.Color // what the terminal answers; nil: nothing
	raw        string      // written to the terminal as it is, last
	hidden     string      // characters that must never be on the screen

	watching bool // each drawing is checked to write nothing

	mu      sync.Mutex
	inbox   []tea.Msg
	arrived chan struct{} // a message is in the inbox
	quit    bool
}

// drive runs a test in a bubble.
func drive(t *testing.T, change func(*driver, *Options), f func(d *driver)) {
	t.Helper()
	driveIn(t, t.TempDir(), change, f)
}

// driveIn is drive with the directory in which the agents work.
func driveIn(t *testing.T, dir string, change func(*driver, *Options), f func(d *driver)) {
	t.Helper()
	watching := strings.HasPrefix(t.Name(), "TestGolden") || strings.HasPrefix(t.Name(), "TestDrawingWritesNothing")
	synctest.Test(t, func(t *testing.T) {
		d := &driver{t: t, of: map[string]*fakeagent.Script{}, arrived: make(chan struct{}, 1), watching: watching}
		d.Cwd, d.Script = dir, func(name string) *fakeagent.Script { return cmp.Or(d.of[name], &d.fake) }
		opts := Options{Branch: "main", Theme: "plain", Terminal: tty.Profile{Colours: tty.Colours{Dark: true}}, FrontEnd: workspace.FrontEnd{Home: "/home/ada", Start: "fake", Options: workspace.Options{Cwd: uitest.Dir, Connect: d.Connect, Agents: []workspace.Spec{
			{Name: "fake", Command: "fake --acp", Where: "on PATH", Section: "Installed"},
			{Name: "other", Command: "other-agent", Where: "on PATH", Section: "Installed"},
			{Name: "absent", Command: "absent", Section: "Not installed", Missing: "npm i absent"},
		}}}}
		if change != nil {
			change(d, &opts)
		}
		d.m = New(opts)
		d.m.Exec = func(cmd tea.ExecCommand, done tea.ExecCallback) tea.Cmd {
			return func() tea.Msg { return execMsg{cmd, done} }
		}
		d.run(d.m.Init())
		d.send(tea.WindowSizeMsg{Width: 80, Height: 24})
		defer func() {
			d.m.Workspace.Close()
			time.Sleep(24 * time.Hour) // let all timers end, also the clock of regular expressions
			synctest.Wait()
		}()
		f(d)
	})
}

// run runs a command on its own goroutine.
func (d *driver) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	go func() {
		msg := cmd()
		if batch, ok := msg.(tea.BatchMsg); ok {
			for _, c := range batch {
				d.run(c)
			}
			return
		}
		if lent, ok := msg.(execMsg); ok {
			msg = lent.done(lent.cmd.Run())
		}
		if msg != nil {
			d.mu.Lock()
			d.inbox = append(d.inbox, msg)
			d.mu.Unlock()
			select {
			case d.arrived <- struct{}{}:
			default:
			}
		}
	}()
}

// other returns a script that only the agent with this name follows.
func (d *driver) other(name string) *fakeagent.Script {
	if d.of[name] == nil {
		d.of[name] = &fakeagent.Script{}
	}
	return d.of[name]
}

// seen returns what an agent has received: prompts, the outcomes of its questions, and how often it was stopped.
func seen(a *fakeagent.Agent) (prompts, outcomes string, cancels int) {
	return strings.Join(a.Prompts(), "|"), strings.Join(a.Outcomes(), "|"), a.Cancels()
}

// execMsg is a command that the terminal is lent to.
type execMsg struct {
	cmd  tea.ExecCommand
	done tea.ExecCallback
}

func (d *driver) nextMessage() (tea.Msg, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.inbox) == 0 {
		return nil, false
	}
	msg := d.inbox[0]
	d.inbox = d.inbox[1:]
	return msg, true
}

// settle hands over messages until no more arrive without time passing.
func (d *driver) settle() {
	for {
		synctest.Wait()
		msg, ok := d.nextMessage()
		if !ok {
			return
		}
		if _, quit := msg.(tea.QuitMsg); quit {
			d.quit = true
			continue
		}
		if raw, ok := msg.(tea.RawMsg); ok {
			seq := fmt.Sprint(raw.Msg)
			if text, ok := strings.CutPrefix(seq, "\x1b]52;c;"); ok {
				copied, _ := base64.StdEncoding.DecodeString(strings.TrimRight(text, "\a"))
				d.copied = string(copied)
			} else if dir, ok := strings.CutPrefix(seq, "\x1b]7;"); ok {
				d.toldDirs = append(d.toldDirs, strings.TrimSuffix(dir, "\a"))
			} else if seq == tty.AskBackground {
				if d.background != nil {
					d.update(tea.BackgroundColorMsg{Color: d.background})
				}
			} else if seq != tty.AskName {
				d.raw = seq
			}
			continue
		}
		d.update(msg)
	}
}

func (d *driver) update(msg tea.Msg) {
	if d.watched() {
		d.run(d.m.apply(msg))
		d.watch(fmt.Sprintf("after %T", msg))
		msg = nil // draw, and tell the page what is on the screen
	}
	_, cmd := d.m.Update(msg)
	d.run(cmd)
	d.look()
}

// visible is the text of a view as a terminal shows it.
func visible(v tea.View) string { return strings.ReplaceAll(v.Content, paint.Beside, "") }

// look draws the screen and checks what holds for every screen.
func (d *driver) look() {
	d.t.Helper()
	v := d.m.View()
	if d.m.width == 0 || d.m.terminals.away {
		return
	}
	rows := strings.Split(visible(v), "\n")
	uitest.CheckRows(d.t, rows, d.m.width)
	if len(rows) > d.m.height {
		d.t.Fatalf("%d rows on a screen of %d", len(rows), d.m.height)
	}
	if d.hidden != "" && strings.ContainsAny(visible(v)+v.WindowTitle, d.hidden) {
		d.t.Fatalf("the screen shows what it must not:\n%s", d.screen())
	}
	if bad := uitest.Unsafe(v.WindowTitle); bad != "" {
		d.t.Fatalf("the title holds %q", bad)
	}
	if c := v.Cursor; c != nil && (c.X >= d.m.width || c.Y >= d.m.height || c.X < 0 || c.Y < 0) {
		d.t.Fatalf("the cursor is at %d,%d of %dx%d", c.X, c.Y, d.m.width, d.m.height)
	}
}

func (d *driver) send(msg tea.Msg) {
	d.t.Helper()
	d.update(msg)
	d.settle()
}

// wait lets time pass and hands over each message when it arrives.
func (d *driver) wait(t time.Duration) {
	d.t.Helper()
	over := time.NewTimer(t)
	defer over.Stop()
	for passed := false; !passed; {
		select {
		case <-d.arrived:
		case <-over.C:
			passed = true
		}
		d.settle()
	}
}

// rest waits as long as a question wants quiet, and more.
func (d *driver) rest() { d.t.Helper(); d.wait(1200 * time.Millisecond) }

// press presses keys, one right after the other.
func (d *driver) press(names ...string) {
	d.t.Helper()
	for _, n := range names {
		d.send(keyPress(n))
	}
}

// types types text, one right after the other, and ends it with enter if it
// ends with a newline.
func (d *driver) types(text string) {
	d.t.Helper()
	for _, r := range text {
		if r == '\n' {
			d.press("enter")
			continue
		}
		d.send(tea.KeyPressMsg{Code: r, Text: string(r)})
	}
}

var keyCodes = map[string]rune{"enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab, "up": tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft, "right": tea.KeyRight,
	"home": tea.KeyHome, "end": tea.KeyEnd, "pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown, "backspace": tea.KeyBackspace, "delete": tea.KeyDelete, "space": tea.KeySpace, "f1": tea.KeyF1, "f2": tea.KeyF2, "f3": tea.KeyF3, "f4": tea.KeyF4, "f5": tea.KeyF5, "f7": tea.KeyF7}

func keyPress(name string) tea.KeyPressMsg {
	var k tea.Key
	rest := name
	for mod, bit := range map[string]tea.KeyMod{"ctrl+": tea.ModCtrl, "alt+": tea.ModAlt, "shift+": tea.ModShift} {
		if after, ok := strings.CutPrefix(rest, mod); ok {
			k.Mod, rest = k.Mod|bit, after
		}
	}
	if code, ok := keyCodes[rest]; ok {
		k.Code = code
	} else {
		k.Code = []rune(rest)[0]
		if k.Mod == 0 {
			k.Text = rest
		}
	}
	return tea.KeyPressMsg(k)
}

// screen is what the user reads.
func (d *driver) screen() string {
	return uitest.Text(strings.Split(visible(d.m.View()), "\n"))
}

func (d *driver) sees(parts ...string) {
	d.t.Helper()
	for _, p := range parts {
		if s := d.screen(); !strings.Contains(s, p) {
			d.t.Fatalf("the screen does not show %q:\n%s", p, s)
		}
	}
}

func (d *driver) misses(parts ...string) {
	d.t.Helper()
	for _, p := range parts {
		if s := d.screen(); strings.Contains(s, p) {
			d.t.Fatalf("the screen shows %q:\n%s", p, s)
		}
	}
}

// applyTo hands an event of the agent's to a page.
func (m *Model) applyTo(c *page.Page, e event.Event) {
	c.Session.Apply(e)
	m.sync()
}

// Options as agents send them.
const usual = `[{"optionId":"ok","name":"Allow once","kind":"allow_once"},{"optionId":"ever","name":"Always allow","kind":"allow_always"},{"optionId":"no","name":"Reject","kind":"reject_once"}]`

const push = `{"toolCallId":"t1","title":"Commit typed errors","kind":"execute","status":"pending","rawInput":{"command":"git add -A && git push origin HEAD","cwd":"/home/ada/src/parser"}}`
