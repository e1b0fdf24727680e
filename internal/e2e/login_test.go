//go:build unix

package e2e

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/fakeagent"
	"parley/internal/must"
)

const (
	lockKey    = "LOCK_KEY"
	lockSecret = "hush-4711-hush"
)

// runLocked is an agent that opens sessions with the key in its environment or after its own login
// has run, and says which of the two it was.
func runLocked(in io.Reader, out io.Writer) {
	self, _ := os.Executable()
	how, key := "by its own login", os.Getenv(lockKey)
	s := &fakeagent.Script{}
	s.Answer("initialize", fmt.Sprintf(`{"protocolVersion":1,"agentInfo":{"name":"locked","version":"1"},"authMethods":[`+
		`{"id":"key","name":"With a key","type":"env_var","vars":[{"name":%q}]},`+
		`{"id":"own","name":"Its own way","_meta":{"terminal-auth":{"command":%q,"args":["unlock","a b"]}}},`+
		`{"id":"handed","name":"Handed over","_meta":{"api-key":{"provider":"x"}}}]}`, lockKey, self))
	s.On("authenticate", func(c *fakeagent.Call) (string, error) {
		var p struct {
			Meta map[string]struct{ APIKey string } `json:"_meta"`
		}
		c.Decode(&p)
		key = p.Meta["api-key"].APIKey
		return `{}`, nil
	})
	s.On("session/new", func(c *fakeagent.Call) (string, error) {
		if key == lockSecret {
			how = "with the key"
		} else if _, err := os.Stat(filepath.Join(os.Getenv(rootVar), "opened")); err != nil {
			return "", fakeagent.Errorf(-32000, "locked")
		}
		return c.Default()
	})
	s.Turn(func(t *fakeagent.Turn) string { t.Say("open " + how); return "end_turn" })
	fakeagent.Serve(in, out, s)
}

// runUnlock is the login command that the agent names.
func runUnlock(in io.Reader, out io.Writer) {
	fmt.Fprintf(out, "unlocking %q? ", os.Args[2:])
	switch line, _ := bufio.NewReader(in).ReadString('\n'); strings.TrimSpace(line) {
	case "yes":
	case "later":
		fmt.Fprintln(out, "\x1b[31mNo key is set.\x1b[m")
		return
	default:
		os.Exit(1)
	}
	if os.WriteFile(filepath.Join(os.Getenv(rootVar), "opened"), nil, 0o600) != nil {
		os.Exit(1)
	}
}

// locked starts parley with that agent and waits for the list of its login methods.
func locked(t *testing.T, dir string, flags ...string) *Screen {
	t.Helper()
	self := must.Get(os.Executable())(t)
	s := Start(t, 100, 30, dir, append(flags, "-p", "are you open?", "--", self, "locked")...)
	s.WaitFor("Log in to", "With a key", "asks for "+lockKey, "Its own way", "runs a command")
	s.Press("alt+a")
	s.WaitFor("enter select")
	return s
}

// A key is typed without echo and reaches only the agent: it is neither in the terminal's output
// nor in a file.
func TestLoginWithAKey(t *testing.T) {
	t.Parallel()
	for _, way := range []string{"with a key\r", "handed\r"} {
		loginWithAKey(t, way)
	}
}

func loginWithAKey(t *testing.T, way string) {
	t.Helper()
	dir := workDir(t)
	s := locked(t, dir)
	s.Type(way)
	s.WaitFor("not shown while you type")
	s.Type(lockSecret[:5])
	s.WaitFor("› •••••")
	s.Paste(lockSecret[5:] + "\n")
	s.WaitFor("› " + strings.Repeat("•", len(lockSecret)))
	s.Press("enter")
	s.WaitFor("open with the key")
	s.WaitIdle()
	if raw, _ := s.Raw(0); bytes.Contains(raw, []byte(lockSecret[:4])) || bytes.Contains(raw, []byte(lockSecret[5:])) {
		t.Error("the terminal was sent the key")
	}
	s.Press("ctrl+c", "ctrl+c")
	if code := s.ExitCode(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	logs := 0
	filepath.WalkDir(filepath.Dir(dir), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text := read(t, path)
		if strings.Contains(text, lockKey) || strings.Contains(text, "authenticate") {
			logs++ // a log of what the agent asked for or was told
		}
		if strings.Contains(text, lockSecret) {
			t.Errorf("%s holds the key", path)
		}
		return nil
	})
	if logs == 0 {
		t.Error("there is no log of the session: was it looked for in the right place?")
	}
}

// A login command of the agent gets the terminal once the user agrees. Then the agent is started
// again. ctrl+c and ctrl+] end the command, and nothing else.
func TestLoginByTheAgentsCommand(t *testing.T) {
	t.Parallel()
	for _, flags := range [][]string{nil, {"--inline"}} {
		dir := workDir(t)
		s := locked(t, dir, flags...)
		for _, c := range []struct{ keys, becomes string }{
			{"no\r", "login failed: exit status 1"}, {"\x03", "login failed: signal: interrupt"}, {"\x1d", "login failed: you ended it"},
			{"later\r", "ended with exit code 0, but a login is still required"}, {"yes\r", ""},
		} {
			s.Type("own\r")
			s.WaitFor("wants to run its own command", "unlock 'a b'", "In "+dir, "y run")
			_, mark := s.Raw(0)
			s.Press("y")
			s.WaitFunc("the login", func([]string) bool { // the previous one is still above it
				raw, _ := s.Raw(mark)
				return bytes.Contains(raw, []byte("ctrl+] ends it")) && bytes.Contains(raw, []byte(`unlocking ["a b"]?`))
			})
			s.Type(c.keys)
			if c.becomes != "" {
				s.WaitFor(c.becomes, `│ unlocking ["a b"]?`)
				s.PressUntil("alt+a", "enter select")
			}
		}
		s.WaitFor("open by its own login")
		s.PressUntil("ctrl+c", "again to quit")
		s.Press("ctrl+c")
		if code := s.ExitCode(); code != 0 {
			t.Errorf("%v: exit code %d", flags, code)
		}
	}
}

// The same for the chat in lines.
func TestLinesLoginByTheAgentsCommand(t *testing.T) {
	t.Parallel()
	s := linesLocked(t, workDir(t))
	for _, c := range []struct{ keys, becomes string }{{"\x03", "signal: interrupt"}, {"\x1d", "you ended it"},
		{"later\r", "still requires a login"}, {"yes\r", "open by its own login"}} {
		answered(s, "2", "Type run, or 0 for nothing:")
		s.WaitFor("wants to run a command of its own choice", "unlock 'a b'")
		answered(s, "run", `unlocking ["a b"]?`)
		_, mark := s.Raw(0)
		s.Type(c.keys)
		s.WaitFunc(c.becomes, func([]string) bool { raw, _ := s.Raw(mark); return bytes.Contains(raw, []byte(c.becomes)) })
	}
	s.WaitFor("Turn ended.")
	s.Press("ctrl+c")
	s.WaitFor("Press ctrl+c again to quit.")
	s.Press("ctrl+c")
	if code := s.ExitCode(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}
