package intent

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// named are the names of keys.
var named = []string{"enter", "esc", "tab", "space", "backspace", "delete", "insert", "up", "down", "left", "right", "home", "end", "pgup", "pgdown",
	"f1", "f2", "f3", "f4", "f5", "f6", "f7", "f8", "f9", "f10", "f11", "f12"}

// aliases are other names of keys.
var aliases = map[string]string{"escape": "esc", "return": "enter", "del": "delete", "ins": "insert", "pageup": "pgup", "pagedown": "pgdown", "pgdn": "pgdown",
	"control": "ctrl", "c": "ctrl", "option": "alt", "opt": "alt", "meta": "alt", "m": "alt", "s": "shift"}

// modifiers are in the order in which Bubble Tea writes them.
var modifiers = []string{"ctrl", "alt", "shift"}

// NormalizeKey returns a key as Bubble Tea writes it: "ctrl+alt+x" for "Ctrl+Alt+x". Letters with
// shift are capitals.
func NormalizeKey(key string) (string, error) {
	wrong := func() (string, error) {
		return "", fmt.Errorf("key %q: want one like ctrl+k, alt+enter, shift+f2, G or space", key)
	}
	if utf8.RuneCountInString(key) == 1 && key != " " {
		return key, nil
	}
	if key == " " {
		return wrong()
	}
	mods, base := strings.Split(key, "+"), ""
	if before, ok := strings.CutSuffix(key, "++"); ok { // ctrl and the plus sign
		mods = append(strings.Split(before, "+"), "+")
	}
	mods, base = mods[:len(mods)-1], mods[len(mods)-1]
	if utf8.RuneCountInString(base) != 1 {
		base = strings.ToLower(base)
		if a, ok := aliases[base]; ok && len(base) > 1 {
			base = a
		}
		if !slices.Contains(named, base) {
			return wrong()
		}
	}
	held := map[string]bool{}
	for _, m := range mods {
		m = strings.ToLower(m)
		if a, ok := aliases[m]; ok {
			m = a
		}
		if !slices.Contains(modifiers, m) || held[m] {
			return wrong()
		}
		held[m] = true
	}
	if held["shift"] && utf8.RuneCountInString(base) == 1 && !held["ctrl"] && !held["alt"] {
		return strings.ToUpper(base), nil
	}
	if held["ctrl"] && utf8.RuneCountInString(base) == 1 {
		base = strings.ToLower(base)
	}
	var out []string
	for _, m := range modifiers {
		if held[m] {
			out = append(out, m)
		}
	}
	return strings.Join(append(out, base), "+"), nil
}

// DisplayKey returns a key as people write it.
func DisplayKey(key string) string {
	switch key {
	case "pgdown":
		return "pgdn"
	}
	return key
}

// symbols are short forms of the names of keys.
var symbols = map[string]string{"up": "↑", "down": "↓", "left": "←", "right": "→", "backspace": "⌫"}

// Symbol returns a key in as few cells as possible: "shift+↓" for "shift+down".
func Symbol(key string) string {
	at := strings.LastIndex(key, "+") + 1
	if short, ok := symbols[key[at:]]; ok {
		return key[:at] + short
	}
	return key
}
