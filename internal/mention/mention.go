// Package mention finds the files that a prompt names with an @:
//
//	@path  @path:10  @path:10-20  @"path with spaces":10-20
//
// It reads only text and no file: the caller finds out whether a file exists, and leaves
// other mentions as text. Nothing counts inside code (fences and backticks), nor after a
// letter, as in a@b.c. All functions are pure.
package mention

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/internal/lazy"
)

// Mention is a part of a text that names a file.
type Mention struct {
	Start, End int    // its bytes, including the @
	Path       string // as written; never empty
	From, To   int    // lines from 1, both included; 0: the whole file
}

// maxPath bounds a path in bytes.
const maxPath = 4096

// Find returns the mentions of a text in order.
func Find(text string) []Mention {
	if strings.IndexByte(text, '@') < 0 {
		return nil
	}
	var out []Mention
	code := codeSpans(text)
	for at := 0; ; {
		i := strings.IndexByte(text[at:], '@')
		if i < 0 {
			return out
		}
		at += i
		for len(code) > 0 && code[0].end <= at {
			code = code[1:]
		}
		if len(code) > 0 && code[0].start <= at {
			at = code[0].end
			continue
		}
		limit := len(text)
		if len(code) > 0 {
			limit = code[0].start
		}
		m, ok := read(text[:limit], at)
		if !ok {
			at++
			continue
		}
		out = append(out, m)
		at = m.End
	}
}

// read reads the mention whose @ is at a byte of text.
func read(text string, at int) (Mention, bool) {
	if !startsWord(text[:at]) {
		return Mention{}, false
	}
	m := Mention{Start: at}
	rest := text[at+1:]
	if path, n, ok := quoted(rest); ok {
		m.Path, m.End = path, at+1+n
		m.End += m.lines(text[m.End:])
		return m, true
	}
	word := rest[:wordLen(rest)]
	word = strings.TrimPrefix(word, `"`) // of an unclosed quotation
	if len(word) < wordLen(rest) {
		return Mention{}, false
	}
	word = trimPunctuation(word)
	path := word
	if loc := tailLines().FindStringIndex(word); loc != nil {
		if n := m.lines(word[loc[0]:]); n > 0 && loc[0] > 0 {
			path = word[:loc[0]]
		}
	}
	if path == "" || len(path) > maxPath {
		return Mention{}, false
	}
	m.Path, m.End = path, at+1+len(word)
	return m, true
}

// startsWord reports whether an @ after this text begins a word. Scripts without spaces
// between words need none here.
func startsWord(before string) bool {
	r, n := utf8.DecodeLastRuneInString(before)
	return n == 0 || unicode.IsSpace(r) || strings.ContainsRune("([{<>\"'“‘«„,;:=|*—–", r) ||
		unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) || unicode.In(r, unicode.Ps, unicode.Po) && r > unicode.MaxASCII
}

// wordLen returns how many bytes belong to an unquoted path.
func wordLen(s string) int {
	for i, r := range s {
		if unicode.IsSpace(r) || unicode.IsControl(r) || strings.ContainsRune("\"`<>|@", r) && !(r == '"' && i == 0) && !(r == '@' && i > 0 && !startsWord(s[:i])) {
			return i
		}
	}
	return len(s)
}

// trimPunctuation removes punctuation that ends a sentence, and closing brackets that were
// not opened in the word.
func trimPunctuation(word string) string {
	for word != "" {
		r, n := utf8.DecodeLastRuneInString(word)
		switch {
		case strings.ContainsRune(".,;:!?'…’”»。，、；：！？）」』", r):
		case r == ')' && strings.Count(word, "(") < strings.Count(word, ")"),
			r == ']' && strings.Count(word, "[") < strings.Count(word, "]"),
			r == '}' && strings.Count(word, "{") < strings.Count(word, "}"):
		default:
			return word
		}
		word = word[:len(word)-n]
	}
	return ""
}

// Line numbers after a path: at the end of a word, or at the start of what follows a
// quotation. The second number of path:10:5 is a column.
var (
	tailLines = lazy.Regexp(`:[1-9][0-9]{0,8}(?:[-:][1-9][0-9]{0,8})?$`)
	headLines = lazy.Regexp(`^:([1-9][0-9]{0,8})(?:([-:])([1-9][0-9]{0,8}))?`)
)

// lines reads the line numbers that s begins with and returns their length.
func (m *Mention) lines(s string) int {
	found := headLines().FindStringSubmatch(s)
	if found == nil {
		return 0
	}
	m.From, _ = strconv.Atoi(found[1])
	m.To = m.From
	if found[2] == "-" {
		m.To, _ = strconv.Atoi(found[3])
		m.From, m.To = min(m.From, m.To), max(m.From, m.To)
	}
	return len(found[0])
}

// quoted reads "a path" at the start of s; it ends on the same line. Escapes are those of
// Go; an invalid one is a literal backslash, as in the paths of Windows.
func quoted(s string) (path string, n int, ok bool) {
	if !strings.HasPrefix(s, `"`) {
		return "", 0, false
	}
	for i := 1; i < len(s) && i <= 4*maxPath; i++ {
		switch s[i] {
		case '\n', '\r':
			return "", 0, false
		case '\\':
			if i+1 < len(s) && (s[i+1] == '"' || s[i+1] == '\\') {
				i++
			}
		case '"':
			inner := s[1:i]
			if path, err := strconv.Unquote(s[:i+1]); err == nil {
				inner = path
			}
			return inner, i + 1, inner != "" && len(inner) <= maxPath
		}
	}
	return "", 0, false
}

// Format returns the mention of a path, quoted if necessary, so that Find reads the same
// path.
func Format(path string) string {
	plain := "@" + path
	if found := Find(plain); len(found) == 1 && found[0] == (Mention{End: len(plain), Path: path}) && !odd(path) {
		return plain
	}
	return "@" + strings.ReplaceAll(strconv.Quote(path), "`", `\x60`) // a backtick would begin code
}

// odd reports whether a path has runes that must be escaped to be typed.
func odd(path string) bool {
	return !utf8.ValidString(path) || strings.ContainsFunc(path, func(r rune) bool { return !strconv.IsPrint(r) || r >= 0x100000 })
}
