//go:build unix

package e2e

import (
	"slices"
	"testing"
	"time"
)

// The bytes written to a real terminal for each key, including the marks of a synchronised frame,
// with wide characters in nearly every row. Package ui counts single frames; this test runs the
// binary with the terminal's own settings.
func TestBytesOfAKey(t *testing.T) {
	t.Parallel()
	dir := workDir(t)
	s := Start(t, 120, 40, dir, scripted(t)...)
	s.WaitFor(placeholder)
	s.Prompt("trickle")
	s.WaitParagraph(45)
	open(t, dir)
	s.WaitFor("The end of the trickle.")
	s.WaitIdle()
	var before []string
	moved := func() {
		s.WaitFunc("other rows", func(rows []string) bool { return !slices.Equal(rows, before) })
	}
	for _, key := range []struct {
		key  string
		most int
		done func()
	}{
		{"x", 150, func() { s.WaitDraft("x") }},
		{"y", 40, func() { s.WaitDraft("xy") }},
		{"backspace", 40, func() { s.WaitDraft("x") }},
		{"shift+up", 300, moved},
		{"shift+up", 300, moved},
		{"pgup", 4000, moved},
	} {
		s.quietFor(200 * time.Millisecond)
		before = s.Rows()
		_, mark := s.Raw(0)
		s.Press(key.key)
		key.done()
		s.quietFor(50 * time.Millisecond) // the complete frame
		raw, _ := s.Raw(mark)
		t.Logf("%s: %d bytes", key.key, len(raw))
		if len(raw) > key.most {
			t.Errorf("%s: %d bytes, at most %d were expected: %.300q", key.key, len(raw), key.most, raw)
		}
	}
}
