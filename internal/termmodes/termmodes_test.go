package termmodes

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"

	"parley/internal/seeds"
)

// emulated is a terminal: an emulator reads what is written, and what it does to modes is noted here.
type emulated struct {
	vt      *vt.Emulator
	modes   map[string]bool // that differ from how it begins
	alt     bool
	flags   [2]int
	saved   [2][]int
	other   int
	shape   int
	keypad  bool
	letters bool
}

func newEmulated() *emulated {
	e := &emulated{vt: vt.NewEmulator(80, 24), modes: map[string]bool{}}
	e.vt.RegisterCsiHandler(ansi.Command('?', '$', 'p'), func(ansi.Params) bool { return true }) // nobody reads an answer
	for _, final := range []byte("hl") {
		set := func(prefix string) func(ansi.Params) bool {
			return func(params ansi.Params) bool {
				for _, p := range params {
					e.mode(fmt.Sprintf("%s%d", prefix, p.Param(-1)), final == 'h')
				}
				return true
			}
		}
		e.vt.RegisterCsiHandler(int(final), set(""))
		e.vt.RegisterCsiHandler(ansi.Command('?', 0, final), set("?"))
	}
	csi := func(prefix, inter, final byte, f func(first, second int)) {
		e.vt.RegisterCsiHandler(ansi.Command(prefix, inter, final), func(p ansi.Params) bool {
			first, _, _ := p.Param(0, -1)
			second, _, _ := p.Param(1, -1)
			f(first, second)
			return true
		})
	}
	csi('>', 0, 'u', func(n, _ int) {
		i := e.screen()
		e.saved[i], e.flags[i] = append(e.saved[i], e.flags[i]), max(n, 0)
	})
	csi('<', 0, 'u', func(n, _ int) {
		i := e.screen()
		if n < 0 {
			n = 1
		}
		for range n {
			e.flags[i] = 0
			if last := len(e.saved[i]) - 1; last >= 0 {
				e.flags[i], e.saved[i] = e.saved[i][last], e.saved[i][:last]
			}
		}
	})
	csi('=', 0, 'u', func(n, how int) {
		n = max(n, 0)
		switch flags := &e.flags[e.screen()]; how {
		case 2:
			*flags |= n
		case 3:
			*flags &^= n
		default:
			*flags = n
		}
	})
	csi('>', 0, 'm', func(n, value int) {
		if n == 4 {
			e.other = max(value, 0)
		}
	})
	csi('>', 0, 'n', func(n, _ int) {
		if n == 4 {
			e.other = 0
		}
	})
	csi(0, ' ', 'q', func(n, _ int) { e.shape = max(n, 0) })
	csi(0, '!', 'p', func(int, int) {
		for _, mode := range strings.Fields("4 ?1 ?6 ?7 ?25 ?66 ?69") {
			delete(e.modes, mode)
		}
		e.keypad, e.letters = false, false
	})
	esc := func(inter, final byte, f func()) {
		e.vt.RegisterEscHandler(ansi.Command(0, inter, final), func() bool { f(); return true })
	}
	esc(0, '=', func() { e.keypad = true })
	esc(0, '>', func() { e.keypad = false })
	esc('(', 'B', func() { e.letters = false })
	esc('(', '0', func() { e.letters = true })
	esc(0, 'c', func() {
		*e = emulated{vt: e.vt, modes: map[string]bool{}}
	})
	return e
}

func (e *emulated) screen() int {
	if e.alt {
		return 1
	}
	return 0
}

func (e *emulated) mode(mode string, on bool) {
	switch {
	case slices.Contains(alternate, mode):
		if e.alt = on; !on {
			e.flags[1], e.saved[1] = 0, nil
		}
	case !slices.Contains(lasting, mode):
	case on != slices.Contains(byDefault, mode):
		e.modes[mode] = true
	default:
		delete(e.modes, mode)
	}
}

// state is what replay gives another terminal.
func (e *emulated) state() string {
	return fmt.Sprint(e.modes, e.alt, e.flags, e.other, e.shape, e.keypad)
}

