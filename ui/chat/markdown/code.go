package markdown

import (
	"strings"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"

	"parley/internal/safetext"
	"parley/ui/widget/syntax"
)

// codeIndent is the room before a line of code.
const codeIndent = 2

// maxLexers bounds the languages a renderer remembers; an unknown name costs
// chroma some milliseconds, so the names are the agent's to waste.
const maxLexers = 64

// lexer is a language; chroma is nil if there is no such language.
type lexer struct {
	chroma chroma.Lexer
}

// codeTail remembers the highlighted lines of the fence that is growing.
type codeTail struct {
	lang  string
	code  string // whole lines
	lines []line
	width int
}

// fence renders a fence or a piece of one.
func (r *Renderer) fence(b Block, width int) []line {
	code := safetext.Clean(b.code())
	if b.strip > 0 {
		code = unindent(code, b.strip)
	}
	if !b.Open {
		return r.code(code, b.Lang, width)
	}
	return r.openFence(code, b.Lang, width)
}

// openFence highlights each line once, when it is complete.
func (r *Renderer) openFence(code, lang string, width int) []line {
	t := &r.tail
	if t.lang != lang || t.width != width || !strings.HasPrefix(code, t.code) {
		*t = codeTail{lang: lang, width: width}
	}
	whole := strings.LastIndexByte(code, '\n') + 1
	for len(t.code) < whole {
		n := len(t.code) + strings.IndexByte(code[len(t.code):], '\n') + 1
		t.lines = append(t.lines, r.code(code[len(t.code):n], lang, width)...)
		t.code = code[:n]
	}
	lines := t.lines[:len(t.lines):len(t.lines)]
	if whole < len(code) {
		lines = append(lines, r.code(code[whole:], "", width)...)
	}
	return lines
}

// code renders lines of code: highlighted, indented, broken where the row ends.
func (r *Renderer) code(code, lang string, width int) []line {
	code = strings.TrimSuffix(code, "\n")
	inner, used := r.inner(width, codeIndent)
	var lines []line
	indent := piece{text: "  "[:used]}
	for _, l := range splitPieces(r.highlight(code, lang)) {
		rows := wrapHard(expandPieces(l), inner)
		if used > 0 {
			rows = prefixed(rows, indent, indent)
		}
		lines = append(lines, rows...)
	}
	return lines
}

// expandPieces expands tabs across pieces.
func expandPieces(pieces []piece) []piece {
	column := 0
	for i, p := range pieces {
		pieces[i].text = expandTabs(p.text, column)
		column += textWidth(pieces[i].text)
	}
	return pieces
}

// highlight colours code in a language, if there is such a one.
func (r *Renderer) highlight(code, lang string) (pieces []piece) {
	plain := []piece{{text: code}}
	lex := r.lexer(lang)
	if lex == nil || isBlank(code) || r.theme.keyword == (style{}) {
		return plain
	}
	defer func() {
		if recover() != nil {
			pieces = plain
		}
	}()
	it, err := lex.Tokenise(nil, code+"\n")
	if err != nil {
		return plain
	}
	size := 0
	for token := it(); token != chroma.EOF; token = it() {
		size += len(token.Value)
		pieces = appendPiece(pieces, token.Value, r.theme.token(token.Type))
	}
	if size != len(code)+1 { // a lexer that adds or loses something
		return plain
	}
	last := &pieces[len(pieces)-1]
	last.text = strings.TrimSuffix(last.text, "\n")
	return pieces
}

// lexer returns the lexer of that name, nil if there is none. Nothing is ever
// guessed from the code.
func (r *Renderer) lexer(lang string) chroma.Lexer {
	if lang == "" {
		return nil
	}
	if l, ok := r.lexers[lang]; ok {
		return l.chroma
	}
	if len(r.lexers) >= maxLexers {
		return nil
	}
	if r.lexers == nil {
		r.lexers = make(map[string]*lexer)
	}
	l := &lexer{}
	if strings.Trim(strings.ToLower(lang), "abcdefghijklmnopqrstuvwxyz0123456789+-_#.") == "" {
		if found := lexers.Get(lang); found != nil {
			l.chroma = chroma.Coalesce(found)
		}
	}
	r.lexers[lang] = l
	return l.chroma
}

// token returns the style of a token.
func (t palette) token(typ chroma.TokenType) style {
	switch syntax.Of(typ) {
	case syntax.Inserted:
		return t.added
	case syntax.Deleted:
		return t.deleted
	case syntax.Comment:
		return t.comment
	case syntax.Number:
		return t.number
	case syntax.Keyword:
		return t.keyword
	case syntax.String:
		return t.text
	case syntax.Function:
		return t.name
	}
	return style{}
}
