//go:build unix

package e2e

import (
	"strings"
	"testing"
)

// keys are the bytes that a terminal sends, in the encoding that all terminals share.
var keys = map[string]string{
	"enter": "\r", "esc": "\x1b", "tab": "\t", "backspace": "\x7f", "space": " ", "shift+tab": "\x1b[Z",
	"up": "\x1b[A", "down": "\x1b[B", "right": "\x1b[C", "left": "\x1b[D", "pgup": "\x1b[5~", "pgdown": "\x1b[6~",
	"home": "\x1b[H", "end": "\x1b[F", "ctrl+home": "\x1b[1;5H", "ctrl+end": "\x1b[1;5F", "delete": "\x1b[3~",
	"f1": "\x1bOP", "f2": "\x1bOQ", "f3": "\x1bOR", "f4": "\x1bOS", "f5": "\x1b[15~", "f6": "\x1b[17~", "f7": "\x1b[18~", "alt+up": "\x1b[1;3A", "alt+down": "\x1b[1;3B", "shift+up": "\x1b[1;2A", "shift+down": "\x1b[1;2B", "ctrl+up": "\x1b[1;5A", "ctrl+down": "\x1b[1;5B",
	"ctrl+left": "\x1b[1;5D", "ctrl+right": "\x1b[1;5C", "alt+left": "\x1b[1;3D", "alt+right": "\x1b[1;3C", "ctrl+delete": "\x1b[3;5~", "alt+delete": "\x1b[3;3~",
	"alt+enter": "\x1b\r", "alt+backspace": "\x1b\x7f",
	// Only terminals with a newer encoding can report these.
	"shift+enter": "\x1b[13;2u", "ctrl+enter": "\x1b[13;5u", "shift+backspace": "\x1b[127;2u", "ctrl+backspace": "\x1b[127;5u",
}

func keyBytes(t testing.TB, key string) string {
	t.Helper()
	if seq, ok := keys[key]; ok {
		return seq
	}
	if c, ok := strings.CutPrefix(key, "ctrl+"); ok && len(c) == 1 {
		return string(c[0] & 0x1f)
	}
	if c, ok := strings.CutPrefix(key, "alt+"); ok && len(c) == 1 {
		return "\x1b" + c
	}
	if len(key) != 1 {
		t.Fatalf("no such key: %q", key)
	}
	return key
}
