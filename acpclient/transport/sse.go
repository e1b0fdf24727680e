package transport

import (
	"bytes"
	"encoding/json"
	"io"
	"strconv"
	"time"
)

// fieldRoom is the space that a line of an event needs besides its value: the longest known
// field name, a colon and a space.
const fieldRoom = 16

// event is one server-sent event.
type event struct {
	data  []byte // the data lines joined by newlines; never blank; valid until the next call of next
	typed bool   // it has a type of its own: if its data is not JSON, it is not a message
}

// eventReader parses a stream of server-sent events (PROTOCOL 5.6). Lines end with LF, CR
// or CRLF. It allocates only to grow its buffers. It must not be used by several
// goroutines.
type eventReader struct {
	src   io.Reader
	limit int // bytes of data in one event

	buf                 []byte // buf[start:end] is read and not yet consumed
	start, end, scanned int    // buf[start:scanned] holds no line end
	lf, cr              int    // position of the next of each from scanned on, end if there is none; -1: not searched for

	begun   bool  // past the place of a byte order mark
	afterCR bool  // a line feed that follows belongs to the line before
	cutting bool  // inside a line that is too long to keep
	counts  bool  // that line is a data line
	err     error // what ended the stream

	// The event being read.
	data  []byte // its data lines so far, joined
	lines int    // number of data lines
	size  int64  // their size, kept or not
	long  bool   // over the limit, not kept
	typed bool
	id    []byte
	hasID bool
	whole []byte // the data of the complete event: data, or a part of buf

	// lastID is the id of the last complete event. retry is the server's retry time, 0 if
	// it set none. idle is true after an event that only shows that the server is alive.
	lastID []byte
	retry  time.Duration
	idle   bool
}

func newEventReader(src io.Reader, limit int) *eventReader {
	return &eventReader{src: src, limit: limit, lf: -1, cr: -1}
}

// next returns the next event that has data. One over the limit is skipped and reported
// once as *TooLongError, after which next may be called again. An event cut short by the
// end of the stream is returned if it is JSON. Then next returns the end: io.EOF or the
// error of the source.
func (r *eventReader) next() (event, error) {
	r.shrink()
	for {
		line, ok := r.line()
		if !ok {
			if r.err != nil {
				return r.finish()
			}
			r.fill()
			continue
		}
		var done bool
		if len(line) > 0 {
			done = r.field(line)
		} else {
			done = r.complete()
		}
		switch {
		case !done:
		case r.long:
			size := r.size
			r.reset()
			return event{}, &TooLongError{Limit: r.limit, Size: size}
		default:
			e := event{data: r.whole, typed: r.typed}
			r.reset()
			return e, nil
		}
	}
}

// line returns the next line without its end; false if it is not complete.
func (r *eventReader) line() ([]byte, bool) {
	if !r.begun && !r.begin() {
		return nil, false
	}
	if r.afterCR && r.start < r.end {
		if r.buf[r.start] == '\n' {
			r.start++
			r.scanned = max(r.scanned, r.start)
		}
		r.afterCR = false
	}
	at := r.lineEnd()
	if at == r.end {
		r.scanned = r.end
		if r.cutting || r.end-r.start > r.limit+fieldRoom {
			r.cut(r.buf[r.start:r.end])
			r.start, r.end, r.scanned = 0, 0, 0
		}
		return nil, false
	}
	line := r.buf[r.start:at]
	r.afterCR = r.buf[at] == '\r'
	r.start, r.scanned = at+1, at+1
	if r.cutting {
		r.cut(line)
		r.cutting = false
		return r.line()
	}
	return line, true
}

// lineEnd finds the next line end. It searches each byte only once for CR and once for LF,
// however many lines there are.
func (r *eventReader) lineEnd() int {
	next := func(at int, c byte) int {
		if at >= r.scanned {
			return at
		}
		if i := bytes.IndexByte(r.buf[r.scanned:r.end], c); i >= 0 {
			return r.scanned + i
		}
		return r.end
	}
	r.lf, r.cr = next(r.lf, '\n'), next(r.cr, '\r')
	return min(r.lf, r.cr)
}

// begin skips a byte order mark and reports whether enough was read to decide.
func (r *eventReader) begin() bool {
	head := r.buf[r.start:r.end]
	if len(head) < len(byteOrderMark) && bytes.HasPrefix(byteOrderMark, head) && r.err == nil {
		return false
	}
	if bytes.HasPrefix(head, byteOrderMark) {
		r.start += len(byteOrderMark)
		r.scanned = r.start
	}
	r.begun = true
	return true
}

// cut drops a part of a line that is too long, and counts it if the line is a data line.
func (r *eventReader) cut(part []byte) {
	if !r.cutting {
		r.cutting = true
		if part, r.counts = bytes.CutPrefix(part, []byte("data:")); r.counts {
			part = bytes.TrimPrefix(part, []byte{' '})
			r.newLine()
			r.long, r.data = true, nil
		}
	}
	if r.counts {
		r.size += int64(len(part))
	}
}

