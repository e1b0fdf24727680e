package gateway

import (
	"bytes"
	"errors"
	"unicode/utf8"

	"parley/internal/jsonscan"
)

// maxID is the longest id of a session or request, in bytes.
const maxID = 1024

// headerSafe reports whether the id of a session is valid in a header: printable ASCII, no
// space at either end, at most maxID bytes.
func headerSafe(id string) bool {
	if id == "" || len(id) > maxID || id[0] == ' ' || id[len(id)-1] == ' ' {
		return false
	}
	for i := range len(id) {
		if id[i] < ' ' || id[i] > '~' {
			return false
		}
	}
	return true
}

var errNoJSON = errors.New("not JSON")

// relayed returns a copy of a line of the agent that is safe to send on. A carriage return,
// which is white space between tokens, would end a line of an event; invalid UTF-8 would
// end a WebSocket.
func relayed(line []byte) ([]byte, error) {
	switch jsonscan.KindOf(line) {
	case jsonscan.Object, jsonscan.Array:
	default:
		return nil, errNoJSON
	}
	if !utf8.Valid(line) {
		line = bytes.ToValidUTF8(line, []byte("\uFFFD"))
	} else {
		line = bytes.Clone(line)
	}
	for rest := line; ; {
		i := bytes.IndexByte(rest, '\r')
		if i < 0 {
			return line, nil
		}
		rest[i] = ' '
		rest = rest[i+1:]
	}
}
