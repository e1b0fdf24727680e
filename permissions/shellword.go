package permissions

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// literal returns the text of a word, and why it is not known, or "".
func literal(w *syntax.Word) (text, why string) {
	if text, why = withMarks(w, ""); why == "" && strings.Contains(text, markGlob) {
		return w.Lit(), whyGlob
	}
	return text, why
}

// Marks precede what is known only when a word is expanded: a * or ? of a pattern, and a variable,
// which also ends with a mark. A line that contains these characters is not judged.
const (
	markGlob     = "\x01"
	markVariable = "\x02"
)

// Why words with marks are unknown.
const (
	whyGlob  = "cannot tell which files a pattern matches"
	whyLater = "a word of it is only known when it runs"
)

// withMarks returns the text of a word with marks. Without the line, no variable is recognised.
func withMarks(w *syntax.Word, line string) (text, why string) {
	if lit := w.Lit(); lit == "[" || lit == "=" { // the command, and its operator
		return lit, ""
	}
	var b strings.Builder
	escapes := false
	for i, p := range w.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			if why = addUnquoted(&b, p.Value, i == 0); why != "" {
				return w.Lit(), why
			}
		case *syntax.SglQuoted:
			if p.Dollar { // shells disagree on some escapes, so only rules that deny use the text
				escapes = true
				// Not nil: all calls with nil share one Config, which they write to.
				decoded, _, _ := expand.Format(new(expand.Config), p.Value, nil)
				b.WriteString(decoded)
				continue
			}
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			if why = quoted(&b, p, line); why != "" {
				return "", why
			}
		default:
			if why = expansion(&b, p, line); why != "" {
				return "", why
			}
		}
	}
	text = b.String()
	if strings.Contains(text, markGlob+"*"+markGlob+"*") {
		return w.Lit(), whyGlob // ** crosses directories in some shells
	}
	if escapes {
		return text, ansiQuotes
	}
	return text, ""
}

// expansion adds a variable that the shell itself sets.
func expansion(b *strings.Builder, p syntax.WordPart, line string) (why string) {
	e, ok := p.(*syntax.ParamExp)
	if !ok || !ownVariable(line, e) {
		return whyLater
	}
	b.WriteString(markVariable + line[e.Pos().Offset():e.End().Offset()] + markVariable)
	return ""
}

// ansiQuotes is the reason for $'...'.
const ansiQuotes = "has escapes that parley cannot read"

// addUnquoted adds unquoted text.
func addUnquoted(b *strings.Builder, s string, first bool) (why string) {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\' && i+1 < len(s):
			if i++; s[i] != '\n' { // a backslash before a newline continues the line
				b.WriteByte(s[i])
			}
		case c == '*', c == '?':
			b.WriteString(markGlob + string(c))
		case c == '[':
			return whyGlob
		case c == '{' && !strings.HasPrefix(s[i:], "{}"):
			return "it has braces, which shells read in different ways"
		case c == '=' && i == 0 && first && s != "==":
			return "zsh looks up a word of it as a program"
		case c == '~' && (i == 0 && first || strings.HasSuffix(b.String(), "=") || strings.HasSuffix(b.String(), ":")):
			if i > 0 || len(s) > 1 && s[1] != '/' {
				return "cannot tell whose home directory it means"
			}
			b.WriteByte('~')
		default:
			b.WriteByte(c)
		}
	}
	return ""
}

// quoted adds text between double quotes.
func quoted(b *strings.Builder, q *syntax.DblQuoted, line string) (why string) {
	if q.Dollar {
		return "has text that the shell translates"
	}
	for _, p := range q.Parts {
		if c, ok := p.(*syntax.CmdSubst); ok {
			text, ok := catsText(c, line)
			if !ok {
				return whyLater
			}
			b.WriteString(text)
			continue
		}
		lit, ok := p.(*syntax.Lit)
		if !ok {
			if why = expansion(b, p, line); why != "" {
				return why
			}
			continue
		}
		for s := lit.Value; s != ""; {
			if s[0] == '\\' && len(s) > 1 && strings.IndexByte("$`\"\\\n", s[1]) >= 0 {
				if s[1] != '\n' {
					b.WriteByte(s[1])
				}
				s = s[2:]
				continue
			}
			b.WriteByte(s[0])
			s = s[1:]
		}
	}
	return ""
}

// stateful reports whether a part changes what the others mean.
func (r *reader) stateful() bool {
	return slices.ContainsFunc(r.parts, func(p part) bool {
		return len(p.words) > 0 && p.wrapped == notWrapped && (has(p.words[0], "changes") || p.words[0] == "printf" && len(p.words) > 1 && strings.HasPrefix(p.words[1], "-v"))
	})
}

// unseen reports whether a line has characters that a reader cannot see, or may mistake for a
// space.
func unseen(line string) bool {
	for i, c := range line {
		switch {
		case c == '\n' || c == '\t' || c >= ' ' && c < 0x7f:
		case unicode.IsControl(c), unicode.IsSpace(c), unicode.Is(unicode.Cf, c), unicode.Is(unicode.Other_Default_Ignorable_Code_Point, c), c == '\u2800':
			return true
		case c == utf8.RuneError && !strings.HasPrefix(line[i:], "\ufffd"):
			return true
		}
	}
	return false
}
