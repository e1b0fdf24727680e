package transport

import (
	"bytes"
	"strings"
)

// maxStderrLine bounds a line handed to OnStderr; the rest of a longer one is dropped there, not in the Ring.
const maxStderrLine = 8 << 10

// drainStderr keeps reading stderr until it ends, so that the process can never hang in a write to it.
func (s *Stdio) drainStderr(onLine func(string)) {
	defer close(s.stderrDone)
	tap := stderrLines{emit: onLine}
	buf := make([]byte, 32<<10)
	for {
		n, err := s.errout.Read(buf)
		s.stderr.Write(buf[:n])
		if onLine != nil {
			tap.write(buf[:n])
		}
		if err != nil {
			if onLine != nil {
				tap.flush()
			}
			return
		}
	}
}

// stderrLines cuts stderr into lines of bounded length.
type stderrLines struct {
	emit    func(string)
	partial []byte
}

func (t *stderrLines) write(p []byte) {
	for {
		part, rest, found := bytes.Cut(p, []byte{'\n'})
		room := maxStderrLine - len(t.partial)
		t.partial = append(t.partial, part[:min(room, len(part))]...)
		if !found {
			return
		}
		t.emit(t.text())
		t.partial = t.partial[:0]
		p = rest
	}
}

func (t *stderrLines) flush() {
	if len(t.partial) > 0 {
		t.emit(t.text())
	}
}

func (t *stderrLines) text() string {
	return strings.ToValidUTF8(string(bytes.TrimSuffix(t.partial, []byte{'\r'})), "\uFFFD")
}
