package transport

import (
	"bytes"
	"fmt"
	"io"
	"runtime/debug"
	"strings"
	"unsafe"
)

const (
	// DefaultMaxLine is the default limit of a message: 256 MiB.
	DefaultMaxLine = 256 << 20

	lineBuffer = 64 << 10  // initial size of the buffer: what a pipe holds
	keepBuffer = 1 << 20   // a buffer larger than this is dropped after the line that needed it
	firstLong  = 16 << 20  // the first room for such a line
	longLine   = 4 << 20   // from this length on, a line is collected apart from the buffer
	freedLine  = 64 << 20  // from this length on, its memory is freed as soon as it is not needed
	readChunk  = 256 << 10 // the most read at once, so that little has to be moved when a buffer is dropped
	maxEmpty   = 100       // consecutive reads that may return neither a byte nor an error
)

var byteOrderMark = []byte("\xef\xbb\xbf")

// TooLongError means that a message was over the limit and was skipped. The connection can
// still be used.
type TooLongError struct {
	Limit int   // bytes allowed
	Size  int64 // bytes in the message, without its line end
}

func (e *TooLongError) Error() string {
	return fmt.Sprintf("transport: message of %d bytes is over the limit of %d", e.Size, e.Limit)
}

// LineReader splits a stream into lines (PROTOCOL 1.3). Lines end with "\n" or "\r\n".
// Lines that contain only white space are skipped, as is a byte order mark at the start of
// the stream; the last line needs no line end. It allocates only to grow its buffer. It
// must not be used by several goroutines.
type LineReader struct {
	src   io.Reader
	limit int

	buf        []byte // buf[start:end] is read and not yet returned
	start, end int
	scanned    int // buf[start:scanned] holds no newline; start <= scanned <= end

	waited bool // the last Next had to read

	// long is the beginning of a line over longLine. It grows fourfold, since room that is not written to
	// costs nothing.
	long *strings.Builder
	free bool // the line returned last is one to free

	begun bool  // past the place of a byte order mark
	err   error // what ended the stream; returned after all lines

	skipping bool // inside a line over the limit
	skipped  int64
	endsCR   bool // the last byte skipped was '\r'
}

// NewLineReader returns a reader of the lines of src, each of at most limit bytes; 0 means
// DefaultMaxLine.
func NewLineReader(src io.Reader, limit int) *LineReader {
	if limit <= 0 {
		limit = DefaultMaxLine
	}
	return &LineReader{src: src, limit: limit}
}

// Waited reports whether Next had to read for the line it returned last, rather than
// finding it in its buffer.
func (l *LineReader) Waited() bool { return l.waited }

// Next returns the next line without its line end; it is valid until the next call. A line
// over the limit is skipped and reported once as *TooLongError, after which Next may be
// called again. The end of the stream is io.EOF. Any other read error is returned
// unchanged, and an unfinished line is dropped.
func (l *LineReader) Next() ([]byte, error) {
	l.shrink()
	if l.free {
		l.free = false
		go debug.FreeOSMemory() // by itself the collector would run when as much again was allocated
	}
	l.waited = false
	for {
		if !l.begun && !l.begin() {
			l.fill()
			continue
		}
		if i := bytes.IndexByte(l.buf[l.scanned:l.end], '\n'); i >= 0 {
			line := l.buf[l.start : l.scanned+i]
			l.start += len(line) + 1
			l.scanned = l.start
			if line, err := l.deliver(line); line != nil || err != nil {
				return line, err
			}
			continue
		}
		l.scanned = l.end
		if l.err != nil {
			return l.finish()
		}
		switch part := l.buf[l.start:l.end]; {
		case l.skipping || l.length()+len(part) > l.limit+1: // the byte after the limit may be a '\r'
			l.skip(part)
			l.empty()
			l.shrink()
		case l.long != nil:
			l.collect(part)
			l.empty()
		case len(part) >= longLine:
			l.long = &strings.Builder{}
			l.long.Grow(min(firstLong, l.limit+1))
			l.collect(part)
			l.empty()
		}
		l.fill()
	}
}

