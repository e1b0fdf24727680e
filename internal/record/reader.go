package record

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"parley/internal/envelope"
	"parley/internal/jsonscan"
)

// Reader reads one log from its beginning. It is used by one goroutine.
type Reader struct {
	file *os.File
	in   *bufio.Reader
	meta Meta
}

// Open opens a log, which may still be written. The error is ErrNotRecord if the first line
// is not that of a log.
func Open(path string) (*Reader, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open a log: %w", err)
	}
	r := &Reader{file: f, in: bufio.NewReaderSize(f, window)}
	head, err := r.line()
	if err == nil || err == io.EOF {
		r.meta, err = parseHead(head)
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	return r, nil
}

// Close closes the file.
func (r *Reader) Close() error { return r.file.Close() }

// Next returns the next message or gap, in wire order. Its data belongs to the caller. Next
// skips unknown and broken lines and an incomplete last one. At the end it returns io.EOF.
func (r *Reader) Next() (Line, error) {
	for {
		text, err := r.line()
		if p, ok := parseLine(text); ok {
			if p.meta != nil {
				r.meta = *p.meta
			} else {
				return p.Line, nil // the next call meets the end again
			}
		}
		if err == io.EOF {
			return Line{}, io.EOF
		}
		if err != nil {
			return Line{}, fmt.Errorf("read a log: %w", err)
		}
	}
}

// line returns the next line in its own memory, empty if it is longer than maxLine. An
// error comes with the start of the line.
func (r *Reader) line() ([]byte, error) {
	var line []byte
	long := false
	for {
		part, err := r.in.ReadSlice('\n')
		if long = long || len(line)+len(part) > maxLine+1; long {
			line = nil
		} else {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return bytes.TrimSuffix(line, []byte("\n")), err
		}
	}
}

// parsed is a line of a log: a meta, a message, or a gap.
type parsed struct {
	Line
	meta *Meta
}

func parseLine(text []byte) (p parsed, ok bool) {
	if !jsonscan.Valid(text) {
		return p, false
	}
	var dir, msg, gap, meta, prompts []byte
	m := jsonscan.MembersOf(text)
	for m.Next() {
		switch string(m.Key) {
		case "t":
			p.At, _ = parseTime(m.Value)
		case "dir":
			dir = m.Value
		case "msg":
			msg = m.Value
		case "gap":
			gap = m.Value
		case "meta":
			meta = m.Value
		case "prompts": // in older logs
			prompts = m.Value
		case "n":
			n, _ := jsonscan.Int(m.Value)
			p.N = uint64(max(n, 0))
		}
	}
	switch {
	case meta != nil:
		p.meta = new(Meta)
		if json.Unmarshal(meta, p.meta) != nil {
			return p, false
		}
		p.meta.older(meta, prompts)
		return p, true
	case gap != nil:
		p.Dir, p.Data = Gap, gap
		return p, true
	}
	p.Dir, p.Data = Direction(envelope.Text(dir)), msg
	return p, msg != nil && (p.Dir == In || p.Dir == Out || p.Dir == Err)
}

func parseTime(raw []byte) (time.Time, bool) {
	at, err := time.Parse(time.RFC3339Nano, envelope.Text(raw))
	return at, err == nil
}

// older reads the single session that older logs recorded.
func (m *Meta) older(meta, prompts []byte) {
	if id := envelope.Text(envelope.Member(meta, "sessionId")); id != "" && len(m.Sessions) == 0 {
		n, _ := jsonscan.Int(prompts)
		m.Sessions = []Session{{ID: id, Cwd: m.Cwd, Title: envelope.Text(envelope.Member(meta, "title")), Prompts: int(max(n, 0))}}
	}
}
