package wire

import "bytes"

// HotReader finds what is hot in the messages of a stream. One goroutine may use
// it.
//
// Chunks of one message differ in nothing but their text. So it remembers the last
// message that had one, and compares: where a message begins and ends with the
// same bytes, and what lies between is one string to its end, a pass over it would
// find what the pass over the last one did, but for the string. It would do so
// whatever the bytes are, since it goes from left to right and knows nothing of
// what is inside of a string. Whether it is one string is left to who decodes it,
// and must: one with a quote inside is none, and the message goes the plain way.
type HotReader struct {
	found Hot

	last       []byte // a copy of the message
	hot        Hot    // what it holds: slices of last
	head, tail []byte // of last: up to the string with its quote, and from the quote that ends it
}

// maxLast bounds the messages that are remembered: of a longer one the pass is
// the smallest part.
const maxLast = 4096

// Read finds what one message holds; nil where it must go the plain way. It is
// valid until the next Read, and until the message changes.
func (r *HotReader) Read(message []byte) *Hot {
	if r.again(message) {
		return &r.found
	}
	if !ScanHot(message, &r.found) {
		return nil
	}
	if text := r.found.text(); text != nil && len(message)-len(text) <= maxLast {
		r.remember(message, text)
	}
	return &r.found
}

// text is the string that chunks differ in, with its quotes; nil where there is
// none.
func (h *Hot) text() []byte {
	if h.Chunk != nil {
		return h.Chunk
	}
	return h.Data
}

// again takes a message that is like the last one.
func (r *HotReader) again(message []byte) bool {
	if len(r.head) == 0 || !bytes.HasPrefix(message, r.head) || !bytes.HasSuffix(message, r.tail) || len(message) < len(r.head)+len(r.tail) {
		return false
	}
	text := message[len(r.head)-1 : len(message)-len(r.tail)+1]
	r.found = r.hot
	if r.hot.Chunk != nil {
		r.found.Chunk = text
	} else {
		r.found.Data = text
	}
	return true
}

// remember makes message the last one; text is of it.
func (r *HotReader) remember(message, text []byte) {
	at := cap(message) - cap(text)
	r.last = append(append(append(r.last[:0], message[:at]...), '"', '"'), message[at+len(text):]...)
	r.head, r.tail = r.last[:at+1], r.last[at+1:]
	r.hot = Hot{Kind: r.found.Kind}
	moved := func(part []byte) []byte {
		if part == nil {
			return nil
		}
		i := cap(message) - cap(part)
		if i > at { // behind the string, which is empty here
			i -= len(text) - 2
		}
		return r.last[i : i+len(part)]
	}
	r.hot.Session, r.hot.MessageID = moved(r.found.Session), moved(r.found.MessageID)
	r.hot.ToolID, r.hot.TerminalID = moved(r.found.ToolID), moved(r.found.TerminalID)
	if r.found.Chunk != nil {
		r.hot.Chunk = r.last[at : at+2]
	} else {
		r.hot.Data = r.last[at : at+2]
	}
}