// collect adds to a long line. Its memory grows in few steps, of which the largest are freed at once.
func (l *LineReader) collect(part []byte) {
	if room := l.long.Cap(); l.long.Len()+len(part) > room {
		l.long.Grow(max(len(part), min(4*room, l.limit+1)-l.long.Len()))
		if room >= freedLine {
			go debug.FreeOSMemory()
		}
	}
	l.long.Write(part)
}

// empty drops what was read.
func (l *LineReader) empty() { l.start, l.end, l.scanned = 0, 0, 0 }

// length returns how many bytes of the line are not in the buffer.
func (l *LineReader) length() int {
	if l.long == nil {
		return 0
	}
	return l.long.Len()
}

// begin skips a byte order mark and reports whether enough was read to decide.
func (l *LineReader) begin() bool {
	head := l.buf[l.start:l.end]
	if len(head) < len(byteOrderMark) && bytes.HasPrefix(byteOrderMark, head) && l.err == nil {
		return false
	}
	if bytes.HasPrefix(head, byteOrderMark) {
		l.start += len(byteOrderMark)
		l.scanned = l.start
	}
	l.begun = true
	return true
}

// deliver returns a complete line, an error if it is too long, or neither if it is blank.
func (l *LineReader) deliver(line []byte) ([]byte, error) {
	if l.skipping || l.length()+len(line) > l.limit+1 {
		l.skip(line)
		size := l.skipped
		if l.endsCR {
			size--
		}
		l.skipping, l.skipped, l.endsCR = false, 0, false
		return nil, &TooLongError{Limit: l.limit, Size: size}
	}
	if l.long != nil {
		l.collect(line)
		whole := l.long.String()
		if l.free = len(whole) >= freedLine; l.free {
			line = unsafe.Slice(unsafe.StringData(whole), len(whole))
		} else {
			line = []byte(whole) // without the room after it, which what refers to the line would keep
		}
		l.long = nil
	}
	if n := len(line); n > 0 && line[n-1] == '\r' {
		line = line[:n-1]
	}
	if len(line) > l.limit {
		return nil, &TooLongError{Limit: l.limit, Size: int64(len(line))}
	}
	if blank(line) {
		return nil, nil
	}
	return line, nil
}

func (l *LineReader) skip(part []byte) {
	l.skipping = true
	l.skipped += int64(l.length() + len(part))
	l.long = nil
	if len(part) > 0 {
		l.endsCR = part[len(part)-1] == '\r'
	}
}

// finish returns the unterminated last line, then what ended the stream.
func (l *LineReader) finish() ([]byte, error) {
	rest := l.buf[l.start:l.end]
	l.start, l.scanned = l.end, l.end
	if l.err == io.EOF && (len(rest) > 0 || l.long != nil || l.skipping) {
		if line, err := l.deliver(rest); line != nil || err != nil {
			return line, err
		}
	}
	return nil, l.err
}

// fill makes room and reads once. It sets err when the stream has ended.
func (l *LineReader) fill() {
	l.waited = true
	switch {
	case l.buf == nil:
		l.buf = make([]byte, lineBuffer)
	case l.start == l.end:
		l.empty()
	case l.end < len(l.buf):
	case l.start >= len(l.buf)/2: // at least half is consumed, so moving the rest is cheap
		l.move(l.buf)
	case len(l.buf) >= keepBuffer: // a huge line: growing in few steps is cheaper than the memory it may waste
		l.move(make([]byte, 4*len(l.buf)))
	default:
		l.move(make([]byte, 2*len(l.buf)))
	}
	room := l.buf[l.end:min(len(l.buf), l.end+readChunk)]
	for range maxEmpty {
		n, err := l.src.Read(room)
		l.end += n
		l.err = err
		if n > 0 || err != nil {
			return
		}
	}
	l.err = io.ErrNoProgress
}

func (l *LineReader) move(to []byte) {
	n := copy(to, l.buf[l.start:l.end])
	l.scanned -= l.start
	l.buf, l.start, l.end = to, 0, n
}

// shrink drops a buffer that a huge line has grown.
func (l *LineReader) shrink() {
	if rest := l.end - l.start; len(l.buf) > keepBuffer && rest <= keepBuffer/2 {
		l.move(make([]byte, max(lineBuffer, 2*rest)))
	}
}

func blank(line []byte) bool {
	for _, c := range line {
		if c != ' ' && c != '\t' && c != '\r' {
			return false
		}
	}
	return true
}
