package clipboard

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
	"unicode/utf16"

	"parley/internal/programs"
)

// writePatience is how long one program may take to read the text.
const writePatience = 2 * time.Second

// Write copies text to the clipboard of the desktop with the first program that succeeds,
// and returns its name; "" and no error if there is none, or if the desktop is on another
// machine (over SSH). It waits for programs, so it must not be called on the screen's
// goroutine.
func Write(ctx context.Context, text string) (tool string, err error) {
	return write(ctx, text, writersOf(runtime.GOOS, os.Getenv))
}

// Program returns the name of the program that Write tries first, "" if there is none. It runs nothing.
func Program() string {
	for _, w := range writersOf(runtime.GOOS, os.Getenv) {
		if _, err := programs.Find(w.words[0]); err == nil {
			return w.name()
		}
	}
	return ""
}

// writer is a program that copies its input.
type writer struct {
	words []string
	wide  bool // it reads UTF-16
}

// writersOf returns the writers of a system, in the order to try them.
func writersOf(system string, env func(string) string) []writer {
	has := func(names ...string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return env(name) != "" })
	}
	if has("SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY") {
		return nil
	}
	switch system {
	case "darwin":
		return []writer{{words: []string{"pbcopy"}}}
	case "windows":
		return []writer{{words: []string{"clip.exe"}, wide: true}}
	}
	var out []writer
	if has("WAYLAND_DISPLAY") {
		out = append(out, writer{words: []string{"wl-copy", "--type", "text/plain;charset=utf-8"}})
	}
	if has("DISPLAY") {
		out = append(out, writer{words: []string{"xclip", "-selection", "clipboard", "-in"}}, writer{words: []string{"xsel", "--clipboard", "--input"}})
	}
	if has("WSL_DISTRO_NAME", "WSL_INTEROP") {
		out = append(out, writer{words: []string{"clip.exe"}, wide: true})
	}
	return out
}

func write(ctx context.Context, text string, writers []writer) (tool string, err error) {
	for _, w := range writers {
		path, missing := programs.Find(w.words[0])
		if missing != nil {
			continue
		}
		if err = w.run(ctx, path, text); err == nil {
			return w.name(), nil
		}
	}
	return "", err
}

func (w writer) name() string { return strings.TrimSuffix(filepath.Base(w.words[0]), ".exe") }

func (w writer) run(ctx context.Context, path, text string) error {
	ctx, stop := context.WithTimeoutCause(ctx, writePatience, fmt.Errorf("no answer within %s", writePatience))
	defer stop()
	if w.wide {
		text = utf16le(text)
	}
	// Its output is discarded: some of them keep running to serve the clipboard, and would
	// hold a pipe open.
	cmd := programs.Command(ctx, path, w.words[1:]...)
	cmd.Stdin, cmd.WaitDelay = strings.NewReader(text), 100*time.Millisecond
	err := cmd.Run()
	switch {
	case err == nil, errors.Is(err, exec.ErrWaitDelay) && ctx.Err() == nil:
		return nil
	case context.Cause(ctx) != nil:
		return fmt.Errorf("%s: %w", w.words[0], context.Cause(ctx))
	}
	return fmt.Errorf("%s: %w", w.words[0], err)
}

// utf16le encodes text for programs on Windows, with a byte order mark.
func utf16le(text string) string {
	out := []byte{0xff, 0xfe}
	for _, u := range utf16.Encode([]rune(text)) {
		out = append(out, byte(u), byte(u>>8))
	}
	return string(out)
}
