package clipboard

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"parley/internal/must"
	"parley/internal/picture"
)

const png = "\x89PNG\r\n\x1a\n"

// installed puts shell scripts in place of the real programs.
func installed(t *testing.T, scripts map[string]string) {
	t.Helper()
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		t.Skip("this system has another clipboard")
	}
	dir := t.TempDir()
	for name, script := range scripts {
		must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script+"\n"), 0o700))
	}
	t.Setenv("PATH", dir+":/usr/bin:/bin")
	t.Setenv("WAYLAND_DISPLAY", "")
	t.Setenv("DISPLAY", "")
}

func TestImage(t *testing.T) {
	const sayPNG = `printf '\211PNG\r\n\032\n'`
	for _, c := range []struct {
		name, display string
		scripts       map[string]string
		want          error
	}{
		{"wayland", "WAYLAND_DISPLAY", map[string]string{"wl-paste": `case "$*" in --list-types) printf 'text/html\nimage/png\n';; *image/png) ` + sayPNG + `;; esac`}, nil},
		{"x11", "DISPLAY", map[string]string{"xclip": `case "$*" in *TARGETS*) echo image/png;; *image/png*) ` + sayPNG + `;; esac`}, nil},
		{"text only", "WAYLAND_DISPLAY", map[string]string{"wl-paste": `echo text/plain`}, ErrNoImage},
		{"empty", "WAYLAND_DISPLAY", map[string]string{"wl-paste": `exit 1`}, ErrNoImage},
		{"no image after all", "WAYLAND_DISPLAY", map[string]string{"wl-paste": `echo image/png`}, ErrNoImage},
		{"endless", "WAYLAND_DISPLAY", map[string]string{"wl-paste": `case "$*" in --list-types) echo image/png;; *) exec cat /dev/zero;; esac`}, picture.ErrTooLarge},
		{"no program", "WAYLAND_DISPLAY", nil, ErrNoProgram},
		{"no desktop", "NOTHING", nil, ErrNoProgram},
	} {
		t.Run(c.name, func(t *testing.T) {
			installed(t, c.scripts)
			t.Setenv(c.display, ":0")
			got, err := Image(context.Background())
			if !errors.Is(err, c.want) || c.want == nil && (string(got.Data) != png || got.MimeType != "image/png") {
				t.Errorf("%q %v, want %v", got, err, c.want)
			}
		})
	}
}

func TestGivenUp(t *testing.T) {
	installed(t, map[string]string{"wl-paste": "exec sleep 60"})
	t.Setenv("WAYLAND_DISPLAY", ":0")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Image(ctx); err == nil {
		t.Error("got an image, want none")
	}
}

func TestAppleData(t *testing.T) {
	if got, err := appleData([]byte("«data PNGf89504E470D0A1A0A»\n")); string(got) != png || err != nil {
		t.Errorf("%q %v", got, err)
	}
	for _, bad := range []string{"", "hello", "«data PNGf895»"} {
		if got, err := appleData([]byte(bad)); err == nil {
			t.Errorf("%s: got %q", bad, got)
		}
	}
}
