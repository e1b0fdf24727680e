package doctor

import (
	"context"
	"os"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"
	"github.com/muesli/cancelreader"

	"parley/internal/glyphs"
	"parley/internal/lazy"
	"parley/internal/tty"
)

// answerTime is how long a terminal may take to answer, over a slow SSH, too.
const answerTime = 2 * time.Second

// Answers is what a terminal has answered.
type Answers struct {
	Took       time.Duration // 0 if there was no answer
	Name       string        // and version; "" if it does not tell
	Kitty      bool          // it has kitty's keyboard protocol
	OtherKeys  bool          // it has modifyOtherKeys
	Modes      map[int]bool  // the modes that it was asked for; true if it has them
	OSC52      bool          // it says that it can copy
	Background bool          // it tells its background colour
	Widths     []int         // of samples; nil if they were not measured
}

// samples are texts that terminals measure in different ways.
var samples = []string{"👨\u200d👩\u200d👧", "❤\ufe0f", "🇩🇪", "日本", "e\u0301"}

const (
	askKeys  = "\x1b[?u\x1b[?4m" // kitty's flags, modifyOtherKeys
	mouseSGR = 1006
	// A terminal answers in order, and this question everywhere, so its answer is the last.
	askLast = "\x1b[c"
)

// Ask asks the terminal what it can do. It is raw meanwhile, and restored whatever happens. The answers are what
// was received until ctx ended or the time was up.
func Ask(ctx context.Context, in, out *os.File, p tty.Profile) (a Answers, err error) {
	state, err := term.MakeRaw(in.Fd())
	if err != nil {
		return a, err
	}
	defer term.Restore(in.Fd(), state)
	reader, err := cancelreader.NewReader(in)
	if err != nil {
		return a, err
	}
	ctx, stop := context.WithCancel(ctx)
	chunks := make(chan []byte)
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer close(chunks)
		for {
			buf := make([]byte, 4096)
			n, err := reader.Read(buf)
			if n > 0 {
				select {
				case chunks <- buf[:n]:
				case <-ctx.Done():
					return
				}
			}
			if err != nil {
				return
			}
		}
	}()
	defer func() {
		stop()
		if reader.Cancel() {
			<-done
		}
		reader.Close()
	}()

	ask := askLast
	if p.Answers {
		ask = tty.AskName + tty.AskModes + "\x1b[?" + strconv.Itoa(mouseSGR) + "$p" + askKeys + tty.AskBackground + askLast
	}
	began := time.Now()
	text, answered := exchange(ctx, out, chunks, ask)
	a.read(text)
	if !answered {
		return a, ctx.Err()
	}
	a.Took = max(time.Since(began), 1)
	measure, reset := "", "\r"+ansi.EraseLineRight
	if a.Modes[int(ansi.ModeUnicodeCore)] {
		measure, reset = ansi.SetModeUnicodeCore, reset+ansi.ResetModeUnicodeCore
	}
	for _, s := range samples {
		measure += "\r" + s + ansi.RequestCursorPositionReport + "\r" + ansi.EraseLineRight
	}
	text, _ = exchange(ctx, out, chunks, measure+reset+askLast)
	for _, m := range cursor().FindAllStringSubmatch(text, -1) {
		column, _ := strconv.Atoi(m[1])
		a.Widths = append(a.Widths, column-1)
	}
	if len(a.Widths) != len(samples) {
		a.Widths = nil
	}
	return a, ctx.Err()
}

// exchange writes questions and returns the answers, and whether all have been received.
func exchange(ctx context.Context, out *os.File, chunks <-chan []byte, ask string) (text string, all bool) {
	if _, err := out.WriteString(ask); err != nil {
		return "", false
	}
	timer := time.NewTimer(answerTime)
	defer timer.Stop()
	for {
		select {
		case chunk, ok := <-chunks:
			text += string(chunk)
			if last().MatchString(text) {
				return text, true
			}
			if !ok || len(text) > 64<<10 || strings.Contains(string(chunk), "\x03") { // ctrl+c
				return text, false
			}
		case <-timer.C:
			return text, false
		case <-ctx.Done():
			return text, false
		}
	}
}

var (
	last       = lazy.Regexp(`\x1b\[\?([\d;]*)c`)
	cursor     = lazy.Regexp(`\x1b\[\d+;(\d+)R`)
	version    = lazy.Regexp(`\x1bP>\|([^\x1b\x07]*)`)
	mode       = lazy.Regexp(`\x1b\[\?(\d+);(\d)\$y`)
	kitty      = lazy.Regexp(`\x1b\[\?\d+u`)
	otherKeys  = lazy.Regexp(`\x1b\[>4;?\d*m`)
	background = lazy.Regexp(`\x1b\]11;`)
)

func (a *Answers) read(text string) {
	if m := version().FindStringSubmatch(text); m != nil {
		a.Name = m[1]
	}
	a.Modes = map[int]bool{}
	for _, m := range mode().FindAllStringSubmatch(text, -1) {
		n, _ := strconv.Atoi(m[1])
		a.Modes[n] = m[2] != "0" && m[2] != "4" // unknown, or never set
	}
	a.Kitty, a.OtherKeys, a.Background = kitty().MatchString(text), otherKeys().MatchString(text), background().MatchString(text)
	if m := last().FindStringSubmatch(text); m != nil {
		a.OSC52 = strings.Contains(";"+m[1]+";", ";52;")
	}
}

// Learn gives a profile what the terminal has answered.
func (a Answers) learn(p *tty.Profile) {
	if a.Name != "" {
		p.Learn(tea.TerminalVersionMsg{Name: a.Name})
	}
	for n, has := range a.Modes {
		if has {
			p.Learn(tea.ModeReportMsg{Mode: ansi.DECMode(n), Value: ansi.ModeReset})
		}
	}
}

// widths returns how parley measures the samples, by clusters or rune by rune.
func widths(byClusters bool) (out []int) {
	was := glyphs.ByClusters()
	glyphs.Measure(byClusters)
	defer glyphs.Measure(was)
	for _, s := range samples {
		out = append(out, glyphs.Width(s))
	}
	return out
}
