package transport

import (
	"bytes"
	"strings"
	"sync"
)

// Ring keeps the newest bytes written to it. It may be used by several goroutines. It
// returns valid UTF-8, but control characters are left for the reader to remove.
type Ring struct {
	mu      sync.Mutex
	size    int
	buf     []byte // grows up to size, then is overwritten in a circle
	next    int    // position of the next byte once buf is full
	dropped int64
}

// NewRing returns a ring that keeps size bytes.
func NewRing(size int) *Ring { return &Ring{size: max(size, 0)} }

// Write keeps the newest bytes of p. It never fails.
func (r *Ring) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := len(p)
	if over := len(p) - r.size; over > 0 {
		r.dropped += int64(over)
		p = p[over:]
	}
	if free := r.size - len(r.buf); free > 0 {
		k := min(free, len(p))
		r.buf = append(r.buf, p[:k]...)
		p = p[k:]
	}
	r.dropped += int64(len(p))
	for len(p) > 0 {
		k := copy(r.buf[r.next:], p)
		p = p[k:]
		r.next = (r.next + k) % r.size
	}
	return n, nil
}

// Dropped returns how many bytes have been overwritten.
func (r *Ring) Dropped() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.dropped
}

// String returns what is kept, oldest first.
func (r *Ring) String() string {
	kept, _ := r.kept()
	return strings.ToValidUTF8(string(kept), "\uFFFD")
}

// Tail returns the last n complete lines without their line ends, fewer if the ring holds
// fewer. A line whose beginning was dropped is left out unless it is the only one.
func (r *Ring) Tail(n int) []string {
	kept, dropped := r.kept()
	kept = bytes.TrimRight(kept, "\r\n")
	if len(kept) == 0 || n <= 0 {
		return nil
	}
	if i := bytes.IndexByte(kept, '\n'); dropped > 0 && i >= 0 {
		kept = kept[i+1:]
	}
	lines := strings.Split(strings.ToValidUTF8(string(kept), "\uFFFD"), "\n")
	lines = lines[max(0, len(lines)-n):]
	for i, line := range lines {
		lines[i] = strings.TrimSuffix(line, "\r")
	}
	return lines
}

func (r *Ring) kept() ([]byte, int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	kept := make([]byte, 0, len(r.buf))
	kept = append(kept, r.buf[r.next:]...)
	return append(kept, r.buf[:r.next]...), r.dropped
}
