package record

import "bytes"

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

// span is a text in a message, without its quotes.
type span struct{ from, to int }

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
func (s *shapes) learn(msg []byte, texts []span) {
	inner := 0
	for _, t := range texts {
		inner += t.to - t.from
	}
	if len(texts) > maxPlain || len(msg)-inner > maxShape {
		return
	}
	k := &s.known[s.next]
	s.last, s.next = s.next, (s.next+1)%shapeKeep
	k.bytes, k.ends = k.bytes[:0], k.ends[:0]
	at := 0
	for _, t := range append(texts, span{len(msg), len(msg)}) {
		k.bytes = append(k.bytes, msg[at:t.from]...)
		k.ends = append(k.ends, len(k.bytes))
		at = t.to
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
		msg = msg[len(part):]
		n := plainText(msg)
		if n < 0 {
			return false
		}
		msg, at = msg[n:], end
	}
	return bytes.Equal(msg, k.bytes[at:])
}

// What a byte of a text means for plainText.
const (
	endsText byte = 1 << iota
	escapesNext
	noText  // not allowed in one
	mayMean // with others of its sort, something to redact
	dash    // of what begins a private key
)

var textBytes = func() (class [256]byte) {
	for c := range 0x20 {
		class[c] = noText
	}
	class['"'], class['\\'] = endsText, escapesNext
	class['@'], class['='] = mayMean, mayMean
	class['-'] = dash
	return class
}()

// plainText is how long the inside of a JSON string is that d begins with: one
// that is sound and has nothing to redact. -1 where that is not so, or takes more
// to find out.
func plainText(d []byte) int {
	seen := byte(0)
	for i := 0; i < len(d); i++ {
		class := textBytes[d[i]]
		if class == 0 {
			continue
		}
		seen |= class
		switch class {
		case endsText:
			if seen&(mayMean|dash) != 0 && mayHide(d[:i]) {
				return -1
			}
			return i
		case noText:
			return -1
		case escapesNext:
			if i++; i == len(d) || bytes.IndexByte([]byte(`"\/bfnrt`), d[i]) < 0 {
				return -1
			}
		}
	}
	return -1
}
