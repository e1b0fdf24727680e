//go:build unix

package e2e

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"parley/internal/must"
	"parley/ui/layer"
)

// running returns the command line of the agent that makes parley run commands.
func running(t testing.TB) []string {
	t.Helper()
	self := must.Get(os.Executable())(t)
	return []string{"--", self, "runner"}
}

const (
	// asksPassword asks on its own terminal, without echo.
	asksPassword = `stty -echo </dev/tty; printf 'Password: ' >/dev/tty; read -r x </dev/tty; stty echo </dev/tty; echo; [ "$x" = hush-4711 ] && echo right || exit 1`
	lendHeading  = "· the agent sees its output · ctrl+] lets go"
	allowHere    = "t Run it here with my keyboard"
)

// atThePrompt waits until a command has the screen and shows its prompt below a heading written since
// the mark: at the beginning of a second loan the terminal still shows the first.
func atThePrompt(s *Screen, mark int, prompt string) {
	s.t.Helper()
	s.WaitFunc("the command's own screen", func(rows []string) bool {
		raw, _ := s.Raw(mark)
		_, output, lent := bytes.Cut(raw, []byte(lendHeading))
		return lent && bytes.Contains(output, []byte(prompt)) && slices.Contains(rows, prompt) && rowOf(rows, placeholder) < 0
	})
}

// wholeAgain waits until the chat is restored, with nothing of the command left.
func wholeAgain(s *Screen, texts ...string) []string {
	s.t.Helper()
	return s.WaitOnly(append(texts, placeholder), lendHeading)
}

// A command asks for a password on its terminal. The user allows it with the keyboard and types the
// password, and the agent gets the result. The password appears nowhere else.
func TestCommandWithTheKeyboard(t *testing.T) {
	t.Parallel()
	for _, flags := range [][]string{nil, {"--inline"}} {
		t.Run(strings.Join(flags, ""), func(t *testing.T) {
			t.Parallel()
			dir := workDir(t)
			s := Start(t, 100, 44, dir, append(flags, running(t)...)...)
			s.WaitFor(placeholder)
			s.Prompt(asksPassword)
			s.WaitFor("Run a command", allowHere, "n Reject", armed)
			s.Press("t") // once: another would be typed into the password
			s.WaitFor(lendHeading)
			if flags == nil {
				atThePrompt(s, 0, "Password:")
			} else {
				s.WaitFunc("the prompt", func(rows []string) bool { return slices.Contains(rows, "Password:") })
			}
			s.Type("hush-4711\r")
			s.WaitFor("it ended with {\"exitCode\":0", "right", "(Allow once, with the keyboard)")
			if flags == nil {
				wholeAgain(s, "▌ stty -echo")
			}
			s.WaitFor("? help")
			s.pressEvery(2*layer.Quiet, "?", "╭ Keys") // keys are dropped until nothing has been typed for a while
			s.Press("esc")
			s.WaitGone("╭ Keys")
			s.Press("ctrl+d")
			if code := s.ExitCode(); code != 0 {
				t.Errorf("exit code %d", code)
			}
			if raw, _ := s.Raw(0); bytes.Contains(raw, []byte("4711\r")) || bytes.Count(raw, []byte("4711")) > 0 && !bytes.Contains(raw, []byte("= hush-4711")) {
				t.Error("the password was echoed")
			}
			said := 0
			filepath.WalkDir(filepath.Dir(dir), func(path string, d fs.DirEntry, err error) error {
				if err == nil && d.Type().IsRegular() {
					text := read(t, path)
					said += strings.Count(text, `"attended":true`)
					if strings.Contains(strings.ReplaceAll(text, "= hush-4711", ""), "hush-4711") {
						t.Errorf("%s holds the password", path)
					}
				}
				return nil
			})
			if said == 0 {
				t.Error("the record does not say that it had the keyboard")
			}
		})
	}
}

