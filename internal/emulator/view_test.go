package emulator

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"parley/ui/uitest"
)

func played(cols int, pieces ...string) *Terminal {
	t := New(cols)
	for _, p := range pieces {
		_, _ = t.Write([]byte(p))
	}
	return t
}

func TestTerminalRows(t *testing.T) {
	for _, c := range []struct {
		name, in string
		want     []string
	}{
		{"lines", "one\ntwo\n", []string{"one", "two"}},
		{"crlf", "one\r\ntwo\r\n", []string{"one", "two"}},
		{"progress bar", "10%\r50%\r100%\ndone", []string{"100%", "done"}},
		{"shorter over longer", "abcdef\rxy\n", []string{"xycdef"}},
		{"erase to the end", "abcdef\rxy\x1b[K\n", []string{"xy"}},
		{"erase the line", "abcdef\x1b[2K\rxy\n", []string{"xy"}},
		{"backspace", "abc\b\bX\n", []string{"aXc"}},
		{"tab", "a\tb\n", []string{"a       b"}},
		{"colour", "\x1b[31mred\x1b[0m plain\n", []string{"\x1b[31mred\x1b[m plain"}},
		{"colour across lines", "\x1b[1;32ma\nb\x1b[0m\n", []string{"\x1b[1;32ma\x1b[m", "\x1b[1;32mb\x1b[m"}},
		{"true colour", "\x1b[38;2;1;2;3mx\x1b[39my", []string{"\x1b[38;2;1;2;3mx\x1b[my"}},
		{"conceal and blink are not kept", "\x1b[5;8mpassword\x1b[0m", []string{"password"}},
		{"blank rows at the end", "a\n\n\n", []string{"a"}},
		{"blank rows between", "a\n\nb", []string{"a", "", "b"}},
		{"title, clipboard and link", "\x1b]0;evil\x07a\x1b]52;c;ZXZpbA==\x1b\\b\x1b]8;;http://x\x07c\x1b]8;;\x07", []string{"abc"}},
		{"queries", "a\x1b[c\x1b[6n\x1b[>c\x1b[?2004$p\x1b]11;?\x07b", []string{"ab"}},
		{"wide", "日本\rx\n", []string{"x 本"}},
		{"C1", "a\u009b31mb\n", []string{"a31mb"}},
		{"broken utf-8", "a\xffb\xc3\n", []string{"a\uFFFDb\uFFFD"}},
		{"cursor up", "one\ntwo\n\x1b[1Athree\n", []string{"one", "three"}},
		{"two bars", "a 0\nb 0\n\x1b[2Aa 9\nb 9\n", []string{"a 9", "b 9"}},
		{"cursor up keeps colour", "\x1b[32mone\ntwo\x1b[m\x1b[Ax", []string{"\x1b[32mone\x1b[mx", "\x1b[32mtwo\x1b[m"}},
		{"home and clear", "junk\n\x1b[2J\x1b[Hnew", []string{"junk", "new"}},
		{"alternate screen leaves no trace", "a\n\x1b[?1049hEDITOR\x1b[?1049lb", []string{"a", "b"}},
		{"huge repeat", "x\x1b[2147483647b\n", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := played(80, c.in).Rows(80, 0)
			if c.want != nil && !slices.Equal(got, c.want) {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
			uitest.CheckStyled(t, got, 80)
		})
	}
}

// Whatever the cut of the writes, the picture is the same: sequences, runes and all.
func TestTerminalSplitWrites(t *testing.T) {
	in := "\x1b[1;31mré日d\x1b[0m\n10%\r\x1b[K20%\nlink \x1b]8;;u\x1b\\x\x1b]8;;\x1b\\\n\x1b[2Aup\x1b[B\n\x1b[38;5;200mend"
	want := played(40, in).Rows(40, 0)
	for i := range len(in) {
		for _, look := range []bool{false, true} {
			term := played(40, in[:i])
			if look {
				term.Rows(40, 0)
			}
			_, _ = term.Write([]byte(in[i:]))
			if got := term.Rows(40, 0); !slices.Equal(got, want) {
				t.Fatalf("cut at %d (%v): got %q, want %q", i, look, got, want)
			}
		}
	}
}

