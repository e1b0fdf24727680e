package transport

import (
	"io"
	"sync"
)

type streams struct {
	lines *LineReader
	in    io.Reader
	out   io.Writer
	buf   []byte // writer only: the line being written

	once   sync.Once
	closed chan struct{}
}

// Streams returns a connection over two streams, one message per line, as an agent has it. Close
// closes the input stream if it is an io.Closer. A Recv that is blocked in a stream that cannot be
// interrupted, such as a terminal's standard input, stays blocked until the next byte.
func Streams(in io.Reader, out io.Writer) Conn { return LimitedStreams(in, out, 0) }

// LimitedStreams is like Streams, but no message that is received may have more than limit bytes.
func LimitedStreams(in io.Reader, out io.Writer, limit int) Conn {
	return &streams{lines: NewLineReader(in, limit), in: in, out: out, closed: make(chan struct{})}
}

func (c *streams) Recv() ([]byte, error) {
	line, err := c.lines.Next()
	if c.isClosed() {
		return nil, ErrClosed
	}
	return line, err
}

// Send writes the message and its newline in one call, so that readers see whole lines.
func (c *streams) Send(m Message) error {
	if c.isClosed() {
		return ErrClosed
	}
	c.buf = append(append(c.buf[:0], m.Data...), '\n')
	_, err := c.out.Write(c.buf)
	if cap(c.buf) > 1<<20 {
		c.buf = nil
	}
	return err
}

func (c *streams) Close() error {
	c.once.Do(func() {
		close(c.closed)
		if in, ok := c.in.(io.Closer); ok {
			in.Close()
		}
	})
	return nil
}

func (c *streams) isClosed() bool {
	select {
	case <-c.closed:
		return true
	default:
		return false
	}
}
