package cli

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/config"
)

func TestConfigCommand(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "config.toml")
	t.Setenv("PARLEY_CONFIG", path)
	do := func(check func(*config.Config) error, args ...string) (string, error) {
		var out bytes.Buffer
		cmd := NewConfig(Streams{Out: &out, Err: &out}, check)
		err := execute(t.Context(), cmd, args...)
		return out.String(), err
	}
	fine := func(*config.Config) error { return nil }
	if out, err := do(fine, "path"); err != nil || out != path+"\n" {
		t.Errorf("%q, %v", out, err)
	}
	if out, err := do(fine, "check"); err != nil || !strings.Contains(out, "none is needed") {
		t.Errorf("%q, %v", out, err)
	}
	if out, err := do(fine, "init"); err != nil || !strings.Contains(out, "written") {
		t.Errorf("%q, %v", out, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode()&fs.ModePerm&0o077 != 0 && os.PathSeparator == '/' {
		t.Errorf("%v, %v", info, err)
	}
	if out, err := do(fine, "check"); err != nil || out != path+": ok\n" {
		t.Errorf("%q, %v", out, err)
	}
	var usage UsageError
	if _, err := do(fine, "init"); !errors.As(err, &usage) || !strings.Contains(err.Error(), "already exists") {
		t.Errorf("got %v", err)
	}
	if _, err := do(func(c *config.Config) error { return c.ErrorAt("no", "keys", "chat") }, "check"); !errors.As(err, &usage) || err.Error() != path+": keys.chat: no" {
		t.Errorf("got %v", err)
	}
	os.WriteFile(path, []byte("theme = 'pink'"), 0o600)
	if _, err := do(fine, "check"); !errors.As(err, &usage) || !strings.Contains(err.Error(), `config.toml:1:9: theme = "pink"`) {
		t.Errorf("got %v", err)
	}
}
