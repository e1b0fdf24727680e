package paint

import (
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"

	"parley/internal/glyphs"
	"parley/internal/seeds"
	"parley/internal/tty"
)

// emulated is a terminal with a Screen that paints on it when it is told to.
type emulated struct {
	*Screen
	emu        *vt.Emulator
	cols, rows int
}

func emulate(cols, rows int) *emulated {
	e := &emulated{emu: vt.NewEmulator(cols, rows), cols: cols, rows: rows}
	go io.Copy(io.Discard, e.emu) // its answers
	e.Screen = newScreen(e.emu, tty.Of([]string{"TERM=linux"}))
	e.Screen.measure = func() (int, int, error) { return e.cols, e.rows, nil }
	e.asked = true
	return e
}

// show paints a view at once, and returns what was written.
func (e *emulated) show(v tea.View) string {
	e.size, e.view = extent{e.cols, e.rows}, v
	b, _ := e.frame()
	e.written = e.painter
	e.emu.Write(b)
	return string(b)
}

// cellAt is what a cell shows. Of a mark that the terminal has put into a cell of its own
// nothing is to be seen.
func (e *emulated) cellAt(x, y int) uv.Cell {
	c := e.emu.CellAt(x, y)
	if c == nil || c.Content == "" && c.Width == 0 || c.Width == 0 && uvWidth(c.Content) == 0 {
		return uv.Cell{Content: " ", Width: 1}
	}
	if cell := *c; cell.Content == " " && cell.Style.Attrs == 0 && cell.Style.Underline == 0 {
		cell.Style.Fg = nil // a blank shows no colour of text
		return cell
	}
	return *c
}

func uvWidth(s string) int { return ansi.StringWidth(s) }

// sameAs compares everything on two terminals.
func (e *emulated) sameAs(t *testing.T, other *emulated, what string) {
	t.Helper()
	for y := range e.rows {
		for x := range e.cols {
			if got, want := e.cellAt(x, y), other.cellAt(x, y); !got.Equal(&want) {
				t.Fatalf("%s: cell %d,%d is %+v, want %+v\nrow:  %q\nwant: %q", what, x, y, got, want, e.text(y), other.text(y))
			}
		}
	}
	if got, want := e.emu.CursorPosition(), other.emu.CursorPosition(); got != want && e.view.Cursor != nil {
		t.Fatalf("%s: the cursor is at %v, want %v", what, got, want)
	}
}

// text is a row as it can be read.
func (e *emulated) text(y int) string {
	var b strings.Builder
	for x := range e.cols {
		if c := e.emu.CellAt(x, y); c == nil {
			b.WriteByte(' ')
		} else if c.Width > 0 {
			b.WriteString(c.Content)
		}
	}
	return strings.TrimRight(b.String(), " ")
}

var words = []string{"plain", "words", " ", "    ", "            ", "日本語", "漢字かな", "🎉🚀", "👍🏽", "❤\ufe0f", "🇩🇪", "1\ufe0f\u20e3", "👨\u200d👩\u200d👧", "xe\u0301y", "p\u0302", "שלום", "שָׁ", "مرحبا", "हिन्दी", "가각", "│", "─────", "é", "\t", "\u200b"}

var styles = []string{"\x1b[m", "\x1b[1m", "\x1b[2m", "\x1b[3;4m", "\x1b[4:3m", "\x1b[7m", "\x1b[31m", "\x1b[97;44m", "\x1b[38;5;208m", "\x1b[48;5;22m", "\x1b[38;2;10;200;30m", "\x1b[48;2;1;2;3m", "\x1b[39m", "\x1b[22;24m",
	"\x1b]8;;https://example.org/a\x1b\\", "\x1b]8;id=1;https://example.org/b\x1b\\", "\x1b]8;;\x1b\\"}

