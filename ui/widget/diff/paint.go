package diff

import (
	"sync/atomic"

	"parley/internal/text"
	"parley/ui/theme"
	"parley/ui/widget/syntax"
)

// kindInks paint the lines of one kind: those that were added, those that were deleted, or the context.
type kindInks struct {
	sign   string
	mark   text.Pen // of the sign
	text   text.Pen
	word   text.Pen // what changed in a line that is much like another
	code   [syntax.Classes]text.Pen
	filled bool // its ground extends to the end of the row
}

// diffInks are the inks that a theme has for diffs.
type diffInks struct {
	th *theme.Theme

	number                  text.Pen
	context, added, deleted kindInks
}

// lastInks are those of the theme that was used last: making them takes longer than drawing a row.
var lastInks atomic.Pointer[diffInks]

func inksOf(th *theme.Theme) *diffInks {
	if in := lastInks.Load(); in != nil && in.th == th {
		return in
	}
	in := makeInks(th)
	lastInks.Store(in)
	return in
}

func makeInks(th *theme.Theme) *diffInks {
	kind := func(sign string, line, word theme.Ink) kindInks {
		p := text.PenOf(line.Paint)
		return kindInks{sign: sign, mark: p, text: p, word: text.PenOf(word.Paint)}
	}
	in := &diffInks{
		th: th, number: text.PenOf(th.DiffLineNumber.Paint),
		context: kind(" ", th.DiffContext, th.DiffContext),
		added:   kind("+", th.DiffAdd, th.DiffAddWord),
		deleted: kind("-", th.DiffDel, th.DiffDelWord),
	}
	coloured := Colours(th)
	if coloured {
		in.added.ground(th.DiffAddLine, th)
		in.deleted.ground(th.DiffDelLine, th)
	}
	for _, k := range []*kindInks{&in.context, &in.added, &in.deleted} {
		for class := range k.code {
			k.code[class] = k.text
		}
		if !coloured {
			continue
		}
		for class, ink := range map[syntax.Class]theme.Ink{syntax.Keyword: th.Keyword, syntax.Function: th.Function, syntax.String: th.String,
			syntax.Number: th.Number, syntax.Comment: th.Comment} {
			k.code[class] = text.PenOf(ink.Paint)
			k.code[class].Bg = k.text.Bg
		}
	}
	return in
}

// Colours reports whether a theme colours the code in a diff. That needs a ground that shows what happened to a line;
// without one the whole line has the colour of its sign.
func Colours(th *theme.Theme) bool { return th.DiffAddLine.Spec().Bg != nil }

// ground lays the lines of a kind on a background, or their signs only.
func (k *kindInks) ground(ink theme.Ink, th *theme.Theme) {
	k.text, k.filled = text.PenOf(ink.Paint), true
	k.mark.Bg = k.text.Bg
	if th.DiffSigns {
		k.text, k.filled = text.PenOf(th.DiffContext.Paint), false
	}
}

// run is a stretch of a line in one ink, up to the byte to.
type run struct {
	to  int
	ink text.Pen
}

// runs cuts the first n bytes of a line into stretches of one ink. Marks take precedence over the classes of code.
func (k *kindInks) runs(dst []run, n int, marks []span, code []syntax.Span) []run {
	dst = dst[:0]
	for at := 0; at < n; {
		for len(marks) > 0 && marks[0].to <= at {
			marks = marks[1:]
		}
		for len(code) > 0 && code[0].To <= at {
			code = code[1:]
		}
		to, ink := n, k.text
		if len(code) > 0 {
			to, ink = min(to, code[0].To), k.code[code[0].Class]
		}
		if len(marks) > 0 {
			if marks[0].from <= at {
				to, ink = min(n, marks[0].to), k.word
			} else {
				to = min(to, marks[0].from)
			}
		}
		if last := len(dst) - 1; last >= 0 && dst[last].ink == ink {
			dst[last].to = to
		} else {
			dst = append(dst, run{to, ink})
		}
		at = to
	}
	return dst
}