// pieces are what programs write, and parts of it.
var pieces = strings.Split("text|é|\x1b[?1049h|\x1b[?1049l|\x1b[?47h|\x1b[?1047l|\x1b[?25l|\x1b[?25h|\x1b[?25;1000;1006h|\x1b[?1000;1006;7l|\x1b[?7h|"+
	"\x1b[?2004h|\x1b[?2004l|\x1b[4h|\x1b[4l|\x1b[?2026h|\x1b[?2026l|\x1b[?12;1004h|\x1b[?99h|\x1b[?1h\x1b=|\x1b[?1l\x1b>|\x1b[>1u|\x1b[>u|\x1b[<u|\x1b[<2u|\x1b[=5;1u|\x1b[=2;2u|\x1b[=1;3u|\x1b[=0;1u|\x1b[?u|\x1b[u|"+
	"\x1b[>4;2m|\x1b[>4;0m|\x1b[>4m|\x1b[>4n|\x1b[38;2;1;2;3m|\x1b[m|\x1b[4 q|\x1b[ q|\x1b[0 q|\x1b[3;10r|\x1b[r|\x1b(0|\x1b(B|\x1b7|\x1b8|\x1b[!p|\x1bc|"+
	"\x1b]2;title\a|\x1b]0;\x1b\\|\x1b]8;;http://x\x1b\\|\x1b]8;;\a|\x1bPq#0;1\x1b\\|\x1b_Gdata\x1b\\|\x1b[?25|\x1b[?1049|\x18|\x1a|\x1b|\x1b[|\x1b]|h|l|\x1b[?2$p", "|")

func random(r *rand.Rand) string {
	var b strings.Builder
	pushes := 0
	for range r.IntN(30) {
		p := pieces[r.IntN(len(pieces))]
		if strings.HasPrefix(p, "\x1b[>") && strings.HasSuffix(p, "u") {
			if pushes++; pushes >= deepest { // how many are remembered differs
				continue
			}
		}
		b.WriteString(p)
	}
	return b.String()
}

// learnIn lets modes learn a text in pieces.
func (m *Modes) learnIn(r *rand.Rand, text string) {
	for len(text) > 0 {
		n := 1 + r.IntN(len(text))
		m.Learn([]byte(text[:n]))
		text = text[n:]
	}
}

// Whatever a program writes, in whatever pieces, Restore leaves the terminal as it began; and another terminal that gets
// Replay is, and stays, as the program expects.
func TestModesOfAnything(t *testing.T) {
	for seed := range seeds.Of(3000) {
		r := rand.New(rand.NewPCG(uint64(seed), 1))
		text, rest := random(r), random(r)
		var m Modes
		m.learnIn(r, text)
		first, second := newEmulated(), newEmulated()
		first.vt.WriteString(text)
		second.vt.Write(m.Replay())
		if first.state() != second.state() {
			t.Fatalf("%d: after %q\n%s, and another one after %q\n%s", seed, text, first.state(), m.Replay(), second.state())
		}
		m.learnIn(r, rest)
		first.vt.WriteString(rest)
		second.vt.WriteString(rest)
		if m.Alternate() != first.alt {
			t.Errorf("%d: after %q and %q the alternate screen is shown: %v", seed, text, rest, first.alt)
		}
		if first.state() != second.state() {
			t.Fatalf("%d: after %q and %q\n%s, and another one\n%s", seed, text, rest, first.state(), second.state())
		}
		restored := m.Restore()
		first.vt.Write(restored)
		if fresh := newEmulated(); first.state() != fresh.state() || first.letters {
			t.Fatalf("%d: after %q and %q, restored by %q, it is\n%s", seed, text, rest, restored, first.state())
		}
		if again := m.Restore(); len(again) > 0 {
			t.Fatalf("%d: restored again: %q", seed, again)
		}
	}
}

