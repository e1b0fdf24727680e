package transcript

import (
	"bytes"
	"slices"
	"strings"

	"parley/internal/jsonscan"
	"parley/internal/safetext"
	"parley/internal/words"
)

// maxRead bounds how much of a call's raw input and output is parsed for drawing, in
// bytes. Copying and searching use all of it.
const maxRead = 256 << 10

// outputKeys are the members of raw output that hold readable text.
var outputKeys = []string{"output", "formatted_output", "stdout", "content", "text", "message", "error"}

// shownRaw is rawText for drawing: of long output it returns the beginning.
func shownRaw(raw string) string {
	if len(raw) <= maxRead {
		return rawText(raw)
	}
	text, cut, ok := beginning(raw, outputKeys)
	switch {
	case !ok:
		return raw
	case cut:
		return text + "\n… first part of " + words.Bytes(len(raw))
	}
	return text
}

// beginning returns a JSON string, or the first string that an object has under one of
// the keys, up to maxRead; cut means that there is more.
func beginning(raw string, keys []string) (text string, cut, ok bool) {
	data := []byte(raw[:min(len(raw), maxRead)])
	at := jsonscan.CursorOf(data)
	literal := bytes.TrimLeft(data, jsonBlanks)
	if at.Enter() {
		literal = nil
		for literal == nil && at.Key() {
			wanted, start := slices.Contains(keys, string(at.Name)), at.Pos()
			at.Value()
			if value := at.From(start); wanted && bytes.HasPrefix(value, []byte(`"`)) && !bytes.HasPrefix(value, []byte(`""`)) {
				literal = value
			}
		}
	}
	if !bytes.HasPrefix(literal, []byte(`"`)) {
		return "", false, false
	}
	whole := jsonscan.CursorOf(literal)
	if end := whole.Value(); end != nil {
		text, ok = jsonscan.Text(end)
		return safetext.Clean(text), false, ok
	}
	for n := len(literal); n > max(0, len(literal)-len(`\u0000`)) && !ok; n-- { // it may be cut inside an escape
		text, ok = jsonscan.PartialText(append(literal[:n:n], '"'))
	}
	return safetext.Clean(strings.ToValidUTF8(text, "")), true, ok
}

const jsonBlanks = " \t\r\n"
