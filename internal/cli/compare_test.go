//go:build unix

package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/internal/config"
)

// A check can write only where the agent could.
func TestSandboxBindsChecks(t *testing.T) {
	s, root, outside := bound(t)
	t.Setenv("OUT", outside)
	f := compareFlags{check: `echo x > in; echo x > "$OUT/out"`, checkTimeout: time.Minute}
	if got := f.runCheck(t.Context(), s, root); got.passed() || got.Code == nil || !strings.Contains(got.Output, "ermission denied") {
		t.Errorf("got %+v", got)
	}
	if _, err := os.Stat(filepath.Join(outside, "out")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it wrote outside: %v", err)
	}
	if _, err := os.Stat(filepath.Join(root, "in")); err != nil {
		t.Errorf("it did not write inside: %v", err)
	}
}

// What follows the name of an agent are options, also after a URL, which may hold a password that is
// not shown.
func TestContender(t *testing.T) {
	setup := &Setup{Config: &config.Config{}}
	for typed, want := range map[string]string{
		"wss://host/acp?a=b": "host|host|[]",
		`ws://ada:secret@host:80 model="Big One" thinking=on`: "host:80 model=Big One thinking=on|host-80-Big-One-on|[{model Big One} {thinking on}]",
	} {
		c, err := (&compareFlags{}).contender(setup, Directories{}, typed)
		if got := strings.Join([]string{c.title(), c.name(), fmt.Sprint(c.settings)}, "|"); err != nil || got != want {
			t.Errorf("%s: got %s, want %s; %v", typed, got, want, err)
		}
	}
}
