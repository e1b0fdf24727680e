package app

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"parley/internal/cli"
)

// The chat in lines needs no terminal and ends with its input.
func TestChatInLines(t *testing.T) {
	for name, how := range map[string]struct {
		args        []string
		config, env string
	}{
		"by flag":        {args: []string{"--linear", "demo"}},
		"by environment": {args: []string{"demo"}, env: "1"},
		"by config":      {args: []string{"demo"}, config: "linear = true"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShell(t)
			s.configure(how.config)
			t.Setenv("ACCESSIBLE", how.env)
			var out, errs bytes.Buffer
			code := Execute(context.Background(), cli.Streams{In: strings.NewReader("run ls\n"), Out: &out, Err: &errs}, how.args)
			if code != 0 || errs.Len() > 0 {
				t.Errorf("exit code %d, %s", code, errs.String())
			}
			for _, want := range []string{"Starting demo: parley agent demo\n", "You: run ls\n", "Rejected: the input has ended.\n", "Turn ended.\n"} {
				if !strings.Contains(out.String(), want) {
					t.Errorf("the output does not have %q:\n%s", want, out.String())
				}
			}
		})
	}
	s := newShell(t)
	t.Setenv("ACCESSIBLE", "1")
	s.usage([]string{"--linear=false", "demo"}, "needs a terminal")
}
