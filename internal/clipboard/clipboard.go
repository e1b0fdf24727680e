// Package clipboard reads images from the clipboard of the desktop and writes text to it
// with the desktop's own programs: wl-paste and xclip, osascript, powershell. There is no
// clipboard if parley runs on another machine than its terminal.
package clipboard

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"parley/internal/picture"
	"parley/internal/programs"
)

// ErrNoImage means that the clipboard contains no image.
var ErrNoImage = errors.New("there is no image in the clipboard")

// ErrNoProgram means that no program can read the clipboard.
var ErrNoProgram = errors.New("the clipboard cannot be read here")

// patience is how long one program may take.
const patience = 5 * time.Second

// Image returns the image in the clipboard. It waits for programs, so it
// must not be called on the screen's goroutine.
func Image(ctx context.Context) (picture.Image, error) {
	readers := readersOf(runtime.GOOS, os.Getenv)
	if len(readers) == 0 {
		return picture.Image{}, ErrNoProgram
	}
	err := ErrNoProgram
	for _, w := range readers {
		data, failed := w(ctx)
		if failed == nil {
			var mime string
			if mime, failed = picture.Check(data); failed == nil {
				return picture.Image{Data: data, MimeType: mime}, nil
			}
		}
		if errors.Is(err, ErrNoProgram) || !errors.Is(failed, ErrNoProgram) {
			err = failed
		}
	}
	if errors.Is(err, picture.ErrNotImage) {
		err = ErrNoImage
	}
	return picture.Image{}, err
}

// reader gets the bytes of an image.
type reader func(ctx context.Context) ([]byte, error)

// readersOf returns the readers of a system, in the order to try them.
func readersOf(system string, env func(string) string) []reader {
	switch system {
	case "darwin":
		return []reader{mac}
	case "windows":
		return []reader{windows}
	}
	var readers []reader
	if env("WAYLAND_DISPLAY") != "" {
		readers = append(readers, listed([]string{"wl-paste", "--list-types"}, func(mime string) []string { return []string{"wl-paste", "--no-newline", "--type", mime} }))
	}
	if env("DISPLAY") != "" {
		of := func(target string) []string {
			return []string{"xclip", "-selection", "clipboard", "-t", target, "-o"}
		}
		readers = append(readers, listed(of("TARGETS"), of))
	}
	return readers
}

// preferred are the accepted types, the best first.
var preferred = []string{"image/png", "image/jpeg", "image/webp", "image/gif"}

// listed returns a reader that asks for the available types, then for one of them.
func listed(types []string, get func(mime string) []string) reader {
	return func(ctx context.Context) ([]byte, error) {
		out, err := run(ctx, 64<<10, types...)
		if err != nil {
			if errors.Is(err, ErrNoProgram) {
				return nil, err
			}
			return nil, ErrNoImage // the programs fail like that if the clipboard is empty
		}
		there := strings.Fields(string(out))
		for _, mime := range preferred {
			if slices.Contains(there, mime) {
				return run(ctx, picture.MaxBytes, get(mime)...)
			}
		}
		return nil, ErrNoImage
	}
}

func mac(ctx context.Context) ([]byte, error) {
	out, err := run(ctx, 2*picture.MaxBytes+100, "osascript", "-e", "the clipboard as «class PNGf»")
	if err != nil {
		if errors.Is(err, ErrNoProgram) || errors.Is(err, picture.ErrTooLarge) {
			return nil, err
		}
		return nil, ErrNoImage
	}
	return appleData(out)
}

// appleData decodes «data PNGf89504E47…».
func appleData(out []byte) ([]byte, error) {
	_, digits, ok := bytes.Cut(out, []byte("data PNGf"))
	if !ok {
		return nil, ErrNoImage
	}
	if end := bytes.IndexFunc(digits, func(r rune) bool { return !strings.ContainsRune("0123456789abcdefABCDEF", r) }); end >= 0 {
		digits = digits[:end]
	}
	data, err := hex.DecodeString(string(digits))
	if err != nil {
		return nil, fmt.Errorf("read what osascript says: %w", err)
	}
	return data, nil
}

const fromPowershell = `Add-Type -AssemblyName System.Windows.Forms,System.Drawing; $i=[System.Windows.Forms.Clipboard]::GetImage(); ` +
	`if ($i) { $m=New-Object System.IO.MemoryStream; $i.Save($m,[System.Drawing.Imaging.ImageFormat]::Png); [Console]::Out.Write([Convert]::ToBase64String($m.ToArray())) }`

func windows(ctx context.Context) ([]byte, error) {
	out, err := run(ctx, picture.MaxBytes/3*4+100, "powershell", "-NoProfile", "-NonInteractive", "-STA", "-Command", fromPowershell)
	if err != nil {
		return nil, err
	}
	if out = bytes.TrimSpace(out); len(out) == 0 {
		return nil, ErrNoImage
	}
	data, err := base64.StdEncoding.DecodeString(string(out))
	if err != nil {
		return nil, fmt.Errorf("read what powershell says: %w", err)
	}
	return data, nil
}

// run runs a program and returns at most that many bytes of its output.
func run(ctx context.Context, most int, words ...string) ([]byte, error) {
	path, err := programs.Find(words[0])
	if err != nil {
		return nil, fmt.Errorf("%w: %s is not there", ErrNoProgram, words[0])
	}
	ctx, stop := context.WithTimeoutCause(ctx, patience, fmt.Errorf("no answer within %s", patience))
	defer stop()
	out := &bounded{most: most, full: stop}
	cmd := programs.Command(ctx, path, words[1:]...)
	cmd.Stdout, cmd.WaitDelay = out, time.Second
	err = cmd.Run()
	switch {
	case out.exceeded:
		return nil, picture.ErrTooLarge
	case context.Cause(ctx) != nil:
		return nil, fmt.Errorf("%s: %w", words[0], context.Cause(ctx))
	case err != nil:
		return nil, fmt.Errorf("%s: %w", words[0], err)
	}
	return out.data, nil
}

// bounded collects output and ends the program if there is too much.
type bounded struct {
	data     []byte
	most     int
	exceeded bool
	full     func()
}

func (b *bounded) Write(p []byte) (int, error) {
	if len(b.data)+len(p) > b.most {
		b.exceeded = true
		b.full()
		return 0, picture.ErrTooLarge
	}
	b.data = append(b.data, p...)
	return len(p), nil
}
