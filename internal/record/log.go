package record

import (
	"bytes"
	"io"
	"os"
	"strconv"
	"time"

	"parley/internal/jsonscan"
	"parley/internal/redact"
)

// log writes lines to a file within its limits. It is used by one goroutine.
type log struct {
	out io.WriteCloser
	max int64 // most bytes of the file

	buf       []byte // lines not yet written
	written   int64  // bytes of the file including buf
	meta      Meta
	notes     notes
	repeat    bool      // there is something that the head does not say
	stale     bool      // meta is newer than its last line
	sinceMeta int       // bytes since the last meta line
	metaSize  int       // bytes of that line
	full      bool      // no more messages; newer metas replace the one at the end
	fullAt    int64     // bytes of the file before that meta
	metaAt    time.Time // time it was written
	empty     bool      // the log holds only its head

	messages int // how many the file has

	stamp   []byte // the last time written
	stampOf int64  // the same in milliseconds
}

// reserve is the space that messages leave for the meta lines after them.
func (l *log) reserve() int64 { return min(window, l.max/4) }

func (l *log) begin(m Meta) error {
	m.Sessions = nil
	l.meta, l.empty = m, true
	l.buf = append(l.buf, `{"parley":`+strconv.Itoa(version)+`,`...)
	l.buf = append(l.buf, m.encode()[1:]...)
	l.buf = append(l.buf, '\n')
	l.written = int64(len(l.buf))
	return l.flush()
}

// restart begins a new file, without the messages so far.
func (l *log) restart(out io.WriteCloser) error {
	lost, sessions := l.messages, l.notes
	*l = log{out: out, max: l.max, meta: l.meta}
	if err := l.begin(l.meta); err != nil {
		return err
	}
	l.messages, l.notes = lost, sessions
	if lost > 0 {
		l.empty, l.notes.changed = false, true
		l.gap(time.Now(), strconv.Itoa(lost))
	}
	return nil
}

// write writes a batch.
func (l *log) write(b *batch, renewed bool) error {
	data := b.bytes
	l.empty = l.empty && len(b.marks) == 0 && b.lost == 0
	l.messages += len(b.marks)
	for _, m := range b.marks {
		if m.lost > 0 {
			l.gap(m.at, strconv.Itoa(m.lost))
		}
		l.message(m, data[:m.size])
		data = data[m.size:]
		if l.notes.prompted || l.sinceMeta >= spacing && (l.repeat || l.notes.changed) {
			if err := l.metaLine(false); err != nil {
				return err
			}
		}
		if len(l.buf) >= batchBytes {
			if err := l.flush(); err != nil {
				return err
			}
		}
	}
	if b.lost > 0 {
		l.gap(time.Now(), strconv.Itoa(b.lost))
	}
	// An agent that keeps changing a title must not fill the log with metas.
	if renewed || l.notes.changed && (l.sinceMeta >= l.metaSize || l.full && time.Since(l.metaAt) > time.Second) {
		l.stale = l.stale || renewed
		if err := l.metaLine(false); err != nil {
			return err
		}
	}
	return l.flush()
}

// end leaves the newest meta in the tail of the file, where List finds it.
func (l *log) end() error {
	if l.stale || l.notes.changed || l.repeat && l.sinceMeta >= spacing {
		if err := l.metaLine(true); err != nil {
			return err
		}
	}
	return l.flush()
}

func (l *log) flush() error {
	_, err := l.out.Write(l.buf)
	l.buf = l.buf[:0]
	if cap(l.buf) > keepBytes {
		l.buf = nil
	}
	return err
}

