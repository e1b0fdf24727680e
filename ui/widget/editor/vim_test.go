package editor

import (
	"math/rand/v2"
	"strings"
	"testing"

	"parley/ui/theme"
)

// vimmed returns an editor in normal mode with a text and the cursor at the bar.
func vimmed(text string) *Editor {
	c := New()
	c.SetVim(true)
	before, after, _ := strings.Cut(text, "|")
	c.SetValue(before + after)
	c.vim.mode = vimNormal
	p := place{strings.Count(before, "\n"), len(before) - strings.LastIndexByte(before, '\n') - 1}
	c.moveTo(p)
	return c
}

func TestVim(t *testing.T) {
	for _, tc := range []struct{ text, keys, want, mode string }{
		{"|one two", "w", "one |two", "normal"},
		{"|one, two", "ww", "one, |two", "normal"},
		{"|one, two", "W", "one, |two", "normal"},
		{"one two |three", "2b", "|one two three", "normal"},
		{"|one two", "e", "on|e two", "normal"},
		{"|one two", "3l", "one| two", "normal"},
		{"|one", "9l", "on|e", "normal"},
		{"  on|e", "0", "|  one", "normal"},
		{"  on|e", "^", "  |one", "normal"},
		{"|one", "$", "on|e", "normal"},
		{"|a\nb\nc", "G", "a\nb\n|c", "normal"},
		{"a\nb\n|c", "gg", "|a\nb\nc", "normal"},
		{"|a\nb\nc", "2G", "a\n|b\nc", "normal"},
		{"a|b\ncd", "j", "ab\nc|d", "normal"},
		{"|a,b,c", "f,", "a|,b,c", "normal"},
		{"|a,b,c", "2f,", "a,b|,c", "normal"},
		{"|a,b,c", "f,;", "a,b|,c", "normal"},
		{"|a,b,c", "f,;,", "a|,b,c", "normal"},
		{"|ab,c", "t,", "a|b,c", "normal"},
		{"a,b|c", "F,", "a|,bc", "normal"},
		{"f|(a(b)c)", "%", "f(a(b)c|)", "normal"},
		{"|one two", "x", "|ne two", "normal"},
		{"|one two", "3x", "| two", "normal"},
		{"on|e", "X", "o|e", "normal"},
		{"|one two three", "dw", "|two three", "normal"},
		{"|one two three", "d2w", "|three", "normal"},
		{"|one two three", "2dw", "|three", "normal"},
		{"one |two", "dw", "one| ", "normal"},
		{"one |two\nthree", "dw", "one| \nthree", "normal"},
		{"|one two", "cwsix<esc>", "si|x two", "normal"},
		{"|one two", "cw", "| two", ""},
		{"one |two three", "D", "one| ", "normal"},
		{"one |two three", "Csix", "one six|", ""},
		{"a\n|b\nc", "dd", "a\n|c", "normal"},
		{"a\n|b", "dd", "|a", "normal"},
		{"|a", "dd", "|", "normal"},
		{"|a\nb\nc", "2dd", "|c", "normal"},
		{"|a\nb", "dj", "|", "normal"},
		{"a\n|b\nc", "ccx<esc>", "a\n|x\nc", "normal"},
		{"|a\nb", "yyp", "a\n|a\nb", "normal"},
		{"|a\nb", "yyjp", "a\nb\n|a", "normal"},
		{"a\n|b", "yyP", "a\n|b\nb", "normal"},
		{"|one two", "yw$p", "one twoone| ", "normal"},
		{"|ab", "xp", "b|a", "normal"},
		{"one t|wo three", "diw", "one | three", "normal"},
		{"one t|wo three", "daw", "one |three", "normal"},
		{"one t|wo", "daw", "on|e", "normal"},
		{`say "on|e" now`, `ci"two<esc>`, `say "tw|o" now`, "normal"},
		{`say |"one" now`, `da"`, `say | now`, "normal"},
		{"f(a, |b)", "ci(x<esc>", "f(|x)", "normal"},
		{"f(a,\n|b) c", "dib", "f(|) c", "normal"},
		{"{a |b}", "daB", "|", "normal"},
		{"|abc", "rx", "|xbc", "normal"},
		{"|abc", "2rx", "x|xc", "normal"},
		{"|aBc", "3~", "Ab|C", "normal"},
		{"|a\n  b", "J", "a| b", "normal"},
		{"|one", "A!<esc>", "one|!", "normal"},
		{"one|", "Ix", "x|one", ""},
		{"|a", "ob<esc>", "a\n|b", "normal"},
		{"|a", "Ob<esc>", "|b\na", "normal"},
		{"|one two", "dwu", "|one two", "normal"},
		{"|one two three", "dwdwuu", "|one two three", "normal"},
		{"|one two", "dwu<ctrl+r>", "|two", "normal"},
		{"|", "ione<esc>u", "|", "normal"},
		{"|one two three", "dw.", "|three", "normal"},
		{"|one two three", "cwx<esc>w.", "x |x three", "normal"},
		{"|a b", "vex", "|", "normal"},
		{"|one two", "vly", "|one two", "normal"},
		{"|one two", "vlyP", "o|none two", "normal"},
		{"a\n|b\nc", "Vjd", "|a", "normal"},
		{"|one two", "viwcx<esc>", "|x two", "normal"},
		{"|one", "v<esc>x", "|ne", "normal"},
		{"|one", "d<esc>x", "|ne", "normal"},
		{"|one", "dq", "|one", "normal"},
		{"|日本 語", "x", "|本 語", "normal"},
		{"|日本 語", "wx", "日本| ", "normal"},
		{"|one", "s", "|ne", ""},
		{"a|b", "Sx", "x|", ""},
	} {
		c := vimmed(tc.text)
		typed(c, tc.keys)
		if got := withCursor(c); got != tc.want || c.Mode() != tc.mode {
			t.Errorf("%q %q: %q %s, want %q %s", tc.text, tc.keys, got, c.Mode(), tc.want, tc.mode)
		}
	}
}

