package gateway

import (
	"bytes"

	"parley/internal/jsonscan"
)

// alike knows the notifications of a session that come in floods, without a pass
// over each: they differ in one string, the text of a chunk. Where the rest of a
// message is that of one that was read, and the string is no member's name and
// nothing that routing looks at, a pass would find the same session in it, for it
// goes from left to right and looks for nothing in such a string but its end.
//
// The zero value knows none. One goroutine may use it.
type alike struct {
	head, tail []byte // of the message, with the quotes of the string
	session    string

	misses int
	before []byte // a message that was read
}

const (
	maxAlike = 4 << 10 // bytes of a message that is kept
	// Of so many messages that are none of these, two are compared: where no two are
	// alike, that must not cost much.
	alikePause = 16
)

// find returns the session of a message that is like the one that was learned.
func (a *alike) find(msg []byte) (session string, ok bool) {
	if len(a.head) == 0 || !bytes.HasPrefix(msg, a.head) || !bytes.HasSuffix(msg, a.tail) {
		return "", false
	}
	from, to := len(a.head)-1, len(msg)-len(a.tail)+1
	return a.session, jsonscan.StringEnd(msg, from) == to
}

// learn looks at a message that was read: e is what was found in it, session what
// was made of that.
func (a *alike) learn(msg []byte, e *envelope, session string) {
	a.misses++
	turn := a.misses % alikePause
	if turn < 1 || turn > 2 || len(msg) > maxAlike {
		return
	}
	notification := e.id == nil && !e.isAnswer() && !e.named("$/cancel_request") && session != ""
	if turn == 2 && notification {
		a.differ(msg, e, session)
	}
	if a.before = a.before[:0]; notification {
		a.before = append(a.before, msg...)
	}
}

// differ learns a message that differs from the one before in one string.
func (a *alike) differ(msg []byte, e *envelope, session string) {
	least, most := 0, min(len(msg), len(a.before))
	for least < most && msg[least] == a.before[least] {
		least++
	}
	same := 0 // at the end
	for same < most-least && msg[len(msg)-1-same] == a.before[len(a.before)-1-same] {
		same++
	}
	start, end := stringAround(msg, least, len(msg)-same)
	if start < 0 || bytes.HasPrefix(bytes.TrimLeft(msg[end:], " \t\r\n"), []byte{':'}) {
		return
	}
	for _, looked := range [][]byte{e.method, e.session} {
		if at := cap(msg) - cap(looked); looked != nil && at == start {
			return
		}
	}
	a.head = append(a.head[:0], msg[:start+1]...)
	a.tail = append(a.tail[:0], msg[end-1:]...)
	a.session = session
}

// stringAround finds the string of a sound message that from and to are inside of,
// with its quotes; -1 where there is none.
func stringAround(msg []byte, from, to int) (start, end int) {
	for end < from {
		i := bytes.IndexByte(msg[end:from], '"')
		if i < 0 {
			break
		}
		start = end + i
		if end = jsonscan.StringEnd(msg, start); end < 0 {
			break
		}
	}
	if end > to && start < from {
		return start, end
	}
	return -1, -1
}
