// Package picture recognises and reads the images that a prompt may hold: PNG, JPEG, GIF
// and WebP. It goes by the first bytes of a file, not by its name.
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
	"slices"
	"strings"
)

// MaxBytes bounds an image, in bytes.
const MaxBytes = 10 << 20

// Reasons why a prompt may not hold an image.
var (
	ErrNotImage = errors.New("no PNG, JPEG, GIF or WebP")
	ErrTooLarge = errors.New("larger than 10 MiB")
)

// Type returns the MIME type of an image, "" for anything else.
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

// Check returns the type of an image and checks its size.
func Check(data []byte) (mime string, err error) {
	if mime = Type(data); mime == "" {
		return "", ErrNotImage
	}
	if len(data) > MaxBytes {
		return "", ErrTooLarge
	}
	return mime, nil
}

// Image is an image file. Its bytes never change.
type Image struct {
	Data     []byte
	MimeType string
}

// Read reads an image file. It gives up when ctx ends, even on a file system that hangs.
func Read(ctx context.Context, path string) (Image, error) {
	type outcome struct {
		image Image
		err   error
	}
	over := make(chan outcome, 1)
	go func() {
		image, err := read(path)
		over <- outcome{image, err}
	}()
	select {
	case o := <-over:
		return o.image, o.err
	case <-ctx.Done():
		return Image{}, fmt.Errorf("read %s: %w", path, ctx.Err())
	}
}

func read(path string) (Image, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return Image{}, err
	case !info.Mode().IsRegular(): // reading a pipe would block
		return Image{}, fmt.Errorf("read %s: %w", path, ErrNotImage)
	case info.Size() > MaxBytes:
		return Image{}, fmt.Errorf("read %s: %w", path, ErrTooLarge)
	}
	f, err := os.Open(path)
	if err != nil {
		return Image{}, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, MaxBytes+1))
	if err != nil {
		return Image{}, err
	}
	mime, err := Check(data)
	if err != nil {
		return Image{}, fmt.Errorf("read %s: %w", path, err)
	}
	return Image{data, mime}, nil
}

// Named reports whether a path has the extension of an image.
func Named(path string) bool {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".png", ".jpg", ".jpeg", ".gif", ".webp":
		return true
	}
	return false
}

// Paths returns the paths in a text that consists only of paths of images, as a terminal
// pastes them when files are dropped on it: plain, quoted, with backslashes, or as file://
// URLs, separated by white space. It returns nil for any other text.
func Paths(text string) []string {
	const most, longest = 20, 4096
	text = strings.TrimSpace(text)
	if text == "" || len(text) > most*longest {
		return nil
	}
	if !strings.ContainsAny(text, "\n'\"") && Named(text) && !strings.Contains(text, `\ `) && strings.Count(strings.ToLower(text), "file://") < 2 && anchored(text) && !several(text) {
		return []string{Path(text)} // one path that contains spaces
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

// several reports whether a text contains more than one path.
func several(text string) bool {
	fields := strings.Fields(text)
	return slices.ContainsFunc(fields[:len(fields)-1], Named)
}

// anchored reports whether a path is absolute or starts with ~/, ./ or ../.
func anchored(path string) bool {
	return strings.HasPrefix(path, "/") || strings.HasPrefix(path, "~/") || strings.HasPrefix(path, "./") || strings.HasPrefix(path, "../") ||
		strings.HasPrefix(path, "file://") || len(path) > 2 && path[1] == ':' && (path[2] == '\\' || path[2] == '/')
}

// Typed reports whether a typed word is the path of an image. A bare file name is not,
// since it is mostly meant as text.
func Typed(word string) bool { return anchored(word) && Named(Path(word)) && len(word) <= 4096 }

// Path returns the path of a word: file:// URLs are decoded.
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
		return strings.TrimPrefix(u.Path, "/") // in /C:/…
	}
	return u.Path
}

// words splits a text like a shell: quotes group, a backslash keeps a space. On Windows a
// backslash is literal.
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