// vi does not use enter, nor steps beyond the first and last row.
func TestVimUnusedKeys(t *testing.T) {
	for _, key := range []string{"enter", "k", "j", "tab", "pgup"} {
		if c := vimmed("|one"); keyed(c, key) {
			t.Errorf("%s was taken", key)
		}
	}
	c := New()
	c.SetVim(true)
	typed(c, "one")
	if c.Mode() != "" || !keyed(c, "esc") || c.Mode() != "normal" || keyed(c, "esc") {
		t.Error("esc does not lead to normal mode, or not beyond")
	}
	c.SetValue("two")
	if c.Mode() != "" {
		t.Error("a new draft does not begin in insert mode")
	}
}

// Without vi, undo works word by word, and an edit clears redo.
func TestUndo(t *testing.T) {
	c := New()
	typed(c, "one two three<ctrl+w>")
	for _, want := range []string{"one two three", "one two", "one", "", ""} {
		keyed(c, "ctrl+_")
		if got := c.Value(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	typed(c, "x")
	if c.redo() || c.Value() != "x" {
		t.Error("redo brought back an undone change after a new one")
	}
}

// After random keys the editor is consistent, and undoing everything restores the start.
func TestVimRandomKeys(t *testing.T) {
	keys := append(strings.Split("hjklwbeWBE0^$gGfFtT;,%iaIAoOxXsSDCYpPr~JuvVdcy.\"'(){}123 ab,é日", ""), "<esc>", "<esc>", "<ctrl+r>", "<ctrl+u>", "<enter>", "<ctrl+w>", "<alt+enter>", "<up>")
	rng := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		c := vimmed("|one (two, \"three\")\n\n  four 日本")
		c.SetWidth(5 + rng.IntN(30))
		start := c.Value()
		for range 60 {
			key := keys[rng.IntN(len(keys))]
			typed(c, key)
			if c.at.line >= len(c.lines) || c.at.off > len(c.lines[c.at.line].text) || c.snap(c.at.line, c.at.off) != c.at.off {
				t.Fatalf("after %s the cursor is at %v of %q", key, c.at, c.Value())
			}
			c.Rows(EditorLook{Theme: theme.Plain()})
		}
		c.vim = vim{}
		for c.undo() {
		}
		if got := c.Value(); got != start {
			t.Fatalf("undone to %q", got)
		}
	}
}

// A long word is one undo step, even if it is stored as several edits.
func TestUndoOfALongWord(t *testing.T) {
	c := New()
	long := strings.Repeat("x", 3*maxJoined)
	for range len(long) {
		typed(c, "x")
	}
	if keyed(c, "ctrl+_"); c.Value() != "" {
		t.Errorf("%d bytes are left", len(c.Value()))
	}
	if c.redo(); c.Value() != long {
		t.Errorf("%d bytes came back, want %d", len(c.Value()), len(long))
	}
}
