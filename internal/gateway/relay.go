package gateway

import (
	"bytes"
	"errors"
	"unicode/utf8"

	"parley/internal/jsonscan"
)

// maxID is the most bytes that an id may have, of a session or of a request.
const maxID = 1024

// headerSafe tells whether a session's id can stand in a header: printable
// ASCII, no blank at either end, not endless.
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

// relayed makes a copy of a line of the agent that can be sent on: a carriage
// return, which between tokens is a blank, would end a line of an event; bytes
// that are no UTF-8 would end a WebSocket.
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
