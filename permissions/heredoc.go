package permissions

import (
	"path"
	"slices"
	"strings"

	"parley/internal/lazy"

	"mvdan.cc/sh/v3/syntax"
)

// onlyWraps reports whether a command is a shell that only runs the one line it is given:
// bash -lc LINE. A login shell also runs the user's own profile.
func onlyWraps(words []string) bool {
	words, _ = core(words, "")
	dir, name := path.Split(words[0])
	if len(words) < 3 || dir != "" && !slices.Contains(systemDirs, path.Clean(dir)) || !has(name, "posix") {
		return false
	}
	options, line := words[1:len(words)-1], words[len(words)-1]
	for len(options) > 1 {
		switch o := options[0]; {
		case o == "-l", o == "-e", o == "-u", o == "-x", o == "-eu", o == "-ex", o == "-eux", o == "--login", o == "--norc", o == "--noprofile":
			options = options[1:]
		case (o == "-o" || o == "-eo" || o == "-euo" || o == "-euxo") && options[1] == "pipefail" && len(options) > 2:
			options = options[2:]
		default:
			return false
		}
	}
	return options[0] != "" && options[0][0] == '-' && strings.HasSuffix(options[0], "c") && strings.Trim(options[0][1:], "leuxc") == "" && !strings.HasPrefix(line, "-")
}

// texts adds the cat of each "$(cat <<'END' …)" in a word.
func (r *reader) texts(w *syntax.Word) {
	syntax.Walk(w, func(n syntax.Node) bool {
		if c, ok := n.(*syntax.CmdSubst); ok {
			r.parts = append(r.parts, part{text: r.source(c.Stmts[0].Cmd), words: []string{"cat"}, known: 1, dir: r.dir, free: true})
			return false
		}
		return true
	})
}

// catsText returns the text of "$(cat <<'END' …)", which agents write to quote a text: cat with
// a quoted here-document and nothing else.
func catsText(c *syntax.CmdSubst, line string) (text string, ok bool) {
	if line == "" || c.TempFile || c.ReplyVar || len(c.Stmts) != 1 || len(c.Last) > 0 || !strings.HasPrefix(line[c.Pos().Offset():], "$(") {
		return "", false
	}
	s := c.Stmts[0]
	call, simple := s.Cmd.(*syntax.CallExpr)
	if !simple || len(s.Comments) > 0 || s.Negated || s.Background || s.Coprocess || s.Disown || len(s.Redirs) != 1 || len(call.Assigns) > 0 || len(call.Args) != 1 || call.Args[0].Lit() != "cat" {
		return "", false
	}
	d := s.Redirs[0]
	if d.Op != syntax.Hdoc || d.N != nil || d.Hdoc == nil || len(d.Word.Parts) != 1 || len(d.Hdoc.Parts) > 1 {
		return "", false
	}
	if _, quoted := d.Word.Parts[0].(*syntax.Lit); quoted {
		return "", false
	}
	if end, why := literal(d.Word); why != "" || !plainEnd().MatchString(end) {
		return "", false
	}
	if len(d.Hdoc.Parts) == 1 {
		lit, ok := d.Hdoc.Parts[0].(*syntax.Lit)
		if !ok {
			return "", false
		}
		text = lit.Value
	}
	return strings.TrimRight(text, "\n"), endsAlike(text, line[c.End().Offset():])
}

// plainEnd matches the delimiter of a here-document.
var plainEnd = lazy.Regexp(`^[A-Za-z0-9_]+$`)

var (
	inParentheses = lazy.Regexp(`(^|[^\\])\([^()'"` + "`" + `\\\n]*\)`)
	noQuotes      = lazy.Regexp(`^[^'"` + "`" + `\\$(){}#<]*$`)
	noQuotesAfter = lazy.Regexp(`^"[^'"` + "`" + `\\$()#]*$`)
)

// endsAlike reports whether a text is safe for shells that find the end of $( by counting
// parentheses outside quotes, such as bash 3.2 on macOS: they may end it too early or too late.
func endsAlike(text, after string) bool {
	rest := text
	for short := ""; short != rest; {
		short, rest = rest, inParentheses().ReplaceAllString(rest, "$1")
	}
	early := strings.Contains(rest, ")") && strings.ContainsAny(text, "\"$`")
	late := !noQuotes().MatchString(rest) || strings.Contains(text, "#")
	return !early && (!late || noQuotesAfter().MatchString(after))
}
