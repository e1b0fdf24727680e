package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"parley/internal/clipboard"
	"parley/internal/safetext"
	"parley/internal/tty"
	"parley/internal/words"
)

// Terminal asks the terminal what it can do and checks what parley needs.
func Terminal(ctx context.Context, in, out *os.File) []Finding {
	environ := os.Environ()
	p := tty.Of(environ)
	if p.Dumb {
		return []Finding{fail("terminal", "cannot draw the screen (TERM="+safetext.Line(os.Getenv("TERM"), 40)+")", "parley --linear chats in lines; or export TERM=xterm-256color, if the terminal is one")}
	}
	p.Depth = colorprofile.Detect(out, environ)
	a, err := Ask(ctx, in, out, p)
	if err != nil && !errors.Is(err, context.Canceled) {
		return []Finding{warn("terminal", "cannot be asked: "+err.Error(), "start parley doctor from a terminal")}
	}
	a.learn(&p)
	report := a.describe(p, os.Getenv, clipboard.Program())
	switch p.Multiplexer {
	case "tmux":
		report = append(report, tmux(func(args ...string) string { return run(ctx, "tmux", args...) }, clipboard.Program() == "")...)
	case "zellij":
		report = append(report, zellij(os.Getenv)...)
	case "screen":
		if p.Depth < colorprofile.TrueColor {
			report = append(report, warn("screen", "not all colours pass", "add to ~/.screenrc: truecolor on (screen 5), or use tmux"))
		}
	}
	return report
}

// describe returns the findings about a terminal that has answered, or not. program is what copies to the clipboard
// of the desktop, "" for none.
func (a Answers) describe(p tty.Profile, getenv func(string) string, program string) (r []Finding) {
	known := cmp.Or(safetext.Line(a.Name, 80), strings.TrimSpace(safetext.Line(getenv("TERM_PROGRAM")+" "+getenv("TERM_PROGRAM_VERSION"), 80)), "TERM="+safetext.Line(getenv("TERM"), 40))
	if p.Multiplexer != "" && !strings.HasPrefix(strings.ToLower(known), p.Multiplexer) {
		known += ", in " + p.Multiplexer
	}
	if a.Took == 0 {
		r = append(r, warn("terminal", fmt.Sprintf("%s: no answer within %s", known, answerTime), "if the screen looks wrong, use another terminal, or parley --linear"))
	} else {
		r = append(r, good("terminal", "%s, answers within %s", known, a.Took.Round(time.Millisecond)+time.Millisecond))
	}

	switch {
	case p.NoColor:
		r = append(r, good("colours", "none, by NO_COLOR"))
	case p.Depth == colorprofile.TrueColor:
		r = append(r, good("colours", "16 million%s", choose(a.Background, ", follows its background", "")))
	case p.Depth == colorprofile.ANSI256:
		r = append(r, good("colours", "256"))
	default:
		r = append(r, warn("colours", "16 or fewer", "export TERM=xterm-256color, if the terminal has more; or theme = \"ansi\" in the configuration"))
	}
	if a.Took == 0 {
		return append(r, a.clipboard(p, getenv, program)...)
	}

	switch {
	case a.Kitty:
		r = append(r, good("keys", "all, by kitty's protocol"))
	case p.Multiplexer == "tmux": // which has an option
	case a.OtherKeys:
		r = append(r, good("keys", "all, by modifyOtherKeys"))
	default:
		r = append(r, warn("keys", "shift+enter and ctrl+enter may arrive as enter", `alt+enter, ctrl+j or \ enter begins a new line`))
	}
	if has, asked := a.Modes[mouseSGR]; asked && !has {
		r = append(r, warn("mouse", "not reported", "mouse = false in the configuration leaves it to the terminal"))
	} else if has {
		r = append(r, good("mouse", "clicks, wheel, selection"))
	}
	r = append(r, a.clipboard(p, getenv, program)...)
	if a.Modes[int(ansi.ModeSynchronizedOutput)] {
		r = append(r, good("output", "whole frames (mode 2026)"))
	}
	return append(r, a.measured(p)...)
}

