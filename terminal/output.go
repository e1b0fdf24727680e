package terminal

import (
	"strings"
	"unicode/utf8"
)

// tail keeps the newest limit bytes of what is written to it.
type tail struct {
	limit     int
	buf       []byte // grows up to limit, then is a ring
	next      int    // where the next byte goes once buf is full
	total     uint64 // bytes written so far
	last      byte   // of them
	truncated bool   // stays once set
}

func (t *tail) write(p []byte) {
	if len(p) > 0 {
		t.total, t.last = t.total+uint64(len(p)), p[len(p)-1]
	}
	if over := len(p) - t.limit; over > 0 {
		t.truncated = true
		p = p[over:]
	}
	if free := t.limit - len(t.buf); free > 0 {
		k := min(free, len(p))
		if need := len(t.buf) + k; need > cap(t.buf) { // append would allocate more than the limit
			t.buf = append(make([]byte, 0, min(t.limit, max(need, 2*cap(t.buf)))), t.buf...)
		}
		t.buf = append(t.buf, p[:k]...)
		p = p[k:]
	}
	for len(p) > 0 {
		t.truncated = true
		k := copy(t.buf[t.next:], p)
		p = p[k:]
		if t.next += k; t.next == len(t.buf) {
			t.next = 0
		}
	}
}

// shrink lowers the limit and drops the oldest bytes over it.
func (t *tail) shrink(limit int) {
	if limit >= t.limit {
		return
	}
	all := t.bytes()
	if over := len(all) - limit; over > 0 {
		t.truncated = true
		all = all[over:]
	}
	t.limit, t.next = limit, 0
	t.buf = append([]byte(nil), all...)
}

func (t *tail) bytes() []byte {
	all := make([]byte, 0, len(t.buf))
	all = append(all, t.buf[t.next:]...)
	return append(all, t.buf[:t.next]...)
}

// since returns the newest bytes, at most most of them, of those after the first from.
func (t *tail) since(from uint64, most int) []byte {
	all := t.bytes()
	return all[len(all)-int(min(t.total-from, uint64(most), uint64(len(all)))):]
}

// text returns the kept output as valid UTF-8 of at most limit bytes. It leaves out a character
// that was cut at the beginning, and with more also an incomplete one at the end. Invalid bytes
// become U+FFFD, which is longer, so the text may lose more of its beginning.
func (t *tail) text(more bool) string {
	all := t.bytes()
	if t.truncated {
		all = afterCut(all)
	}
	if more {
		all = all[:len(all)-unfinished(all)]
	}
	text := strings.ToValidUTF8(string(all), "\uFFFD")
	if over := len(text) - t.limit; over > 0 {
		t.truncated = true
		for over < len(text) && !utf8.RuneStart(text[over]) {
			over++
		}
		text = text[over:]
	}
	return text
}

// afterCut drops the rest of a character whose beginning is missing.
func afterCut(p []byte) []byte {
	for i := 0; i < len(p) && i < utf8.UTFMax; i++ {
		if utf8.RuneStart(p[i]) {
			return p[i:]
		}
	}
	return p[min(len(p), utf8.UTFMax-1):]
}

// unfinished returns how many bytes at the end belong to an incomplete character.
func unfinished(p []byte) int {
	for n := 1; n <= len(p) && n < utf8.UTFMax; n++ {
		if tail := p[len(p)-n:]; utf8.RuneStart(tail[0]) {
			if utf8.FullRune(tail) {
				return 0
			}
			return n
		}
	}
	return 0
}