func (l *log) message(m mark, data []byte) {
	start := len(l.buf)
	if l.full {
		if l.notes.wants(m.dir, data) {
			l.buf = l.appendMessage(l.buf, m.dir, data)
			l.notes.message(m.dir, m.at, l.buf[start:])
			l.buf = l.buf[:start]
		}
		return
	}
	if ms := m.at.UnixMilli(); ms != l.stampOf || l.stamp == nil { // many messages have the same time
		l.stamp, l.stampOf = appendTime(l.stamp[:0], m.at), ms
	}
	l.buf = append(append(l.buf, `{"t":"`...), l.stamp...)
	l.buf = append(append(l.buf, `","dir":"`...), m.dir...)
	l.buf = append(l.buf, `",`...)
	if m.n > 0 {
		l.buf = append(strconv.AppendUint(append(l.buf, `"n":`...), m.n, 10), ',')
	}
	l.buf = append(l.buf, `"msg":`...)
	msg := len(l.buf)
	l.buf = l.appendMessage(l.buf, m.dir, data)
	l.buf = append(l.buf, "}\n"...)
	size := len(l.buf) - start
	switch {
	case l.written+int64(size) > l.max-l.reserve():
		l.notes.message(m.dir, m.at, l.buf[msg:start+size-len("}\n")])
		l.buf = l.buf[:start]
		l.limit(m.at)
		return
	case size > maxLine:
		l.buf = l.buf[:start]
		l.gap(m.at, "1")
		return
	}
	l.written += int64(size)
	l.sinceMeta += size
	l.notes.message(m.dir, m.at, l.buf[msg:start+size-len("}\n")])
}

// gap records missing messages.
func (l *log) gap(at time.Time, what string) {
	if l.full {
		return
	}
	start := len(l.buf)
	l.buf = appendTime(append(l.buf, `{"t":"`...), at)
	l.buf = append(append(l.buf, `","gap":`...), what...)
	l.buf = append(l.buf, "}\n"...)
	l.written += int64(len(l.buf) - start)
	l.sinceMeta += len(l.buf) - start
	if l.written > l.max-l.reserve() {
		l.limit(at)
	}
}

func (l *log) limit(at time.Time) {
	if !l.full {
		l.full = true
		l.buf = appendTime(append(l.buf, `{"t":"`...), at)
		l.buf = append(l.buf, `","gap":"limit"}`+"\n"...)
		l.written += int64(len(`{"t":"2006-01-02T15:04:05.000Z","gap":"limit"}`) + 1)
		l.fullAt = l.written
	}
}

// metaLine appends the current meta if the file has room; the last one may use the reserve.
// In a full file it replaces the one before.
func (l *log) metaLine(last bool) error {
	file, again := l.out.(*os.File)
	if again = again && l.full; again {
		if err := l.flush(); err != nil {
			return err
		}
		l.written, last = l.fullAt, true
	}
	start := len(l.buf)
	l.meta.Sessions = l.notes.list()
	l.notes.prompted = false // otherwise every message would try again
	l.buf = append(append(l.buf, `{"meta":`...), l.meta.encode()...)
	l.buf = appendTime(append(l.buf, `,"t":"`...), time.Now())
	l.buf = append(l.buf, "\"}\n"...)
	size := int64(len(l.buf) - start)
	room := l.max - l.written
	if !last {
		room -= l.reserve() / 2
	}
	if size > room {
		l.buf = l.buf[:start]
		l.stale = true
		return nil
	}
	l.written += size
	l.repeat, l.stale, l.sinceMeta, l.metaSize = true, false, 0, int(size)
	l.notes.changed, l.metaAt = false, time.Now()
	if !again {
		return nil
	}
	if _, err := file.Seek(l.fullAt, io.SeekStart); err != nil {
		return err
	}
	if err := l.flush(); err != nil {
		return err
	}
	return file.Truncate(l.written)
}

// appendTime appends a time in UTC with milliseconds, always of the same length.
func appendTime(b []byte, t time.Time) []byte {
	return t.UTC().AppendFormat(b, "2006-01-02T15:04:05.000Z")
}

// appendMessage appends a redacted message: JSON unchanged, anything else as a JSON string.
func (l *log) appendMessage(b []byte, dir Direction, data []byte) []byte {
	data = bytes.TrimSpace(data)
	sound := jsonscan.Valid(data)
	if dir != Err && sound {
		return redact.JSON(b, data)
	}
	if sound && (data[0] == '{' || data[0] == '[') {
		data = redact.JSON(nil, data)
	}
	return redact.AppendString(b, redact.Command(string(data)))
}
