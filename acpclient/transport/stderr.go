package transport

import (
	"bytes"
	"strings"
)

// maxStderrLine bounds a line passed to OnStderr. The rest of a longer line reaches only
// the Ring.
const maxStderrLine = 8 << 10

// drainStderr reads stderr to its end, so that the process never blocks while writing to
// it.
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

// stderrLines splits stderr into lines of bounded length.
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