// scribble makes a row that fits.
func scribble(r *rand.Rand, cols int) string {
	var b strings.Builder
	for range r.IntN(9) {
		if r.IntN(3) == 0 {
			b.WriteString(styles[r.IntN(len(styles))])
		}
		b.WriteString(words[r.IntN(len(words))])
	}
	if r.IntN(6) == 0 {
		b.WriteString(strings.Repeat("wide 漢 ", 1+cols/8))
	}
	return glyphs.Truncate(b.String(), cols, "") + "\x1b]8;;\x1b\\\x1b[m"
}

// story is a series of frames: each is the one before with some change, as a transcript
// that moves, a row that grows, or another size.
func story(r *rand.Rand, e *emulated, alt bool, paint func(v tea.View, what string)) {
	most := e.rows
	if !alt {
		most = e.rows - 1
	}
	rows := make([]string, most)
	for step := range 12 {
		what := fmt.Sprint("step ", step)
		switch r.IntN(7) {
		case 0:
			for i := range rows {
				rows[i] = scribble(r, e.cols)
			}
		case 1, 2: // a part moves
			from := r.IntN(len(rows))
			part := rows[from : from+1+r.IntN(len(rows)-from)]
			n := r.IntN(len(part) + 1)
			if r.IntN(2) == 0 {
				copy(part, slices.Clone(part[n:]))
				for i := range n {
					part[len(part)-1-i] = scribble(r, e.cols)
				}
			} else {
				copy(part[n:], slices.Clone(part))
				for i := range n {
					part[i] = scribble(r, e.cols)
				}
			}
			what += fmt.Sprint(" moves ", n, " at ", from)
		case 3:
			i := r.IntN(len(rows))
			rows[i] = glyphs.Truncate(rows[i]+words[r.IntN(len(words))], e.cols, "")
		case 4:
			i := r.IntN(len(rows))
			rows[i] = glyphs.Truncate(rows[i], r.IntN(e.cols), "")
		default:
			for range 1 + r.IntN(3) {
				rows[r.IntN(len(rows))] = scribble(r, e.cols)
			}
		}
		v := tea.View{AltScreen: alt, Content: strings.Join(rows, "\n")}
		if r.IntN(4) > 0 {
			v.Cursor = tea.NewCursor(r.IntN(e.cols), r.IntN(len(rows)))
		}
		paint(v, what)
	}
}

// Whatever frames came before, the terminal shows the last one as if it had been painted
// alone: with either way of measuring, and any number of colours.
func TestIncrementsEqualAFreshPaint(t *testing.T) {
	for seed := range seeds.Of(1500) {
		check(t, uint64(seed))
	}
}

func FuzzIncrements(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(check)
}

func check(t *testing.T, seed uint64) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 7))
	glyphs.Measure(r.IntN(2) == 0)
	defer glyphs.Measure(false)
	profile := []colorprofile.Profile{colorprofile.TrueColor, colorprofile.ANSI256, colorprofile.ANSI, colorprofile.Ascii}[r.IntN(4)]
	e := emulate(8+r.IntN(50), 3+r.IntN(12))
	e.terminal.Depth, e.terminal.Synced = profile, r.IntN(2) == 0
	panel := r.IntN(3) == 0 && e.cols > 12
	story(r, e, true, func(v tea.View, what string) {
		if panel {
			rows := strings.Split(v.Content, "\n")
			for i, row := range rows {
				row = glyphs.Truncate(row, e.cols-6, "")
				rows[i] = row + strings.Repeat(" ", max(0, e.cols-6-glyphs.Width(row))) + Beside + fmt.Sprint("│ ", i%(2+r.IntN(2)))
			}
			v.Content = strings.Join(rows, "\n")
		}
		e.show(v)
		fresh := emulate(e.cols, e.rows)
		fresh.terminal.Depth = profile
		fresh.show(v)
		e.sameAs(t, fresh, fmt.Sprint("seed ", seed, ", ", what))
		if again := e.show(v); again != "" {
			t.Fatalf("seed %d, %s: the same view again writes %q", seed, what, again)
		}
	})
}
