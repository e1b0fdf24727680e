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

// zellijKeys are the keys that zellij intercepts unless it is locked.
var zellijKeys = []string{"ctrl+g", "ctrl+p", "ctrl+t", "ctrl+n", "ctrl+h", "ctrl+s", "ctrl+o", "ctrl+q"}

// MultiplexerKeys returns the keys that a terminal multiplexer intercepts. It may take a moment.
func MultiplexerKeys(ctx context.Context, multiplexer string) (keys []string) {
	switch multiplexer {
	case "tmux":
		ctx, stop := context.WithTimeout(ctx, time.Second)
		defer stop()
		tmux, err := programs.Find("tmux")
		if err != nil {
			return nil
		}
		for _, option := range []string{"prefix", "prefix2"} {
			out, err := programs.Command(ctx, tmux, "show-options", "-gv", option).Output()
			if key := tmuxKey(strings.TrimSpace(string(out))); err == nil && key != "" {
				keys = append(keys, key)
			}
		}
	case "zellij":
		return zellijKeys
	}
	return keys
}

// tmuxKey translates tmux's name of a key, such as C-a or M-Space, to Bubble Tea's.
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

// KeyConflict returns one line about keys that the multiplexer intercepts although they have
// actions. It returns "" if there are none, or if the same line was shown before. actions returns
// the actions of a key.
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
	if shownBefore(line) {
		return ""
	}
	return line
}

// shownBefore reports whether a line was shown before, and records it as shown. If that cannot be
// recorded it returns true: better never than every time.
func shownBefore(line string) bool {
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
