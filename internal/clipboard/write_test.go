package clipboard

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"parley/internal/must"
)

func TestWritersOf(t *testing.T) {
	for _, c := range []struct{ system, env, want string }{
		{"linux", "", ""},
		{"linux", "DISPLAY", "xclip xsel"},
		{"linux", "WAYLAND_DISPLAY", "wl-copy"},
		{"linux", "WAYLAND_DISPLAY DISPLAY", "wl-copy xclip xsel"},
		{"linux", "WAYLAND_DISPLAY DISPLAY SSH_CONNECTION", ""}, // the desktop is on another machine
		{"linux", "DISPLAY SSH_TTY", ""},
		{"linux", "WSL_INTEROP", "clip.exe"},
		{"darwin", "", "pbcopy"},
		{"darwin", "SSH_CLIENT", ""},
		{"windows", "", "clip.exe"},
	} {
		var names []string
		for _, w := range writersOf(c.system, func(name string) string {
			if strings.Contains(" "+c.env+" ", " "+name+" ") {
				return "x"
			}
			return ""
		}) {
			names = append(names, w.words[0])
		}
		if got := strings.Join(names, " "); got != c.want {
			t.Errorf("%s with %q: %q, want %q", c.system, c.env, got, c.want)
		}
	}
}

// program puts a shell script on PATH.
func program(t *testing.T, dir, name, script string) {
	t.Helper()
	must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script+"\n"), 0o700))
}

func TestWrite(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the programs are shell scripts")
	}
	dir := t.TempDir()
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	const text = "zeile 1\n日本語 👩‍💻\n"
	all := []writer{{words: []string{"wl-copy", "--arg"}}, {words: []string{"xclip"}}, {words: []string{"xsel"}}}
	if tool, err := write(context.Background(), text, all[2:]); tool != "" && err == nil {
		t.Skip("there is an xsel here")
	}
	program(t, dir, "xclip", "cat > "+dir+"/copied")
	tool, err := write(context.Background(), text, all)
	got, _ := os.ReadFile(filepath.Join(dir, "copied"))
	if tool != "xclip" || err != nil || string(got) != text {
		t.Errorf("%q, %v: %q", tool, err, got)
	}
	// One that fails, then the next one.
	program(t, dir, "wl-copy", "exit 3")
	os.Remove(filepath.Join(dir, "copied"))
	if tool, err := write(context.Background(), text, all); tool != "xclip" || err != nil {
		t.Errorf("after a failure: %q, %v", tool, err)
	}
	if tool, err := write(context.Background(), text, all[:1]); tool != "" || err == nil || !strings.Contains(err.Error(), "wl-copy") {
		t.Errorf("the only one fails: %q, %v", tool, err)
	}
	// One that keeps running to serve the clipboard.
	program(t, dir, "wl-copy", "cat > "+dir+"/copied; sleep 30 & echo served")
	if tool, err := write(context.Background(), text, all[:1]); tool != "wl-copy" || err != nil {
		t.Errorf("one that stays: %q, %v", tool, err)
	}
	// One that never reads.
	program(t, dir, "wl-copy", "exec sleep 30")
	if tool, err := write(context.Background(), text, all[:1]); tool != "" || err == nil || !strings.Contains(err.Error(), "no answer") {
		t.Errorf("one that hangs: %q, %v", tool, err)
	}
}

func TestUTF16(t *testing.T) {
	if got := utf16le("aé😀"); got != "\xff\xfea\x00\xe9\x00\x3d\xd8\x00\xde" {
		t.Errorf("got %q", got)
	}
}