func TestTerminalLast(t *testing.T) {
	term := New(80)
	for i := range 100 {
		fmt.Fprintf(term, "line %d\n", i)
	}
	if got, want := term.Rows(80, 2), []string{"line 98", "line 99"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if term.Len() != 100 {
		t.Errorf("Len = %d, want 100", term.Len())
	}
	if got, want := played(80, "abcdefghijklm").Rows(5, 2), []string{"fghij", "klm"}; !slices.Equal(got, want) {
		t.Errorf("wrapped: got %q, want %q", got, want)
	}
}

func TestTerminalIsBounded(t *testing.T) {
	for _, grid := range []bool{false, true} {
		term := New(80)
		if grid {
			term.Write([]byte("a\n\x1b[A"))
		}
		const n = 50_000
		for i := range n {
			fmt.Fprintf(term, "line %d\n", i)
			if i%1000 == 0 {
				term.Rows(80, 5)
			}
		}
		rows := term.Rows(80, 0)
		if got, want := rows[len(rows)-1], fmt.Sprintf("line %d", n-1); got != want {
			t.Errorf("last row %q, want %q", got, want)
		}
		if len(term.lines) > terminalHistory*5/4 || len(rows) < terminalHistory {
			t.Errorf("%d lines, %d rows kept", len(term.lines), len(rows))
		}
		if term.Len() != n {
			t.Errorf("grid %v: Len = %d, want %d", grid, term.Len(), n)
		}
	}
}

// A burst between two calls of Rows is played from near its end; the lines before are counted.
func TestTerminalBurst(t *testing.T) {
	var b bytes.Buffer
	const n = 200_000
	for i := range n {
		fmt.Fprintf(&b, "line %d\n", i)
	}
	for _, size := range []int{b.Len(), 100_000, 777} {
		term := New(80)
		for p := b.Bytes(); len(p) > 0; {
			k := min(size, len(p))
			_, _ = term.Write(p[:k])
			p = p[k:]
		}
		if len(term.pending) > 2*burstBytes {
			t.Errorf("%d bytes pending", len(term.pending))
		}
		if got := term.Rows(80, 1); got[0] != fmt.Sprintf("line %d", n-1) {
			t.Errorf("last row %q", got)
		}
		if term.Len() != n {
			t.Errorf("writes of %d: Len = %d, want %d", size, term.Len(), n)
		}
	}
}

// After enough lines without cursor movements the grid is given up, and the picture stays.
func TestTerminalGridAndBack(t *testing.T) {
	term := played(80, "\x1b[33mfirst\n\x1b[A\x1b[2Cx\n")
	want := []string{"\x1b[33mfixst\x1b[m"}
	for i := range 200 {
		fmt.Fprintf(term, "line %d", i)
		want = append(want, fmt.Sprintf("\x1b[33mline %d\x1b[m", i))
		term.Rows(80, 3)
		fmt.Fprint(term, "\n")
	}
	fmt.Fprint(term, "50%\r100%")
	want = append(want, "\x1b[33m100%\x1b[m")
	if got := term.Rows(80, 0); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	if term.grid != nil {
		t.Error("the grid is still there")
	}
	fmt.Fprint(term, "\n\x1b[2Aover\x1b[m")
	want[len(want)-2] = "\x1b[33mover 199\x1b[m"
	if got := term.Rows(80, 0); !slices.Equal(got, want) || term.grid == nil {
		t.Errorf("moved up again: got %q", got[len(got)-3:])
	}
}

// Of a burst of clears and scrolls only the last ones are played, and they make the picture.
func TestTerminalHeavyBurst(t *testing.T) {
	var b strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&b, "\x1b[2J\x1b[Hframe %d", i)
	}
	tail := b.String()[heavyTail([]byte(b.String())):]
	if got := strings.Count(tail, "\x1b[2J"); got != heavyLimit || !strings.HasPrefix(tail, "\x1b[2J") {
		t.Errorf("%d clears are played, the first bytes are %.10q", got, tail)
	}
	term := played(80, "\x1b[A")
	term.play()
	fmt.Fprint(term, b.String())
	if rows := term.Rows(80, 1); rows[0] != "frame 4999" {
		t.Errorf("got %q", rows)
	}
}

