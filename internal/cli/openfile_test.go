package cli

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"parley/internal/must"
)

func TestAtLine(t *testing.T) {
	for _, c := range []struct {
		words string
		line  int
		want  string
	}{
		{"/usr/bin/vi", 7, "+7 /x/f.go"},
		{"/usr/bin/nvim -R", 7, "-R +7 /x/f.go"},
		{"nano", 7, "+7 /x/f.go"},
		{"emacsclient -t", 7, "-t +7 /x/f.go"},
		{"hx", 7, "/x/f.go:7"},
		{"helix", 7, "/x/f.go:7"},
		{"code --wait", 7, "--wait -g /x/f.go:7"},
		{"Code.exe", 7, "-g /x/f.go:7"},
		{"goland", 7, "--line 7 /x/f.go"},
		{"my-editor", 7, "/x/f.go"},
		{"vi", 0, "/x/f.go"},
	} {
		if got := strings.Join(atLine(strings.Fields(c.words), "/x/f.go", c.line), " "); got != c.want {
			t.Errorf("%s at %d: %q, want %q", c.words, c.line, got, c.want)
		}
	}
}

func TestOpenFile(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the editor is a shell script")
	}
	dir := t.TempDir()
	file, vi := filepath.Join(dir, "-a b.go"), filepath.Join(dir, "vi")
	for name, text := range map[string]string{file: "x\n", vi: "#!/bin/sh\nprintf '%s|' \"$@\" > " + dir + "/said\n"} {
		must.Do(t, os.WriteFile(name, []byte(text), 0o700))
	}
	t.Setenv("VISUAL", vi+" -f")
	o := must.Get(OpenFile(context.Background(), file, 12, dir))(t)
	must.Do(t, o.Run())
	if said, _ := os.ReadFile(filepath.Join(dir, "said")); string(said) != "-f|+12|"+file+"|" {
		t.Errorf("the editor was started with %q", said)
	}
	for path, want := range map[string]string{filepath.Join(dir, "absent"): "does not exist", dir: "is not a regular file", "vi": "does not exist"} {
		if _, err := OpenFile(context.Background(), path, 0, dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", path, err, want)
		}
	}
	t.Setenv("VISUAL", "")
	t.Setenv("EDITOR", "")
	if _, err := OpenFile(context.Background(), file, 0, dir); err == nil || !strings.Contains(err.Error(), "EDITOR") {
		t.Errorf("without an editor: %v", err)
	}
}
