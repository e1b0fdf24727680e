package chat

import (
	"encoding/json"
	"slices"
	"strings"

	"parley/internal/safetext"
)

// maxRead bounds how much of a call's raw input and output is read before it is
// drawn, in bytes. What is copied, or searched, is all of it.
const maxRead = 256 << 10

// outputKeys are the members of raw output that hold what there is to read.
var outputKeys = []string{"output", "formatted_output", "stdout", "content", "text", "message", "error"}

// shownRaw is rawText, of long output its beginning.
func shownRaw(raw string) string {
	if len(raw) <= maxRead {
		return rawText(raw)
	}
	text, cut, ok := beginning(raw, outputKeys)
	switch {
	case !ok:
		return raw
	case cut:
		return text + "\n… of " + size(len(raw)) + " this is the beginning"
	}
	return text
}

// beginning is the string that JSON is, or the first one that an object has under
// one of the keys, as far as it can be read soon; cut says that there is more.
func beginning(raw string, keys []string) (text string, cut, ok bool) {
	literal := stringIn(strings.TrimLeft(raw[:min(len(raw), maxRead)], jsonBlanks), keys)
	if literal == "" {
		return "", false, false
	}
	if end := closing(literal, 0); end > 0 {
		literal = literal[:end]
	} else {
		literal, cut = whole(literal)+`"`, true
	}
	if json.Unmarshal([]byte(literal), &text) != nil {
		return "", false, false
	}
	return safetext.Clean(text), cut, true
}

const jsonBlanks = " \t\r\n"

// stringIn finds a string literal in JSON and returns what begins with it; ""
// where there is none.
func stringIn(raw string, keys []string) string {
	if strings.HasPrefix(raw, `"`) {
		return raw
	}
	depth := 0
	for i := 0; i < len(raw); i++ {
		switch raw[i] {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		case '"':
			end := closing(raw, i)
			if end < 0 {
				return ""
			}
			key := raw[i+1 : end-1]
			i = end - 1
			value, named := strings.CutPrefix(strings.TrimLeft(raw[end:], jsonBlanks), ":")
			if !named || depth != 1 || !slices.Contains(keys, key) {
				continue
			}
			if value = strings.TrimLeft(value, jsonBlanks); strings.HasPrefix(value, `"`) && !strings.HasPrefix(value, `""`) {
				return value
			}
		}
	}
	return ""
}

// closing is where a string literal ends that begins at i, behind its quote; -1
// where it does not.
func closing(raw string, i int) int {
	for i++; i < len(raw); i++ {
		switch raw[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return -1
}

// whole takes the half of an escape, or of a character, off the end of a literal.
func whole(literal string) string {
	i := 1
	for i < len(literal) {
		n := 1
		if rest := literal[i:]; rest[0] == '\\' {
			n = 2
			if len(rest) > 3 && rest[1] == 'u' {
				n = len(`\u0000`)
				if rest[2]|0x20 == 'd' && strings.IndexByte("89abAB", rest[3]) >= 0 {
					n *= 2 // the first half of a pair
				}
			} else if len(rest) > 1 && rest[1] == 'u' {
				break
			}
		}
		if i+n > len(literal) {
			break
		}
		i += n
	}
	return strings.ToValidUTF8(literal[:i], "")
}
