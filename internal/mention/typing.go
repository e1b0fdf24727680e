package mention

import (
	"strings"

	"parley/internal/lazy"
)

// Word is a mention being typed: it ends at the cursor.
type Word struct {
	Start int    // position of the @ in the text before the cursor, in bytes
	Query string // the path so far
	Lines string // ":10-20" after it, as far as typed
}

// Typed returns the mention at the end of text, which is all text before the cursor, or its
// last line if no fence is open.
func Typed(text string) (Word, bool) {
	line := text[strings.LastIndexByte(text, '\n')+1:]
	for end := len(line); ; {
		i := strings.LastIndexByte(line[:end], '@')
		if i < 0 {
			return Word{}, false
		}
		end = i
		if !startsWord(line[:i]) {
			continue
		}
		w, ok := typedAfter(line[i+1:])
		if !ok {
			return Word{}, false
		}
		w.Start = len(text) - len(line) + i
		return w, !inCode(text[:w.Start])
	}
}

// typingLines are line numbers being typed after a path.
var typingLines = lazy.Regexp(`:(?:[1-9][0-9]{0,8}(?:[-:][0-9]{0,9})?)?$`)

// typedAfter reads the text between an @ and the cursor.
func typedAfter(s string) (Word, bool) {
	if path, n, ok := quoted(s); ok {
		lines := s[n:]
		return Word{Query: path, Lines: lines}, lines == "" || typingLines().FindString(lines) == lines
	}
	if open, isQuoted := strings.CutPrefix(s, `"`); isQuoted {
		return Word{Query: open}, len(open) <= maxPath && !strings.ContainsRune(open, '"')
	}
	if wordLen(s) < len(s) || len(s) > maxPath {
		return Word{}, false
	}
	if loc := typingLines().FindStringIndex(s); loc != nil && loc[0] > 0 {
		return Word{Query: s[:loc[0]], Lines: s[loc[0]:]}, true
	}
	return Word{Query: s}, true
}

// inCode reports whether text that follows is in a fence, or after an open backtick of its
// line.
func inCode(text string) bool {
	line := text[strings.LastIndexByte(text, '\n')+1:]
	probe := text + "`"
	if strings.Count(line, "`")%2 == 1 {
		return true
	}
	for _, s := range codeSpans(probe) {
		if s.start < len(text) && s.end == len(probe) {
			return true
		}
	}
	return false
}

// Unclosed reports whether a fence is still open at the end of a text.
func Unclosed(text string) bool { return inCode(text + "\n\n") }
