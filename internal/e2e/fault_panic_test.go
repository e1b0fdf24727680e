//go:build unix

package e2e

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"parley/acpclient"
	"parley/ui"
)

// panicVar makes this test binary a screen that panics.
const panicVar = "PARLEY_TEST_PANIC"

func init() {
	if os.Getenv(panicVar) != "" {
		brokenScreen()
	}
}

// A mistake in the screen itself leaves the terminal as it was, and says what went
// wrong where it can be read. (That it is restored is checked at every end.)
func TestPanicInTheScreen(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s := startIn(t, 80, 24, workDir(t), []string{panicVar + "=1"}, []string{self})
	s.WaitFor("type to filter")
	s.Type("xyz -v")
	s.Press("enter")
	if code := s.ExitCode(); code != 7 {
		t.Errorf("exit code %d", code)
	}
	s.WaitFor("program experienced a panic")
	if raw, _ := s.Raw(0); !strings.Contains(string(raw), "a mistake on purpose") {
		t.Error("nobody says what the mistake was")
	}
}

// brokenScreen is a screen that panics while it handles a key.
func brokenScreen() {
	_, err := ui.Run(context.Background(), ui.Options{
		Cwd: "/", Home: "/", Theme: "plain",
		Agents: []ui.Agent{{Name: "fake", Command: "fake", Section: "installed"}},
		Typed:  func(string) (ui.Agent, error) { panic("a mistake on purpose") },
		Connect: func(context.Context, ui.Agent, acpclient.Sink, *acpclient.Log) (*ui.Connection, error) {
			return nil, errors.New("nobody is there")
		},
	})
	if err != nil {
		fmt.Println(err)
		os.Exit(7)
	}
	os.Exit(0)
}