// Hostile output in a grid must not block on its own queries, whose answers are not read.
func TestTerminalGridQueries(t *testing.T) {
	in := "a\n\x1b[A" + strings.Repeat("\x1b[c\x1b[6n\x1b[5n\x1b[?6n\x1b[4$p\x1b[?2048h\x1b[?7;2048h", 1000) + "end"
	rows := played(80, in).Rows(80, 0)
	if len(rows) != 1 || rows[0] != "end" {
		t.Errorf("got %q", rows)
	}
	term := played(80, "\x1b[A")
	term.play()
	if _, err := term.grid.vt.InputPipe().Write([]byte("x")); err == nil {
		t.Error("the emulator's replies have somewhere to go")
	}
}

func FuzzTerminal(f *testing.F) {
	for _, s := range []string{
		"plain\n", "\x1b[31mred\x1b[m\r\n", "\x1b[5A\x1b[10;10Hx\x1b[J", "\x1b[?1049h\x1b[2J\x1b[3;5r\x1b[L\x1b[M\x1b[99S",
		"\x1b]0;title", "\x1b[?69h\x1b[5;3s\x1b[10@\x1b[10P\x1b[10X", "日本\b\x1b[1K\u0301", "\x1b(0lqk\x1b(B\x1bM\x1bc",
		"\x1b[A\x1b[3g\tx\x1bH\x1b[5I\x1b[5Z\x1b[9999b", "\xf0\x9f\x91\xa8\xe2\x80\x8d", "\x1b[38;5m\x1b[38;2;1m\x1b[48:2::1:2:3mx",
		"\x1b[48:2::%:2:3mx",
	} {
		f.Add([]byte(s), 3)
	}
	f.Fuzz(func(t *testing.T, in []byte, at int) {
		if len(in) > 4096 {
			t.Skip()
		}
		at = min(max(at, 0), len(in))
		term := New(20)
		_, _ = term.Write(in[:at])
		uitest.CheckStyled(t, term.Rows(20, 5), 20)
		_, _ = term.Write(in[at:])
		uitest.CheckStyled(t, term.Rows(13, 0), 13)
		if term.Len() < 0 || term.tripped {
			t.Errorf("Len = %d, tripped %v", term.Len(), term.tripped)
		}
	})
}

func benchmarkTerminal(b *testing.B, start string) {
	line := "\x1b[32mok\x1b[0m   parley/ui/widget/some/longer/package/path   0.312s  coverage: 81.2% of statements\n"
	chunk := []byte(strings.Repeat(line, 16<<10/len(line)))
	term := played(80, start)
	b.SetBytes(int64(len(chunk)))
	b.ReportAllocs()
	for b.Loop() {
		_, _ = term.Write(chunk)
		if start != "" {
			_, _ = term.Write([]byte("\x1b[?7h")) // keeps the grid
		}
		term.play()
	}
}

func BenchmarkTerminalLines(b *testing.B) { benchmarkTerminal(b, "") }
func BenchmarkTerminalGrid(b *testing.B)  { benchmarkTerminal(b, "\n\x1b[A") }
func BenchmarkTerminalRows5(b *testing.B) {
	term := played(80, strings.Repeat("some line of output\n", 1000))
	b.ReportAllocs()
	for b.Loop() {
		_ = term.Rows(80, 5)
	}
}
