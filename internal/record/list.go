package record

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"parley/internal/envelope"
	"parley/internal/filelock"
)

// idleLog is how long a log must be unchanged to count as abandoned on systems without file
// locks.
const idleLog = 24 * time.Hour

// Entry is one log in the result of List.
type Entry struct {
	Path string
	Meta
	Updated time.Time // of the last line
	Size    int64     // bytes
}

// List returns the logs in dir, the last written first. It reads only the head and tail of
// each, at most 128 KiB. It skips files that are not logs; a directory that does not exist
// has none.
func List(dir string) ([]Entry, error) {
	files, err := logFiles(dir)
	if err != nil {
		return nil, err
	}
	var all []Entry
	for _, f := range files {
		if e, err := readEntry(f.path); err == nil {
			all = append(all, e)
		}
	}
	slices.SortStableFunc(all, func(a, b Entry) int {
		return cmp.Or(b.Updated.Compare(a.Updated), b.Started.Compare(a.Started), cmp.Compare(b.Path, a.Path))
	})
	return all, nil
}

type logFile struct {
	path    string
	size    int64
	changed time.Time
}

// logFiles returns the regular files of dir that have the name of a log.
func logFiles(dir string) ([]logFile, error) {
	names, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list the logs: %w", err)
	}
	var all []logFile
	for _, n := range names {
		if !strings.HasSuffix(n.Name(), suffix) || !n.Type().IsRegular() {
			continue
		}
		if info, err := n.Info(); err == nil && info.Mode().IsRegular() {
			all = append(all, logFile{filepath.Join(dir, n.Name()), info.Size(), info.ModTime()})
		}
	}
	return all, nil
}

func readEntry(path string) (Entry, error) {
	f, err := os.Open(path)
	if err != nil {
		return Entry{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return Entry{}, err
	}
	buf := make([]byte, window)
	n, err := io.ReadFull(f, buf)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return Entry{}, err
	}
	head, rest, _ := bytes.Cut(buf[:n], []byte("\n"))
	e := Entry{Path: path, Updated: info.ModTime(), Size: info.Size()}
	if e.Meta, err = parseHead(head); err != nil {
		return Entry{}, err
	}
	if info.Size() > int64(n) {
		n, err = f.ReadAt(buf, info.Size()-window)
		if err != nil && err != io.EOF {
			return Entry{}, err
		}
		_, rest, _ = bytes.Cut(buf[:n], []byte("\n")) // the first line is incomplete
	}
	e.readTail(rest)
	return e, nil
}

// readTail reads the last complete meta line and the time of the last complete line.
func (e *Entry) readTail(tail []byte) {
	end := bytes.LastIndexByte(tail, '\n')
	if end < 0 {
		return
	}
	tail = tail[:end]
	timed := false
	for len(tail) > 0 {
		line := tail[bytes.LastIndexByte(tail, '\n')+1:]
		tail = tail[:max(0, len(tail)-len(line)-1)]
		if at, ok := parseTime(envelope.Member(line, "t")); ok && !timed {
			e.Updated, timed = at, true
		}
		if bytes.HasPrefix(line, []byte(`{"meta":`)) {
			if p, ok := parseLine(line); ok && p.meta != nil {
				e.Meta = *p.meta
				return
			}
		}
	}
}

// Prune removes logs that nobody is writing, the oldest first, until at most maxBytes and
// maxFiles are left; 0 means no limit. It skips files that cannot be removed and returns
// the first error.
func Prune(dir string, maxBytes int64, maxFiles int) error {
	files, err := logFiles(dir)
	if err != nil {
		return err
	}
	slices.SortFunc(files, func(a, b logFile) int {
		return cmp.Or(a.changed.Compare(b.changed), cmp.Compare(a.path, b.path))
	})
	count := len(files)
	var size int64
	for _, f := range files {
		size += f.size
	}
	var first error
	for _, f := range files {
		if (maxBytes <= 0 || size <= maxBytes) && (maxFiles <= 0 || count <= maxFiles) {
			break
		}
		if filelock.InUse(f.path, idleLog) {
			continue
		}
		switch err := os.Remove(f.path); {
		case err == nil, errors.Is(err, fs.ErrNotExist):
			size -= f.size
			count--
		case first == nil && !busy(err):
			first = fmt.Errorf("remove an old log: %w", err)
		}
	}
	return first
}

// parseHead parses the first line of a log.
func parseHead(line []byte) (Meta, error) {
	var head struct {
		Parley int `json:"parley"`
		Meta
	}
	if !bytes.HasPrefix(line, []byte(`{"parley":`)) || json.Unmarshal(line, &head) != nil {
		return Meta{}, ErrNotRecord
	}
	if head.Parley != version {
		return Meta{}, fmt.Errorf("%w of version %d", ErrNotRecord, version)
	}
	return head.Meta, nil
}
