//go:build unix

package e2e

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/fakeagent"

	"github.com/charmbracelet/x/ansi"
)

// cellTexts are texts that cell grids often break: combining marks on ASCII with and without a
// precomposed rune, emoji sequences, and scripts with two common widths.
var cellTexts = []string{
	"xe\u0301y", "p\u0302q", "1👨\u200d👩\u200d👧\u200d👦2", "👍🏽3", "🏳\ufe0f\u200d🌈4", "🇩🇪5", "1\ufe0f\u20e36", "日本語7", "हिन्दी8", "क्ष्म्यी9", "น้ำ0", "שָׁלוֹם1", "عَرَ2",
}

// unjoinedCells rewrites clusters to what a terminal that adds up rune widths shows.
var unjoinedCells = strings.NewReplacer("e\u0301", "é", "👨\u200d👩\u200d👧\u200d👦", "👨👩👧👦", "🏳\ufe0f\u200d🌈", "🏳\ufe0f🌈")

// cells makes the agent send the texts in prose, a table, code and the title of a tool call.
func cells(t *fakeagent.Turn) {
	var b strings.Builder
	for _, text := range cellTexts {
		fmt.Fprintf(&b, "- prose %s end\n", text)
	}
	b.WriteString("\n| A | B |\n|---|---|\n")
	for _, text := range cellTexts {
		fmt.Fprintf(&b, "| %s | end |\n", text)
	}
	b.WriteString("\n```\n")
	for _, text := range cellTexts {
		fmt.Fprintf(&b, "code %s end\n", text)
	}
	b.WriteString("```\n")
	t.Say(b.String())
	for i, text := range cellTexts {
		t.Update(fmt.Sprintf(`{"sessionUpdate":"tool_call","toolCallId":"c%d","kind":"think","status":"completed","title":"title %s end"}`, i, text))
	}
}

// tmux adds up rune widths. Every cell must still hold what was written, at every width: in the
// draft, the prompt, the answer, titles and file names. The columns of a table must stay aligned.
func TestTmuxShowsWhatWasWritten(t *testing.T) {
	t.Parallel()
	for _, cols := range []int{40, 80, 120} {
		for _, mode := range []string{"", "--inline"} {
			t.Run(fmt.Sprint(cols, mode), func(t *testing.T) { // not parallel: it would disturb tests that measure time
				if cols == 120 || (cols == 40) == (mode != "") {
					long(t)
				}
				m := shellInTmux(t, cols, 90, nil)
				for i, text := range cellTexts[:3] {
					write(t, filepath.Join(m.dir, fmt.Sprintf("zz%d", i)+text+".txt"), "")
				}
				m.enter(strings.TrimSpace("parley " + mode + " " + quotedArgs(scripted(t))))
				m.seen("› Ask the agent")
				prompt := "cells xe\u0301y p\u0302q 1👨\u200d👩\u200d👧\u200d👦2"
				m.typed(prompt)
				m.shows("› " + unjoinedCells.Replace(prompt))
				m.key("Enter")
				m.shows("▌ " + unjoinedCells.Replace(prompt))
				m.shows("title " + unjoinedCells.Replace(cellTexts[len(cellTexts)-1]) + " end")
				all := m.all()
				for _, text := range cellTexts {
					text = unjoinedCells.Replace(text)
					for _, want := range []string{"prose " + text + " end", "code " + text + " end", "title " + text + " end", " " + text + " "} {
						if !strings.Contains(all, want) {
							t.Errorf("%q is not shown", want)
						}
					}
				}
				for _, text := range cellTexts {
					m.typed(text)
					m.shows("› " + unjoinedCells.Replace(text))
					m.key("C-u")
					m.shows("› Ask the agent")
				}
				m.typed("@zz")
				for i, text := range cellTexts[:3] {
					m.shows(fmt.Sprintf("zz%d", i) + unjoinedCells.Replace(text) + ".txt")
				}
				for range "@zz" {
					m.key("BSpace")
				}
				m.seen("› Ask the agent")
				m.key("C-d")
				m.wait("the shell's prompt", func(rows []string) bool { return lastOf(rows) == "ready>" })
			})
		}
	}
}

func quotedArgs(args []string) string {
	for i, a := range args {
		args[i] = "'" + a + "'"
	}
	return strings.Join(args, " ")
}

// A terminal that measures by grapheme clusters gets each of them whole.
func TestScreenShowsWhatWasWritten(t *testing.T) {
	t.Parallel()
	for _, cols := range []int{40, 80, 120} {
		t.Run(fmt.Sprint(cols), func(t *testing.T) {
			s := Start(t, cols, 90, workDir(t), scripted(t)...)
			s.WaitFor("› Ask the agent")
			s.Prompt("cells")
			s.WaitFor("title " + cellTexts[len(cellTexts)-1] + " end")
			s.WaitIdle()
			rows := strings.Join(s.Rows(), "\n")
			raw, _ := s.Raw(0)
			written := ansi.Strip(string(raw)) // columns are given after clusters of uncertain width
			for _, text := range cellTexts {
				text = strings.ReplaceAll(text, "e\u0301", "é")
				if !strings.Contains(written, text) {
					t.Errorf("%q was not written", text)
				}
				if r := []rune(text); r[0] < 0x80 && r[1] >= 0x300 && r[1] < 0x2190 || r[1] == 0xfe0f || r[1] == 0x302 {
					continue // the emulator itself drops marks on ASCII
				}
				for _, want := range []string{"prose " + text + " end", "code " + text + " end", "title " + text + " end", " " + text + " "} {
					if !strings.Contains(rows, want) {
						t.Errorf("%q is not shown", want)
					}
				}
			}
		})
	}
}
