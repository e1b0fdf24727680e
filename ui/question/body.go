package question

import (
	"strings"

	"parley/internal/safetext"
	"parley/permissions"
	"parley/ui/theme"
	"parley/ui/widget/diff"
	"parley/ui/widget/text"
)

// look is what rows are drawn for.
type look struct {
	lines
	theme *theme.Theme
}

// body is all that has to be read of a question, as drawn last. No row depends on whether
// it is kept: a large diff is not compared on every frame.
type body struct {
	key   uint64
	look  look
	rows  []string
	heads []int // the rows above the hunks
}

// of draws it, unless it is what was drawn last.
func (b *body) of(cur permissions.Question, l look, ds *diffs, w *write) (rows []string, heads []int) {
	if b.rows == nil || b.key != cur.Key || b.look != l {
		rows, heads := bodyRows(cur, l, ds, w)
		*b = body{cur.Key, l, rows, heads}
	}
	return b.rows[:len(b.rows):len(b.rows)], b.heads // what is appended to it does not stay
}

// bodyRows draws all that has to be read of a question. w is what the user makes of its
// write, nil where that is what was asked; heads are the rows above its hunks.
func bodyRows(cur permissions.Question, l look, ds *diffs, w *write) (rows []string, heads []int) {
	th := l.theme
	rows = text.WrapInk(th.Strong.Paint, cur.Heading, "", l.width)
	judged := false // the verdicts come below the first command or, without one, at the end
	for i, p := range cur.Body {
		switch p.Kind {
		case permissions.Command:
			rows = append(rows, text.WrapInk(th.Code.Paint, p.Text, "  ", l.width)...)
			if !judged {
				rows, judged = append(rows, verdictRows(cur, l)...), true
			}
		case permissions.Field:
			rows = append(rows, text.WrapInk(nil, p.Label+": "+p.Text, "  ", l.width)...)
		case permissions.Warning:
			rows = append(rows, text.WrapInk(th.Bad.Paint, "! "+p.Text, "  ", l.width)...)
		case permissions.Patch:
			rows = append(rows, patchRows(p, l)...)
		case permissions.Diff:
			rows = append(rows, text.WrapInk(th.Strong.Paint, p.Path, "  ", l.width)...)
			if cur.Change == nil || !w.picking() && !w.changed() {
				rows = append(rows, diffRows(ds.part(cur.Key, i, p), l)...)
				break
			}
			above := len(rows)
			drawn, at := w.rows(l)
			rows, heads = append(rows, drawn...), at
			for k := range heads {
				heads[k] += above
			}
		default:
			rows = append(rows, text.WrapInk(nil, p.Text, "  ", l.width)...)
		}
	}
	if !judged {
		rows = append(rows, verdictRows(cur, l)...)
	}
	if cur.Words != "" {
		rows = append(rows, text.WrapInk(th.Dim.Paint, "agent's words: \""+cur.Words+"\"", "", l.width)...)
	}
	return rows, heads
}

// diffRows draws all of a diff, side by side where the question has a screen that is wide
// enough to itself.
func diffRows(d *Diff, l look) []string {
	rows, _ := d.lines.Draw(diff.Look{Width: l.width - 2, Sides: l.sides, Syntax: d.syntax, Theme: l.theme})
	for i, r := range rows {
		rows[i] = "  " + r
	}
	return rows
}

// patchRows draws all of a patch, each file with its name. One that has more to it than
// lines, such as what is binary, is shown as it is.
func patchRows(p permissions.Part, l look) (rows []string) {
	files := diff.ParsePatch(p.Text)
	for _, f := range files {
		if f.Binary || f.Text != "" || f.Diff == nil {
			return text.WrapInk(nil, p.Text, "  ", l.width)
		}
	}
	for _, f := range files {
		name := f.Path
		switch {
		case f.Path == "":
			name = f.OldPath + " (deleted)"
		case f.OldPath == "":
			name += " (new)"
		case f.OldPath != f.Path:
			name = f.OldPath + " → " + f.Path
		}
		if f.OldMode != "" {
			name += " (mode " + f.OldMode + " → " + f.NewMode + ")"
		}
		rows = append(rows, text.WrapInk(l.theme.Strong.Paint, name, "  ", l.width)...)
		drawn, _ := f.Diff.Draw(diff.Look{Width: l.width - 2, Sides: l.sides, Theme: l.theme})
		for _, r := range drawn {
			rows = append(rows, "  "+r)
		}
	}
	return rows
}

// detailRows are what the agent sent besides.
func detailRows(cur permissions.Question, l look) []string {
	s := cur.Details
	if s == "" {
		s = "the agent sent nothing else about it"
	}
	return append([]string{""}, text.WrapInk(l.theme.Dim.Paint, s, "  ", l.width)...)
}

// verdictRows is the tree of what a question is about, each part with what becomes of
// it. Nothing of it is cut.
func verdictRows(cur permissions.Question, l look) []string {
	verdicts := cur.Breakdown()
	if len(verdicts) == 0 {
		return nil
	}
	longest := 0
	for _, v := range verdicts {
		longest = max(longest, text.Width(oneRow(v.Text)))
	}
	column := min(longest, max(12, l.width/2-6))
	var rows []string
	for i, v := range verdicts {
		branch, below := "├ ", "│ "
		if i == len(verdicts)-1 {
			branch, below = "└ ", "  "
		}
		s := text.Wrap(oneRow(v.Text), column)
		ink, words := verdictWords(v, l.theme)
		said := text.Wrap(words, max(1, l.width-column-6))
		for k := range max(len(s), len(said)) {
			row := "  " + l.theme.Faint.Paint(branch)
			if k < len(s) {
				row += s[k]
			}
			if k < len(said) {
				row += strings.Repeat(" ", column+6-text.Width(row)) + ink.Paint(said[k])
			}
			rows, branch = append(rows, row), below
		}
	}
	return rows
}

// oneRow is a raw text made visible; all of it is shown above.
func oneRow(s string) string {
	return strings.Join(strings.Fields(safetext.Visible(s)), " ")
}

// verdictWords says what becomes of a part, and in which ink.
func verdictWords(v permissions.Verdict, th *theme.Theme) (theme.Ink, string) {
	ink := th.Dim
	switch {
	case v.Effect == permissions.Deny, v.Marks.Grave():
		ink = th.Bad
	case v.Effect == permissions.Confirm, v.Marks != 0, v.Effect == permissions.None && v.Why != "":
		ink = th.Warn
	case v.Effect == permissions.Allow:
		ink = th.Good
	}
	return ink, safetext.Line(v.Description(), 1000)
}

// frameInk is the colour of a question's frame where it reaches further than the project:
// nil where it does not.
func frameInk(cur permissions.Question, th *theme.Theme) *theme.Ink {
	switch marks := cur.Judgement.Marks(); {
	case th.Bad.Spec().Fg == nil: // the words alone say it
	case marks.Grave() || cur.Secret:
		return &th.Bad
	case marks != 0:
		return &th.Warn
	}
	return nil
}
