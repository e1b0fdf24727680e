package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"parley/internal/programs"
	"parley/internal/record"
)

// zellijKeys are those that zellij takes for itself unless it is locked.
var zellijKeys = []string{"ctrl+g", "ctrl+p", "ctrl+t", "ctrl+n", "ctrl+h", "ctrl+s", "ctrl+o", "ctrl+q"}

// TakenKeys are those that never arrive because the multiplexer around parley
// takes them, and its name; "" without one. It may take a moment.
func TakenKeys(ctx context.Context, getenv func(string) string) (who string, keys []string) {
	switch {
	case getenv("TMUX") != "":
		ctx, stop := context.WithTimeout(ctx, time.Second)
		defer stop()
		tmux, err := programs.Find("tmux")
		if err != nil {
			return "tmux", nil
		}
		for _, option := range []string{"prefix", "prefix2"} {
			out, err := programs.Command(ctx, tmux, "show-options", "-gv", option).Output()
			if key := tmuxKey(strings.TrimSpace(string(out))); err == nil && key != "" {
				keys = append(keys, key)
			}
		}
		return "tmux", keys
	case getenv("ZELLIJ") != "":
		return "zellij", zellijKeys
	}
	return "", nil
}

// tmuxKey is how Bubble Tea writes a key that tmux writes as C-a or M-Space.
func tmuxKey(key string) string {
	out := ""
	for {
		switch {
		case strings.HasPrefix(key, "C-"):
			key, out = key[2:], out+"ctrl+"
			continue
		case strings.HasPrefix(key, "M-"):
			key, out = key[2:], out+"alt+"
			continue
		}
		break
	}
	if key == "" || out == "" {
		return ""
	}
	return out + strings.ToLower(key)
}

// KeyConflict is one line about the keys of actions that the multiplexer takes,
// "" where there are none, or where it was told before: it is told once. actions
// are those that have the key, by the key.
func KeyConflict(who string, taken []string, actions func(key string) string) string {
	var lost []string
	for _, key := range taken {
		if action := actions(key); action != "" {
			lost = append(lost, fmt.Sprintf("%s (%s)", key, action))
		}
	}
	if len(lost) == 0 {
		return ""
	}
	line := fmt.Sprintf("%s takes %s: other keys can be set in [keys] of the configuration", who, strings.Join(lost, ", "))
	if told(line) {
		return ""
	}
	return line
}

// told tells whether a line was told before, and remembers that it is now. Where
// that cannot be remembered it is not told at all, rather than every time.
func told(line string) bool {
	dir, err := record.StateDir()
	if err != nil {
		return true
	}
	name := filepath.Join(dir, "told.txt")
	old, _ := os.ReadFile(name)
	if slices.Contains(strings.Split(string(old), "\n"), line) || len(old) > 64<<10 {
		return true
	}
	if os.MkdirAll(dir, 0o700) != nil {
		return true
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return true
	}
	_, err = f.WriteString(line + "\n")
	return f.Close() != nil || err != nil
}