func (a Answers) clipboard(p tty.Profile, getenv func(string) string, program string) []Finding {
	switch {
	case program != "":
		return []Finding{good("clipboard", "by %s", program)}
	case p.Multiplexer == "tmux": // below
		return nil
	case a.OSC52:
		return []Finding{good("clipboard", "by the terminal (OSC 52)")}
	case getenv("WAYLAND_DISPLAY") != "":
		return []Finding{warn("clipboard", "by OSC 52, if the terminal takes it: it does not say so", "install wl-copy (package wl-clipboard)")}
	case getenv("DISPLAY") != "":
		return []Finding{warn("clipboard", "by OSC 52, if the terminal takes it: it does not say so", "install xclip")}
	}
	return []Finding{good("clipboard", "by OSC 52, if the terminal takes it")}
}

// measured compares how the terminal measures text with how parley does.
func (a Answers) measured(p tty.Profile) []Finding {
	if a.Widths == nil {
		return nil
	}
	want := widths(p.Clusters)
	if slices.Equal(a.Widths, want) {
		return []Finding{good("widths", "%s, as parley measures", choose(p.Clusters, "by grapheme clusters (mode 2027)", "rune by rune"))}
	}
	var wrong []string
	for i, s := range samples {
		if a.Widths[i] != want[i] {
			wrong = append(wrong, fmt.Sprintf("%s takes %s, not %d", s, words.Count(a.Widths[i], "cell"), want[i]))
		}
	}
	fix := "terminals with mode 2027, such as Ghostty, foot and WezTerm, show it right"
	if p.Clusters {
		fix = "another version of this terminal may show it right: this one has mode 2027, but measures otherwise"
	}
	if p.Multiplexer != "" {
		fix = "outside of " + p.Multiplexer + ", " + fix
	}
	return []Finding{warn("widths", strings.Join(wrong, "; ")+": rows with such text may be shifted", fix)}
}

// tmux checks the options of tmux that parley needs. ask runs tmux and returns its answer.
func tmux(ask func(args ...string) string, terminalCopies bool) (r []Finding) {
	option := func(flags, name string) string { return ask("show-options", flags, name) }
	const file = "add to ~/.tmux.conf: "
	missing := func(text, line string) {
		r = append(r, warn("tmux", text, file+line+", then: tmux source-file ~/.tmux.conf"))
	}
	if option("-gv", "prefix") == "" {
		return []Finding{warn("tmux", "does not answer", "tmux show-options -g")}
	}
	if option("-sv", "extended-keys") == "off" {
		missing("shift+enter and ctrl+enter arrive as enter", "set -s extended-keys on")
	}
	if terminalCopies && option("-sv", "set-clipboard") != "on" && !slices.Contains([]string{"on", "all"}, option("-gv", "allow-passthrough")) {
		missing("copied text does not reach the clipboard", "set -s set-clipboard on")
	}
	if option("-gv", "allow-passthrough") == "off" {
		missing("notifications do not reach the terminal", "set -g allow-passthrough on")
	}
	if option("-gv", "focus-events") == "off" {
		missing("parley does not know whether you look", "set -g focus-events on")
	}
	if delay, err := strconv.Atoi(option("-sv", "escape-time")); err == nil && delay > 100 {
		missing(fmt.Sprintf("esc takes %d ms", delay), "set -s escape-time 10")
	}
	if features := ask("display-message", "-p", "#{client_termfeatures}"); features != "" && !slices.Contains(strings.Split(features, ","), "RGB") {
		missing("colours are rounded to 256", `set -as terminal-features ",*:RGB"`)
	}
	if len(r) == 0 {
		r = append(r, good("tmux", "%s, keys, clipboard, focus and colours pass", strings.TrimPrefix(ask("-V"), "tmux ")))
	}
	return r
}

// zellij checks that zellij leaves the keys to parley.
func zellij(getenv func(string) string) []Finding {
	path := getenv("ZELLIJ_CONFIG_FILE")
	if dir, err := os.UserConfigDir(); path == "" && err == nil {
		path = cmp.Or(getenv("ZELLIJ_CONFIG_DIR"), dir+"/zellij") + "/config.kdl"
	}
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
		text, _ := os.ReadFile(path)
		for line := range strings.Lines(string(text)) {
			if strings.HasPrefix(strings.TrimSpace(line), `default_mode "locked"`) {
				return []Finding{good("zellij", "locked, so that keys pass")}
			}
		}
	}
	return []Finding{warn("zellij", "takes keys such as ctrl+g, ctrl+p and ctrl+s", "add to "+safetext.Line(path, 300)+`: default_mode "locked"; or press ctrl+g to lock it now`)}
}

func choose(yes bool, then, otherwise string) string {
	if yes {
		return then
	}
	return otherwise
}
