package transport

import (
	"bytes"
	"context"
	"encoding/json"
	"io"

	"github.com/coder/websocket"
)

// sendFrame is the longest frame sent. The answer to a ping can be sent between the frames
// of a long message, and some servers refuse much longer frames.
const sendFrame = 64 << 10

// Recv returns the next message. A text message contains one JSON text, or several, one on
// each line. Binary messages are ignored.
func (w *WebSocket) Recv() ([]byte, error) {
	w.waited = false
	for {
		if w.closed.Load() {
			return nil, ErrClosed
		}
		if line := w.next(); line != nil {
			return line, nil
		}
		if err := w.fill(); err != nil {
			return nil, err
		}
		w.waited = true
	}
}

// Waited reports whether Recv had to wait for the message it returned last, rather than
// finding it already received. Only the goroutine that calls Recv may call it.
func (w *WebSocket) Waited() bool { return w.waited }

// next returns the next line of the message read last, nil if there is none.
func (w *WebSocket) next() []byte {
	for len(w.rest) > 0 {
		line := w.rest
		if w.rest = nil; w.several {
			line, w.rest, _ = bytes.Cut(line, []byte{'\n'})
		}
		if line = trimSpace(line); len(line) > 0 {
			return line
		}
	}
	return nil
}

// fill reads a WebSocket message. The library closes the connection when a context ends, so
// it gets none.
func (w *WebSocket) fill() error {
	if !w.reading.lock(w.done) {
		return w.finalError()
	}
	defer w.reading.unlock()
	if len(w.buf) > keepBuffer || w.buf == nil {
		w.buf = make([]byte, lineBuffer)
	}
	kind, src, err := w.ws.Reader(context.Background())
	if err != nil {
		return w.readFailed(err)
	}
	if kind != websocket.MessageText && !w.binaryLogged {
		w.binaryLogged = true
		w.log("the server sends binary messages: they are ignored")
	}
	if err := w.readAll(src, kind == websocket.MessageText); err != nil {
		return w.readFailed(err)
	}
	return nil
}

// readAll reads src to its end and keeps the bytes if keep is set.
func (w *WebSocket) readAll(src io.Reader, keep bool) error {
	n := 0
	for {
		if n == len(w.buf) {
			grown := make([]byte, min(2*n, max(n, w.limit)+bytes.MinRead)) // the library stops one byte after the limit
			copy(grown, w.buf)
			w.buf = grown
		}
		k, err := src.Read(w.buf[n:])
		if keep {
			n += k
		}
		switch {
		case err == io.EOF && w.line.readFailed: // the library mistakes the end of the connection for the end of the message
			return io.ErrUnexpectedEOF
		case err == io.EOF:
			w.rest, w.several = asLines(w.buf[:n])
			return nil
		case err != nil:
			return err
		}
	}
}

// asLines reports whether a text contains several lines of messages. A single JSON text on
// several lines is joined into one, in place: JSON strings contain no line break.
func asLines(text []byte) (lines []byte, several bool) {
	text = trimSpace(text)
	if bytes.IndexByte(text, '\n') < 0 {
		return text, false
	}
	if !json.Valid(text) {
		return text, true
	}
	for i, c := range text {
		if c == '\n' || c == '\r' {
			text[i] = ' '
		}
	}
	return text, false
}

func trimSpace(text []byte) []byte { return bytes.Trim(text, " \t\r\n") }

// Send writes a text message, in several frames if it is long.
func (w *WebSocket) Send(m Message) error {
	if !w.writing.lock(w.done) {
		return w.finalError()
	}
	defer w.writing.unlock()
	if len(m.Data) > w.limit {
		return &TooLongError{Limit: w.limit, Size: int64(len(m.Data))}
	}
	if err := w.write(m.Data); err != nil {
		return w.writeFailed(err)
	}
	return nil
}

func (w *WebSocket) write(data []byte) error {
	if len(data) <= sendFrame {
		if err := w.ws.Write(context.Background(), websocket.MessageText, data); err != nil {
			return err
		}
		return w.line.out.WaitForRoom(0)
	}
	to, err := w.ws.Writer(context.Background(), websocket.MessageText)
	for err == nil && len(data) > 0 {
		n := min(len(data), sendFrame)
		if _, err = to.Write(data[:n]); err == nil {
			err = w.line.out.WaitForRoom(0)
		}
		data = data[n:]
	}
	if err != nil {
		return err
	}
	return to.Close()
}
