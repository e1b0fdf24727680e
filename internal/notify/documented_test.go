//go:build unix

package notify_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/config"
	"parley/internal/must"
	"parley/internal/notify"
)

// The examples of the documents call the programs as they want it, here stand-ins that write down how.
func TestDocumentedExamples(t *testing.T) {
	jq, err := exec.LookPath("jq")
	if err != nil {
		t.Skip("no jq")
	}
	want := map[string]string{
		"notify-send": "--\nFix $(touch /oops) the parser\nwaits: Run a command: git push\n",
		"osascript":   "-e\non run {a, b}\n-e\ndisplay notification b with title a\n-e\nend run\nFix $(touch /oops) the parser\nwaits: Run a command: git push\n",
		"curl":        "-sfd\n@-\nhttps://ntfy.sh\n" + `{"topic":"my-secret-topic","title":"Fix $(touch /oops) the parser","message":"waits: Run a command: git push"}` + "\n",
		"tmux":        "new-window\n-n\nparser\nparley\nattach\nparser\n",
	}
	page := string(must.Get(os.ReadFile("../../docs/configuration.md"))(t))
	_, page, _ = strings.Cut(page, "\n## Notifications\n")
	page, _, _ = strings.Cut(page, "\n## ")
	for _, example := range strings.Split(page, "```toml\n")[1:] {
		example, _, _ = strings.Cut(example, "```")
		c := must.Get(config.Parse("config.toml", []byte(example)))(t)
		bin := t.TempDir()
		must.Do(t, os.Symlink(jq, filepath.Join(bin, "jq")))
		called := ""
		for name := range want {
			if strings.Contains(example, name+" ") {
				called = name
			}
			must.Do(t, os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n{ printf '%s\\n' \"$@\"; [ "+name+" != curl ] || cat; } > "+bin+"/part; mv "+bin+"/part "+bin+"/got\n"), 0o700))
		}
		t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
		t.Run(called, func(t *testing.T) {
			cmd := notify.New(c.NotifyCommand, none(t))
			defer cmd.Close()
			cmd.Send("s", notify.Note{Session: "parser", Title: "Fix $(touch /oops) the parser", Why: "waits", Line: "Run a command: git push"})
			if got := within(t, bin+"/got", func(s string) bool { return s != "" }); got != want[called] {
				t.Errorf("got %q, want %q", got, want[called])
			}
		})
		delete(want, called)
	}
	for name := range want {
		t.Errorf("no example calls %s", name)
	}
}
