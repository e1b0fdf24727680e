package question

import (
	"parley/internal/linediff"
	"parley/internal/safetext"
	"parley/internal/text"
	"parley/internal/words"
	"parley/permissions"
	"parley/ui/theme"
	"parley/ui/widget/diff"
)

// look is the layout and the theme of rows.
type look struct {
	lines
	theme *theme.Theme
}

// body caches the rows of a question that have to be read, so that a large diff is not
// laid out for each frame. What is drawn does not depend on it.
type body struct {
	key   uint64
	look  look
	rows  []string
	heads []int // indexes of the rows above the hunks
}

// cached returns the rows, from the cache where it holds them.
func (b *body) cached(cur permissions.Question, l look, ds *diffs, w *write) (rows []string, heads []int) {
	if b.rows == nil || b.key != cur.Key || b.look != l {
		rows, heads := bodyRows(cur, l, ds, w)
		*b = body{cur.Key, l, rows, heads}
	}
	return b.rows[:len(b.rows):len(b.rows)], b.heads // clipped: callers append to the rows
}

// bodyRows draws all that has to be read of a question. w holds the user's changes to its
// write, nil for none; heads are the indexes of the rows above its hunks.
func bodyRows(cur permissions.Question, l look, ds *diffs, w *write) (rows []string, heads []int) {
	th := l.theme
	ink := th.Strong
	if cur.Outside {
		ink = th.Bad
	}
	rows = text.WrapInk(ink.Paint, cur.Heading, "", l.width)
	judged := false // the verdicts follow the first command or, without one, everything else
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
			if !p.Named {
				rows = append(rows, text.WrapInk(th.Strong.Paint, p.Path, "  ", l.width)...)
			}
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
	if cur.Description != "" {
		rows = append(rows, text.WrapInk(th.Dim.Paint, "Agent's description: \""+cur.Description+"\"", "", l.width)...)
	}
	return rows, heads
}

// diffRows draws a whole diff, side by side if l asks for that.
func diffRows(d *Diff, l look) []string {
	rows, _ := diff.Draw(d.lines, diff.Look{Width: l.width - 2, Sides: l.sides, Syntax: d.syntax, Theme: l.theme})
	for i, r := range rows {
		rows[i] = "  " + r
	}
	return rows
}

// patchRows draws a whole patch, each file with its name. A patch with anything but text
// lines, such as a binary file, is shown verbatim.
func patchRows(p permissions.Part, l look) (rows []string) {
	files := linediff.ParsePatch(p.Text)
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
		if moved := f.OldPath != f.Path && f.OldPath != "" && f.Path != ""; !p.Named || moved || f.OldMode != "" {
			rows = append(rows, text.WrapInk(l.theme.Strong.Paint, name, "  ", l.width)...)
		}
		drawn, _ := diff.Draw(f.Diff, diff.Look{Width: l.width - 2, Sides: l.sides, Theme: l.theme})
		for _, r := range drawn {
			rows = append(rows, "  "+r)
		}
	}
	return rows
}

// detailRows draws the other data that the agent sent.
func detailRows(cur permissions.Question, l look) []string {
	s := cur.Details
	if s == "" {
		s = "The agent sent nothing else about it"
	}
	return append([]string{""}, text.WrapInk(l.theme.Dim.Paint, s, "  ", l.width)...)
}

// verdictRows draws the parts of a question as a tree, each with what the rules say of
// it. Nothing is cut.
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
				row = text.Pad(row, column+6) + ink.Paint(said[k])
			}
			rows, branch = append(rows, row), below
		}
	}
	return rows
}

// oneRow joins raw text into one row and makes control characters visible. The rows above
// the tree show the same text unjoined.
func oneRow(s string) string {
	return words.OneLine(safetext.Visible(s))
}

// verdictWords says what the rules decide about a part, and in which ink.
func verdictWords(v permissions.Verdict, th *theme.Theme) (theme.Ink, string) {
	ink := th.Dim
	switch {
	case v.Effect == permissions.Deny, v.Marks.Severe():
		ink = th.Bad
	case v.Effect == permissions.Confirm, v.Marks != 0, v.Effect == permissions.None && v.NoRuleReason != "":
		ink = th.Warn
	case v.Effect == permissions.Allow:
		ink = th.Good
	}
	return ink, safetext.Line(v.Description(), 1000)
}

// frameInk is the colour of the frame of a question that reaches outside the project, the
// network, a shell or a secret; nil for any other.
func frameInk(cur permissions.Question, th *theme.Theme) *theme.Ink {
	switch marks := cur.Judgement.Marks(); {
	case th.Bad.Spec().Fg == nil: // without colours the words of the verdicts say it
	case marks.Severe() || cur.Secret:
		return &th.Bad
	case marks != 0:
		return &th.Warn
	}
	return nil
}