// The user attaches to a running command from the list of running things, detaches, and attaches
// again.
func TestTakeOver(t *testing.T) {
	t.Parallel()
	dir := workDir(t)
	s := Start(t, 100, 30, dir, running(t)...)
	s.WaitFor(placeholder)
	s.Prompt(`echo begun; printf 'Go on? [y/n] '; if [ -t 0 ]; then read -r x; echo "it was $x"; else exec sleep 1000; fi`)
	s.WaitFor(allowHere, armed)
	s.Press("y")
	s.WaitFor("A command waits for a yes or no (f3, ctrl+r to take over)")
	s.Press("f3")
	s.WaitFor("╭ Running", "ctrl+r take over")
	s.Press("ctrl+r")
	s.WaitFor("It is stopped and run again from the start")
	s.Press("ctrl+r")
	atThePrompt(s, 0, "Go on? [y/n]")
	s.WaitNone("sleep 1000")
	s.Press("ctrl+]")
	wholeAgain(s, "Back in parley; the command continues", "(Run again, with the keyboard)", "[the user has started this command again")
	s.Resize(90, 26)
	s.Press("f3")
	s.WaitFor("╭ Running")
	_, mark := s.Raw(0)
	s.Press("ctrl+r") // by now it has a terminal
	atThePrompt(s, mark, "Go on? [y/n]")
	s.Type("yes\r")
	s.WaitFor(`it ended with {"exitCode":0`, "it was yes")
	wholeAgain(s)
	s.WaitIdle()
}

// A command that dies and leaves the terminal in a bad state leaves no trace on the screen.
func TestCommandThatLeavesAMess(t *testing.T) {
	t.Parallel()
	s := Start(t, 100, 30, workDir(t), running(t)...)
	s.WaitFor(placeholder)
	s.Prompt(`stty raw -echo; printf '\033[?1049h\033[?1000h\033[?1006h\033[?25l\033[5;10r\033[7m\033(0\033]2;a title\007MESS\033]0;half'; sleep 0.3; kill -9 $$`)
	s.WaitFor(allowHere, armed)
	before, _ := s.Cursor()
	s.PressUntil("t", "SIGKILL")
	rows := wholeAgain(s, `"signal":"SIGKILL"`, "(Allow once, with the keyboard)")
	s.WaitIdle()
	if rowOf(rows, "parley: ") >= 0 {
		t.Errorf("the screen is not whole:\n%s", numbered(rows))
	}
	s.pressEvery(2*layer.Quiet, "x", "│ › x") // keys are dropped until nothing has been typed for a while
	if after, _ := s.Cursor(); after != before+len(draft(s.Rows())) {
		t.Errorf("the cursor is at %d, it was at %d", after, before)
	}
	s.Press("ctrl+u", "ctrl+d")
	s.ExitCode()
}

// A signal to parley also ends the command that has the keyboard, and the terminal is restored.
func TestSignalWhileAttached(t *testing.T) {
	t.Parallel()
	s := Start(t, 100, 30, workDir(t), running(t)...)
	s.WaitFor(placeholder)
	s.Prompt(`stty raw -echo; echo at it; sleep 1234; sleep 1000`)
	s.WaitFor(allowHere, armed)
	s.PressUntil("t", lendHeading)
	s.WaitFor("at it")
	s.Kill(syscall.SIGTERM)
	if code := s.ExitCode(); code != 130 {
		t.Errorf("exit code %d", code)
	}
	s.WaitNone("sleep 1234")
}

// Lending the keyboard in the chat in lines.
func TestLinesWithTheKeyboard(t *testing.T) {
	t.Parallel()
	s := Start(t, 100, 40, workDir(t), append([]string{"--linear"}, running(t)...)...)
	s.WaitFor("You:")
	s.Prompt(asksPassword)
	s.WaitFor("t. Run it here, with my keyboard", "Answer 1 to 3:")
	answered(s, "t", lendHeading)
	s.WaitFor("Password:")
	s.Type("hush-4711\r")
	s.WaitFor("The command has ended; the keyboard is yours again.", `"exitCode":0`, "Turn ended.")
	s.Type("/quit\r")
	if code := s.ExitCode(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// lendsKeyboard lends a command the keyboard, detaches, and attaches again from the list.
func lendsKeyboard(d *desk) {
	s := d.start(100, 30, running(d)...)
	s.Prompt(`printf 'Name: '; read -r x; echo "hello $x"`)
	s.WaitFor(allowHere, armed)
	s.Press("t")
	atThePrompt(s.Screen, 0, "Name:")
	s.Press("ctrl+]")
	wholeAgain(s.Screen, "Back in parley; the command continues (f3, ctrl+r to take over)")
	s.WaitFunc("the output below its tool call", func(rows []string) bool { return slices.Contains(rows, "    Name:") })
	s.Press("f3")
	s.WaitFor("╭ Running")
	_, mark := s.Raw(0)
	s.Press("ctrl+r")
	atThePrompt(s.Screen, mark, "Name:")
	s.Type("ada\r")
	wholeAgain(s.Screen, `it ended with {"exitCode":0`, "hello ada")
}
