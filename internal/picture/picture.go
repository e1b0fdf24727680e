// Package picture recognises and reads the images that a prompt may hold: PNG,
// JPEG, GIF and WebP, by what a file begins with, whatever it is called.
package picture

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// MaxBytes bounds an image, in bytes.
const MaxBytes = 10 << 20

// Why something is no image that a prompt may hold.
var (
	ErrNotImage = errors.New("no PNG, JPEG, GIF or WebP")
	ErrTooLarge = errors.New("larger than 10 MiB")
)

// Type returns the MIME type of an image; "" for anything else.
func Type(data []byte) string {
	switch {
	case bytes.HasPrefix(data, []byte("\x89PNG\r\n\x1a\n")):
		return "image/png"
	case bytes.HasPrefix(data, []byte("\xff\xd8\xff")):
		return "image/jpeg"
	case bytes.HasPrefix(data, []byte("GIF87a")), bytes.HasPrefix(data, []byte("GIF89a")):
		return "image/gif"
	case len(data) >= 12 && string(data[:4]) == "RIFF" && string(data[8:12]) == "WEBP":
		return "image/webp"
	}
	return ""
}

// Check returns the type of an image within the bounds.
func Check(data []byte) (mime string, err error) {
	if mime = Type(data); mime == "" {
		return "", ErrNotImage
	}
	if len(data) > MaxBytes {
		return "", ErrTooLarge
	}
	return mime, nil
}

// Read reads an image file. It gives up when ctx ends, also on a file system
// that does not answer.
func Read(ctx context.Context, path string) (data []byte, mime string, err error) {
	type outcome struct {
		data []byte
		mime string
		err  error
	}
	over := make(chan outcome, 1)
	go func() {
		data, mime, err := read(path)
		over <- outcome{data, mime, err}
	}()
	select {
	case o := <-over:
		return o.data, o.mime, o.err
	case <-ctx.Done():
		return nil, "", fmt.Errorf("read %s: %w", path, ctx.Err())
	}
}

func read(path string) ([]byte, string, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, "", err
	case !info.Mode().IsRegular(): // a pipe would be waited for
		return nil, "", fmt.Errorf("read %s: %w", path, ErrNotImage)
	case info.Size() > MaxBytes:
		return nil, "", fmt.Errorf("read %s: %w", path, ErrTooLarge)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, "", err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, MaxBytes+1))
	if err != nil {
		return nil, "", err
	}
	mime, err := Check(data)
	if err != nil {
		return nil, "", fmt.Errorf("read %s: %w", path, err)
	}
	return data, mime, nil
}

// Named tells whether a path ends as those of images do.
func Named(path string) bool {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".png", ".jpg", ".jpeg", ".gif", ".webp":
		return true
	}
	return false
}

// Paths reads a text that is nothing but paths of images, as a terminal pastes
// them when files are dropped on it: plain, quoted, with backslashes, or as
// file:// URLs; several with blanks or newlines between them. It is nil for any
// other text.
func Paths(text string) []string {
	const most, longest = 20, 4096
	text = strings.TrimSpace(text)
	if text == "" || len(text) > most*longest {
		return nil
	}
	if !strings.ContainsAny(text, "\n'\"") && Named(text) && !strings.Contains(text, `\ `) && strings.Count(strings.ToLower(text), "file://") < 2 && anchored(text) && !several(text) {
		return []string{Path(text)} // one with blanks in it, as it is
	}
	var out []string
	for _, w := range words(text) {
		if w = Path(w); !Named(w) || len(w) > longest || len(out) == most {
			return nil
		}
		out = append(out, w)
	}
	return out
}

// several tells whether a text has more than one path in it, beside each other.
func several(text string) bool {
	fields := strings.Fields(text)
	for _, f := range fields[:len(fields)-1] {
		if Named(f) {
			return true
		}
	}
	return false
}

// anchored tells whether a path says where it begins.
func anchored(path string) bool {
	return strings.HasPrefix(path, "/") || strings.HasPrefix(path, "~/") || strings.HasPrefix(path, "./") || strings.HasPrefix(path, "../") ||
		strings.HasPrefix(path, "file://") || len(path) > 2 && path[1] == ':' && (path[2] == '\\' || path[2] == '/')
}

// Typed tells whether a word that was typed is the path of an image: only where
// it says where it begins, since a bare name is mostly meant as one.
func Typed(word string) bool { return anchored(word) && Named(Path(word)) && len(word) <= 4096 }

// Path is the path that a word means: file:// URLs are decoded.
func Path(word string) string {
	rest, ok := strings.CutPrefix(word, "file://")
	if !ok {
		return word
	}
	u, err := url.Parse(word)
	if err != nil || u.Path == "" {
		return rest
	}
	if runtime.GOOS == "windows" {
		return strings.TrimPrefix(u.Path, "/") // of /C:/…
	}
	return u.Path
}

// words splits a text as a shell would: quotes hold together, a backslash keeps
// a blank. On Windows a backslash is one.
func words(text string) []string {
	var out []string
	var word strings.Builder
	quote, in := rune(0), false
	end := func() {
		if in {
			out = append(out, word.String())
		}
		word.Reset()
		in = false
	}
	escaped := false
	for _, r := range text {
		switch {
		case escaped:
			word.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'' && runtime.GOOS != "windows":
			escaped, in = true, true
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			quote, in = r, true
		case r == ' ' || r == '\n' || r == '\t' || r == '\r':
			end()
		default:
			word.WriteRune(r)
			in = true
		}
	}
	end()
	return out
}