// newLine counts a data line and the newline that joins it to the one before.
func (r *eventReader) newLine() {
	if r.lines++; r.lines > 1 {
		r.size++
	}
}

// field processes one line and reports whether it completes the event. That is the case if
// the blank line after it is in the buffer too: then its data need not be copied.
func (r *eventReader) field(line []byte) bool {
	name, value, _ := bytes.Cut(line, []byte{':'})
	value = bytes.TrimPrefix(value, []byte{' '})
	switch string(name) {
	case "data":
		return r.addData(value)
	case "":
		r.idle = true
	case "event":
		r.typed = len(value) > 0 && string(value) != "message"
	case "id":
		if len(value) <= maxHeader && bytes.IndexByte(value, 0) < 0 {
			r.id, r.hasID = append(r.id[:0], value...), true
		}
	case "retry":
		if ms, err := strconv.ParseUint(string(value), 10, 31); err == nil {
			r.retry = time.Duration(ms) * time.Millisecond
		}
	}
	return false
}

func (r *eventReader) addData(value []byte) bool {
	r.newLine()
	r.size += int64(len(value))
	if r.long || r.size > int64(r.limit) {
		r.long, r.data = true, nil
		return false
	}
	if r.lines == 1 && r.ends() {
		return r.completeWith(value)
	}
	if r.lines > 1 {
		r.data = append(r.data, '\n')
	}
	r.data = append(r.data, value...)
	return false
}

// ends consumes the blank line that ends an event, if it is next.
func (r *eventReader) ends() bool {
	i := r.start
	if r.afterCR && i < r.end && r.buf[i] == '\n' {
		i++
	}
	if i == r.end || r.buf[i] != '\n' && r.buf[i] != '\r' {
		return false
	}
	r.afterCR = r.buf[i] == '\r'
	r.start, r.scanned = i+1, i+1
	return true
}

// complete ends the event and reports whether it has data.
func (r *eventReader) complete() bool { return r.completeWith(r.data) }

func (r *eventReader) completeWith(data []byte) bool {
	if r.hasID {
		r.lastID, r.id = r.id, r.lastID
	}
	if r.long || len(bytes.TrimSpace(data)) > 0 {
		r.whole = data
		return true
	}
	if r.lines > 0 {
		r.idle = true
	}
	r.reset()
	return false
}

// reset begins a new event. The event returned last stays valid until next is called.
func (r *eventReader) reset() {
	if cap(r.data) > keepBuffer {
		r.data = nil
	}
	r.data, r.whole = r.data[:0], nil
	r.lines, r.size, r.long, r.typed, r.hasID = 0, 0, false, false, false
}

// finish returns the event that the end of the stream cut short, if it is usable, then the
// end.
func (r *eventReader) finish() (event, error) {
	rest := r.buf[r.start:r.end]
	r.start, r.scanned = r.end, r.end
	if value, ok := bytes.CutPrefix(rest, []byte("data:")); ok && !r.cutting {
		r.addData(bytes.TrimPrefix(value, []byte{' '}))
	}
	if r.long || !json.Valid(r.data) {
		r.reset()
		return event{}, r.err
	}
	r.complete()
	e := event{data: r.whole, typed: r.typed}
	r.reset()
	return e, nil
}

// fill makes room and reads once. It sets err when the stream has ended.
func (r *eventReader) fill() {
	r.lf, r.cr = -1, -1
	switch {
	case r.buf == nil:
		r.buf = make([]byte, lineBuffer)
	case r.start == r.end:
		r.start, r.end, r.scanned = 0, 0, 0
	case r.end < len(r.buf):
	case r.start >= len(r.buf)/2: // at least half is consumed, so moving the rest is cheap
		r.move(r.buf)
	default:
		r.move(make([]byte, min(2*len(r.buf), r.limit+fieldRoom+readChunk))) // longer lines are cut
	}
	room := r.buf[r.end:min(len(r.buf), r.end+readChunk)]
	for range maxEmpty {
		n, err := r.src.Read(room)
		r.end += n
		r.err = err
		if n > 0 || err != nil {
			return
		}
	}
	r.err = io.ErrNoProgress
}

func (r *eventReader) move(to []byte) {
	n := copy(to, r.buf[r.start:r.end])
	r.scanned -= r.start
	r.buf, r.start, r.end = to, 0, n
	r.lf, r.cr = -1, -1
}

// shrink drops a buffer that a huge event has grown.
func (r *eventReader) shrink() {
	if rest := r.end - r.start; len(r.buf) > keepBuffer && rest <= keepBuffer/2 {
		r.move(make([]byte, max(lineBuffer, 2*rest)))
	}
}