func TestModes(t *testing.T) {
	for _, c := range []struct {
		name, written, replay, restore string
	}{
		{"text", "hello\r\n", "", ""},
		{"colours end", "\x1b[31mred\x1b[m", "", ""},
		{"colours", "\x1b[31mred", "", "\x1b[m"},
		{"a screen", "\x1b[?1049h\x1b[?25l\x1b[?1003;1006h", "\x1b[?1049h\x1b[?25l\x1b[?1003h\x1b[?1006h", "\x1b[?1006l\x1b[?1003l\x1b[?25h\x1b[?1049l\x1b[m"},
		{"and back", "\x1b[?1049h\x1b[?25l\x1b[?25h\x1b[?1049l", "", ""},
		{"another way back", "\x1b[?1049h\x1b[?47l", "", ""},
		{"keys on the alternate screen", "\x1b[>1u\x1b[?1049h\x1b[>3u", "\x1b[>1u\x1b[?1049h\x1b[>3u", "\x1b[<1u\x1b[?1049l\x1b[<1u\x1b[m"},
		{"keys that go with it", "\x1b[?1049h\x1b[>3u\x1b[?1049l", "", ""},
		{"flags set without a stack", "\x1b[=5;1u\x1b[=2;2u", "\x1b[>7u", "\x1b[<1u\x1b[m"},
		{"and reset", "\x1b[=5;1u\x1b[=0;1u", "", ""},
		{"asking", "\x1b[?u\x1b[?2026$p\x1b[c\x1b]11;?\x1b\\", "", ""},
		{"half a sequence", "\x1b[?1049h\x1b[?2", "\x1b[?1049h\x1b[?2", "\x18\x1b[?1049l\x1b[m"},
		{"cancelled", "\x1b[?1049\x18h", "", ""},
		{"a control character in a sequence", "\x1b[?20\r04h", "\x1b[?2004h", "\x1b[?2004l\x1b[m"},
		{"a title", "\x1b]2;x\a", "", "\x1b]2;\a\x1b[m"},
		{"a title whose end begins like a sequence", "\x1b]2;x\x1b[?25l", "\x1b[?25l", "\x1b[?25h\x1b]2;\a\x1b[m"},
		{"progress", "\x1b]9;4;1;50\x1b\\", "", "\x1b]9;4;0\x1b\\\x1b[m"},
		{"no progress", "\x1b]9;4;1;50\x1b\\\x1b]9;4;0\x1b\\", "", ""},
		{"a cursor", "\x1b[4 q\x1b]12;red\a", "\x1b[4 q", "\x1b[0 q\x1b]112\x1b\\\x1b[m"},
		{"a cursor and back", "\x1b[4 q\x1b[ q\x1b]12;red\a\x1b]112\a", "", ""},
		{"a link", "\x1b]8;id=1;http://x\a", "", "\x1b]8;;\x1b\\\x1b[m"},
		{"rows", "\x1b[2;5r", "", "\x1b7\x1b[r\x1b8\x1b[m"},
		{"lines to draw boxes with", "\x1b(0", "", "\x0f\x1b(B\x1b[m"},
		{"a soft reset", "\x1b[?1049h\x1b[?1h\x1b[?25l\x1b=\x1b[!p", "\x1b[?1049h", "\x1b[?1049l\x1b[m"},
		{"a reset", "\x1b[?1049h\x1b[>1u\x1b[4 q\x1bc", "", ""},
		{"a picture with a mode in it", "\x1bPq[?25l" + strings.Repeat("x", 1000) + "[?25l\x1b\\", "", ""},
	} {
		var m Modes
		m.Learn([]byte(c.written))
		if got := string(m.Replay()); got != c.replay {
			t.Errorf("%s: replay is %q, want %q", c.name, got, c.replay)
		}
		if got := string(m.Restore()); got != c.restore {
			t.Errorf("%s: restore is %q, want %q", c.name, got, c.restore)
		}
	}
}

func BenchmarkLearn(b *testing.B) {
	text := []byte(strings.Repeat("\x1b[38;2;1;2;3mhello\x1b[m world, and more of it\x1b[12;40H", 1000))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		var m Modes
		m.Learn(text)
	}
}
