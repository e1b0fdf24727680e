package terminal

import (
	"strings"
	"unicode/utf8"
)

// tail keeps the newest limit bytes of what is written to it.
type tail struct {
	limit     int
	buf       []byte // grows up to limit, then is written round and round
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
		if need := len(t.buf) + k; need > cap(t.buf) { // append would take more than the limit
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

// shrink lowers the limit and drops what is over it.
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

// since returns the newest bytes of those behind the first from, at most most of them.
func (t *tail) since(from uint64, most int) []byte {
	all := t.bytes()
	return all[len(all)-int(min(t.total-from, uint64(most), uint64(len(all)))):]
}

// text returns what is kept as valid UTF-8 of at most limit bytes. Half a character at the beginning is what was cut
// off and is left out; one at the end is held back while more may come. Bad bytes become U+FFFD, each longer than what
// it stands for, so that the text may have to lose more of its beginning.
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

// afterCut drops the rest of a character whose beginning is gone.
func afterCut(p []byte) []byte {
	for i := 0; i < len(p) && i < utf8.UTFMax; i++ {
		if utf8.RuneStart(p[i]) {
			return p[i:]
		}
	}
	return p[min(len(p), utf8.UTFMax-1):]
}

// unfinished returns how many bytes at the end begin a character that is not complete.
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
