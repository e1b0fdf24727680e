package record

import (
	"bytes"

	"parley/internal/jsonscan"
	"parley/internal/redact"
)

// Streams of messages differ in little but their texts. What a message was like
// that had nothing to redact, all but what its plain texts say, is remembered: one
// that is the same between texts which have nothing to redact either is sound JSON
// without secrets too, found with a comparison in place of two passes over it.
//
// It may be assumed of a learned message that it was sound, and that its redaction
// left every byte as it was. FuzzShapes holds this against the passes.

const (
	maxShape  = 4 << 10 // bytes of a message between its texts
	maxPlain  = 64      // texts of a message
	shapeKeep = 4       // shapes that are remembered
)

// shape is what stands between the plain texts of a message: bytes holds the parts
// end to end, ends where each ends. The last part has no text behind it.
type shape struct {
	bytes []byte
	ends  []int
}

// shapes are those that were learned. One goroutine.
type shapes struct {
	known [shapeKeep]shape
	last  int // which fitted last
	next  int // which is to be forgotten
}

// fit tells whether msg is like a message that was learned.
func (s *shapes) fit(msg []byte) bool {
	for i := range s.known {
		k := (s.last + i) % shapeKeep
		if s.known[k].fits(msg) {
			s.last = k
			return true
		}
	}
	return false
}

// learn remembers a message that redaction left as it was; texts are its plain
// ones, in their order.
func (s *shapes) learn(msg []byte, texts []redact.Span) {
	inner := 0
	for _, t := range texts {
		inner += t.To - t.From
	}
	if len(texts) > maxPlain || len(msg)-inner > maxShape {
		return
	}
	k := &s.known[s.next]
	s.last, s.next = s.next, (s.next+1)%shapeKeep
	k.bytes, k.ends = k.bytes[:0], k.ends[:0]
	at := 0
	for _, t := range append(texts, redact.Span{From: len(msg), To: len(msg)}) {
		k.bytes = append(k.bytes, msg[at:t.From]...)
		k.ends = append(k.ends, len(k.bytes))
		at = t.To
	}
}

func (k *shape) fits(msg []byte) bool {
	if len(k.ends) == 0 {
		return false
	}
	at, last := 0, len(k.ends)-1
	for _, end := range k.ends[:last] {
		part := k.bytes[at:end]
		if !bytes.HasPrefix(msg, part) {
			return false
		}
		stop := jsonscan.SoundEnd(msg, len(part)-1) - 1 // part ends with the quote before the text
		if stop < len(part) || redact.Suspect(msg[len(part):stop]) {
			return false
		}
		msg, at = msg[stop:], end
	}
	return bytes.Equal(msg, k.bytes[at:])
}
