package fsops

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"math"
	"strings"
	"sync"
	"unicode/utf8"
)

// maxSkip bounds the bytes read to find the first line of a window.
const maxSkip = 1 << 30

// Window selects lines of a file. A line ends with "\n" and with nothing else.
type Window struct {
	Line  *int // the first line, from 1; nil and 0 mean 1
	Limit *int // how many lines; nil means all, 0 none
}

// bounds returns the first line from 1, and the number of lines.
func (w Window) bounds() (line, limit int, err error) {
	line, limit = 1, math.MaxInt
	if w.Line != nil && *w.Line != 0 {
		line = *w.Line
	}
	if w.Limit != nil {
		limit = *w.Limit
	}
	if line < 0 || limit < 0 {
		return 0, 0, fmt.Errorf("line %d, limit %d: %w", line, limit, fs.ErrInvalid)
	}
	return line, limit, nil
}

// Read returns the lines of a window exactly as they are in the file, including line ends and a
// last line without one. A window past the end of the file is "".
//
// outside says that the user allowed this path outside the roots. path must then be the
// Target.Resolved that the user saw; if it leads elsewhere by now, Read returns ErrOutsideRoot.
// Other errors: fs.ErrNotExist, ErrNotRegular, ErrNotText, ErrTooLarge, ErrRelative, ErrAmbiguous,
// ErrUnknownSession.
func (s *Service) Read(session, path string, w Window, outside bool) (string, error) {
	text, err := s.read(session, path, w, outside)
	if err != nil {
		return "", fmt.Errorf("read %s: %w", path, err)
	}
	return text, nil
}

func (s *Service) read(session, path string, w Window, outside bool) (string, error) {
	line, limit, err := w.bounds()
	if err != nil {
		return "", err
	}
	sess, release, err := s.use(session)
	if err != nil {
		return "", err
	}
	defer release()
	p, err := sess.locate(path, outside)
	if err != nil {
		return "", err
	}
	defer p.close()
	f, info, err := p.openRegular()
	if err != nil {
		return "", err
	}
	defer f.Close()
	return readWindow(f, info.Size(), line, limit, s.opts.MaxRead)
}

const chunkSize = 64 << 10

var chunks = sync.Pool{New: func() any { return new([chunkSize]byte) }}

// readWindow reads in chunks, no further than the window needs. size is only a hint: the file's
// size may be wrong or change.
func readWindow(r io.Reader, size int64, line, limit int, max int64) (string, error) {
	if limit == 0 {
		return "", nil
	}
	chunk := chunks.Get().(*[chunkSize]byte)
	defer chunks.Put(chunk)
	win := window{skip: line - 1, take: limit, max: max}
	if line == 1 && limit == math.MaxInt {
		if size > max {
			return "", tooLarge(max)
		}
		win.text.Grow(int(size))
	}
	for {
		n, err := r.Read(chunk[:])
		done, failed := win.add(chunk[:n])
		switch {
		case failed != nil:
			return "", failed
		case done || err == io.EOF:
			return win.finish()
		case err != nil:
			return "", cause(err)
		}
	}
}

// window cuts lines out of a stream of bytes.
type window struct {
	skip    int // lines left to skip
	take    int // lines left to keep
	skipped int64
	max     int64
	text    strings.Builder
}

// add processes the next bytes and reports whether the window is full.
func (w *window) add(b []byte) (done bool, err error) {
	if w.skip > 0 {
		rest := cutLines(b, &w.skip)
		passed := b[:len(b)-len(rest)]
		if bytes.IndexByte(passed, 0) >= 0 {
			return false, ErrNotText
		}
		if w.skipped += int64(len(passed)); w.skipped > maxSkip {
			return false, tooLarge(maxSkip)
		}
		if w.skip > 0 {
			return false, nil
		}
		b = rest
	}
	kept := b
	if w.take != math.MaxInt {
		kept = b[:len(b)-len(cutLines(b, &w.take))]
	}
	if int64(w.text.Len()+len(kept)) > w.max {
		return false, tooLarge(w.max)
	}
	if bytes.IndexByte(kept, 0) >= 0 {
		return false, ErrNotText
	}
	w.text.Write(kept)
	return w.take == 0, nil
}

func (w *window) finish() (string, error) {
	text := w.text.String()
	if !utf8.ValidString(text) {
		return "", ErrNotText
	}
	return text, nil
}

// cutLines removes up to *n lines from the front of b, subtracts them from *n, and returns the
// rest.
func cutLines(b []byte, n *int) []byte {
	if c := bytes.Count(b, newline); c < *n {
		*n -= c
		return nil
	}
	for *n > 0 {
		b = b[bytes.IndexByte(b, '\n')+1:]
		*n--
	}
	return b
}

var newline = []byte{'\n'}

func tooLarge(max int64) error { return fmt.Errorf("%w: more than %d bytes", ErrTooLarge, max) }
