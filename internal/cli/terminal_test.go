package cli

import (
	"strings"
	"testing"
)

func TestTerminal(t *testing.T) {
	for _, tc := range []struct {
		want, env, value string
		notify           string
		progress         bool
	}{
		{"", "", "", "bell", false},
		{"auto", "KITTY_WINDOW_ID", "1", "osc99", false},
		{"auto", "TERM_PROGRAM", "iTerm.app", "osc9", false}, // of an unknown version
		{"auto", "TERM_PROGRAM=iTerm.app TERM_PROGRAM_VERSION", "3.6.6", "osc9", true},
		{"auto", "TERM_PROGRAM=iTerm.app TERM_PROGRAM_VERSION", "3.10.0beta1", "osc9", true},
		{"auto", "TERM_PROGRAM=iTerm.app TERM_PROGRAM_VERSION", "3.6.5", "osc9", false},
		{"auto", "VTE_VERSION", "8003", "bell", true},
		{"auto", "VTE_VERSION", "7600", "bell", false},
		{"auto", "TERM_PROGRAM", "ghostty", "osc9", true},
		{"auto", "WT_SESSION", "x", "bell", true},
		{"auto", "TERM", "foot-extra", "osc777", false},
		{"auto", "TMUX", "/x", "bell", false},
		{"auto", "TMUX=/x TERM_PROGRAM=tmux KITTY_WINDOW_ID", "1", "osc99", false},
		{"auto", "TMUX=/x TERM_PROGRAM=tmux LC_TERMINAL", "iTerm2", "osc9", false},
		{"auto", "TMUX=/x TERM_PROGRAM=tmux GHOSTTY_RESOURCES_DIR", "/g", "osc9", false},
		{"auto", "TMUX=/x TERM_PROGRAM=tmux VTE_VERSION", "8003", "bell", false},
		{"auto", "STY=x KITTY_WINDOW_ID", "1", "bell", false},
		{"off", "TERM_PROGRAM", "ghostty", "", false},
	} {
		getenv := func(name string) string {
			for v := range strings.FieldsSeq(tc.env + "=" + tc.value) {
				if key, value, _ := strings.Cut(v, "="); key == name {
					return value
				}
			}
			return ""
		}
		if got := Notify(tc.want, getenv); got != tc.notify {
			t.Errorf("%s=%s: notify %q, want %q", tc.env, tc.value, got, tc.notify)
		}
		if got := Progress(tc.want, getenv); got != tc.progress {
			t.Errorf("%s=%s: progress %v", tc.env, tc.value, got)
		}
	}
	if Notify("osc9", func(string) string { return "x" }) != "osc9" || !Progress("on", func(string) string { return "x" }) {
		t.Error("the configuration does not count")
	}
}
