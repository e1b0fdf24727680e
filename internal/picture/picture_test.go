package picture

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"parley/internal/must"
)

func TestType(t *testing.T) {
	for data, want := range map[string]string{
		"\x89PNG\r\n\x1a\nrest": "image/png", "\xff\xd8\xff\xe0": "image/jpeg", "GIF89a..": "image/gif", "GIF87a": "image/gif",
		"RIFF\x00\x00\x00\x00WEBPVP8 ": "image/webp", "RIFF\x00\x00\x00\x00WAVE": "", "": "", "<svg/>": "", "\x89PNG": "",
	} {
		if got := Type([]byte(data)); got != want {
			t.Errorf("%q: got %q, want %q", data, got, want)
		}
	}
}

func TestPaths(t *testing.T) {
	for text, want := range map[string][]string{
		"/pictures/a.png":                 {"/pictures/a.png"},
		"/pictures/my shot.PNG":           {"/pictures/my shot.PNG"},
		" '/pictures/my shot.png' \n":     {"/pictures/my shot.png"},
		`"/pictures/my shot.jpeg"`:        {"/pictures/my shot.jpeg"},
		"file:///pictures/my%20shot.webp": {"/pictures/my shot.webp"},
		"file:///a.png\nfile:///b.png\n":  {"/a.png", "/b.png"},
		"/a.png /b.gif":                   {"/a.png", "/b.gif"},
		"'/a b.png' '/c.png'":             {"/a b.png", "/c.png"},
		"shots/a.png":                     {"shots/a.png"},
		"see /pictures/a.png":             nil,
		"/pictures/a.txt":                 nil,
		"":                                nil,
		"https://example.com/":            nil,
	} {
		if got := Paths(text); !slices.Equal(got, want) && runtime.GOOS != "windows" {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	if got := Paths(`/pictures/my\ shot\(1\).png`); runtime.GOOS != "windows" && !slices.Equal(got, []string{"/pictures/my shot(1).png"}) {
		t.Errorf("escaped: %q", got)
	}
	if Paths(strings.Repeat("/a.png ", 21)) != nil {
		t.Error("reading does not end")
	}
	for word, want := range map[string]bool{"/a.png": true, "~/a.png": true, "./a.jpg": true, "a.png": false, "dir/a.png": false, "/a.go": false, "file:///a.png": true} {
		if Typed(word) != want {
			t.Errorf("typed %s: %v", word, !want)
		}
	}
}

func TestRead(t *testing.T) {
	dir := t.TempDir()
	put := func(name, data string) string {
		path := filepath.Join(dir, name)
		must.Do(t, os.WriteFile(path, []byte(data), 0o600))
		return path
	}
	const png = "\x89PNG\r\n\x1a\n"
	if got, err := Read(context.Background(), put("a.jpg", png)); string(got.Data) != png || got.MimeType != "image/png" || err != nil {
		t.Errorf("%q %v", got, err)
	}
	if _, err := Read(context.Background(), put("b.png", "text")); !errors.Is(err, ErrNotImage) {
		t.Errorf("a text: %v", err)
	}
	if _, err := Read(context.Background(), put("c.png", png+strings.Repeat("x", MaxBytes))); !errors.Is(err, ErrTooLarge) {
		t.Errorf("a large one: %v", err)
	}
	if _, err := Read(context.Background(), dir); err == nil {
		t.Error("a directory is an image")
	}
	if _, err := Read(context.Background(), filepath.Join(dir, "gone.png")); !os.IsNotExist(err) {
		t.Errorf("one that is not there: %v", err)
	}
}
