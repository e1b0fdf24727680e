package mention

import (
	"regexp"
	"strings"
)

// Word is a mention that is being typed: it ends at the cursor.
type Word struct {
	Start int    // the byte of the @ in the text before the cursor
	Query string // what of the path is there
	Lines string // ":10-20" behind it, as far as it is typed
}

// Typed returns the mention that the text before the cursor ends in. Text is all
// that stands before the cursor, or the last line of it where no fence is open.
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
		w, ok := typedBehind(line[i+1:])
		if !ok {
			return Word{}, false
		}
		w.Start = len(text) - len(line) + i
		return w, !inCode(text[:w.Start])
	}
}

// typingLines are lines behind a path that are being typed.
var typingLines = regexp.MustCompile(`:(?:[1-9][0-9]{0,8}(?:[-:][0-9]{0,9})?)?$`)

// typedBehind reads what stands between an @ and the cursor.
func typedBehind(s string) (Word, bool) {
	if path, n, ok := quoted(s); ok {
		lines := s[n:]
		return Word{Query: path, Lines: lines}, lines == "" || typingLines.FindString(lines) == lines
	}
	if open, isQuoted := strings.CutPrefix(s, `"`); isQuoted {
		return Word{Query: open}, len(open) <= maxPath && !strings.ContainsRune(open, '"')
	}
	if wordLen(s) < len(s) || len(s) > maxPath {
		return Word{}, false
	}
	if loc := typingLines.FindStringIndex(s); loc != nil && loc[0] > 0 {
		return Word{Query: s[:loc[0]], Lines: s[loc[0]:]}, true
	}
	return Word{Query: s}, true
}

// inCode tells whether what follows a text is in a fence, or behind a backtick
// of its line that is open.
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
