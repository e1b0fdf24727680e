// Package clipboard gets an image from the clipboard of the desktop, by the
// programs that come with it: wl-paste and xclip, osascript, powershell. There
// is no clipboard where parley runs on another machine than its terminal.
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

// ErrNoImage says that the clipboard holds no image.
var ErrNoImage = errors.New("there is no image in the clipboard")

// ErrNoProgram says that the clipboard cannot be read from here.
var ErrNoProgram = errors.New("the clipboard cannot be read here")

// patience is how long one program may take.
const patience = 5 * time.Second

// Image returns the image in the clipboard and its MIME type. It runs programs
// and waits for them: for any goroutine but the screen's.
func Image(ctx context.Context) (data []byte, mime string, err error) {
	ways := waysOf(runtime.GOOS, os.Getenv)
	if len(ways) == 0 {
		return nil, "", ErrNoProgram
	}
	err = ErrNoProgram
	for _, w := range ways {
		data, failed := w(ctx)
		if failed == nil {
			mime, failed = picture.Check(data)
		}
		if failed == nil {
			return data, mime, nil
		}
		if errors.Is(err, ErrNoProgram) || !errors.Is(failed, ErrNoProgram) {
			err = failed
		}
	}
	if errors.Is(err, picture.ErrNotImage) {
		err = ErrNoImage
	}
	return nil, "", err
}

// way is one to get the bytes of an image.
type way func(ctx context.Context) ([]byte, error)

// waysOf are those of a system, to be tried in order.
func waysOf(system string, env func(string) string) []way {
	switch system {
	case "darwin":
		return []way{mac}
	case "windows":
		return []way{windows}
	}
	var ways []way
	if env("WAYLAND_DISPLAY") != "" {
		ways = append(ways, listed([]string{"wl-paste", "--list-types"}, func(mime string) []string { return []string{"wl-paste", "--no-newline", "--type", mime} }))
	}
	if env("DISPLAY") != "" {
		of := func(target string) []string {
			return []string{"xclip", "-selection", "clipboard", "-t", target, "-o"}
		}
		ways = append(ways, listed(of("TARGETS"), of))
	}
	return ways
}

// preferred are the types that are asked for, the best first.
var preferred = []string{"image/png", "image/jpeg", "image/webp", "image/gif"}

// listed asks what types there are, and then for one of them.
func listed(types []string, get func(mime string) []string) way {
	return func(ctx context.Context) ([]byte, error) {
		out, err := run(ctx, 64<<10, types...)
		if err != nil {
			if errors.Is(err, ErrNoProgram) {
				return nil, err
			}
			return nil, ErrNoImage // so they say it when it is empty
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

// run runs a program and returns what it prints, at most that many bytes.
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
	case out.over:
		return nil, picture.ErrTooLarge
	case context.Cause(ctx) != nil:
		return nil, fmt.Errorf("%s: %w", words[0], context.Cause(ctx))
	case err != nil:
		return nil, fmt.Errorf("%s: %w", words[0], err)
	}
	return out.data, nil
}

// bounded takes what a program prints, and ends it when that is too much.
type bounded struct {
	data []byte
	most int
	over bool
	full func()
}

func (b *bounded) Write(p []byte) (int, error) {
	if len(b.data)+len(p) > b.most {
		b.over = true
		b.full()
		return 0, picture.ErrTooLarge
	}
	b.data = append(b.data, p...)
	return len(p), nil
}
