package memory

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"parley/internal/atomicfile"
	"parley/internal/filelock"
)

// Limits of a history. The file may grow to twice of that before it is rewritten.
const (
	maxEntries = 1000
	maxBytes   = 4 << 20
	maxEntry   = 256 << 10 // longer prompts are not stored
)

// HistoryStore stores the prompts of a project between runs. Its methods may block and are called
// from any goroutine. It is an interface for the reason of DraftStore.
type HistoryStore interface {
	Load() ([]string, error) // oldest first
	Add(text string) error
}

// History is the prompts sent in a project, oldest first: a file of JSON lines that only
// grows until it is rewritten with the entries worth keeping. Unreadable lines are skipped.
type History struct {
	path string
	now  func() time.Time
	open func(path string) (appender, error)

	mu      sync.Mutex
	file    fs.FileInfo // the one that was read, to detect its replacement
	read    int64       // bytes of it that were processed
	tail    []byte      // the last of these: a new file may reuse the inode of a removed one
	entries []entry     // at most 2 * maxEntries
	kept    int         // lines in the file
}

// appender is an open file that accepts one line. It is an interface so that tests have full disks.
type appender interface {
	io.WriteCloser
	Stat() (fs.FileInfo, error)
}

// entry is a line of the file. Two lines with the same time and text are one prompt,
// written twice because the file was replaced meanwhile.
type entry struct {
	At   time.Time `json:"t"`
	Text string    `json:"prompt"`
}

// NewHistory returns the history of a project below dir. It reads nothing yet.
func NewHistory(dir, project string) *History {
	return &History{path: filepath.Join(dir, "history", fileName(project, project)+".jsonl"), now: time.Now, open: openAppend}
}

func openAppend(path string) (appender, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err // an interface that holds a nil *os.File is not nil
	}
	return f, nil
}

// Load returns the prompts, oldest first, each text at its latest use. It includes what
// other processes have added. A missing file is an empty history.
func (h *History) Load() ([]string, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := h.catchUp(); err != nil {
		return nil, fmt.Errorf("read the history: %w", err)
	}
	return distinct(h.entries), nil
}

// distinct returns the texts, each at its newest entry.
func distinct(entries []entry) []string {
	last := make(map[string]int, len(entries))
	for i, e := range entries {
		last[e.Text] = i
	}
	out := make([]string, 0, len(last))
	for i, e := range entries {
		if last[e.Text] == i {
			out = append(out, e.Text)
		}
	}
	return out[max(0, len(out)-maxEntries):]
}

// Add appends a prompt. Blank and very long prompts and repeats of the newest are ignored.
func (h *History) Add(text string) error {
	if strings.TrimSpace(text) == "" || len(text) > maxEntry {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := h.catchUp(); err != nil {
		return fmt.Errorf("read the history: %w", err)
	}
	if n := len(h.entries); n > 0 && h.entries[n-1].Text == text {
		return nil
	}
	if err := h.append(entry{h.now().UTC(), strings.ToValidUTF8(text, "\uFFFD")}); err != nil {
		return fmt.Errorf("keep the history: %w", err)
	}
	if err := h.catchUp(); err != nil {
		return fmt.Errorf("read the history: %w", err)
	}
	if h.read > 2*maxBytes || h.kept > 2*maxEntries {
		if err := h.shrink(); err != nil {
			return fmt.Errorf("shorten the history: %w", err)
		}
	}
	return nil
}

// append writes one line with one write, so that lines of several processes do not mix. If
// the file was replaced meanwhile, it writes the line to the new one.
func (h *History) append(e entry) error {
	if err := makeDirs(h.path); err != nil {
		return err
	}
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	// The previous line, if a full disk cut it short, must not spoil this one.
	line = append(append([]byte{'\n'}, line...), '\n')
	for range 10 {
		f, err := h.open(h.path)
		if err != nil {
			return err
		}
		if file, ok := f.(*os.File); ok {
			filelock.Share(file) // prevents its replacement until it is closed
		}
		mine, err := f.Stat()
		there, gone := os.Stat(h.path) // while the file is open, no other has its inode
		if gone == nil && err == nil && !os.SameFile(mine, there) {
			f.Close()
			continue
		}
		if err == nil {
			_, err = f.Write(line)
		}
		if gone == nil {
			there, gone = os.Stat(h.path) // for systems without locks
		}
		if closed := f.Close(); err == nil {
			err = closed
		}
		if err != nil {
			return err
		}
		if gone == nil && os.SameFile(mine, there) {
			return nil
		}
	}
	return errors.New("the file is replaced all the time")
}

// catchUp reads what is new in the file: all of it if the file was replaced.
func (h *History) catchUp() error {
	f, err := os.Open(h.path)
	if errors.Is(err, fs.ErrNotExist) {
		h.file, h.read, h.tail, h.entries, h.kept = nil, 0, nil, nil, 0
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if !h.isRead(f, info) {
		h.read, h.tail, h.entries, h.kept = 0, nil, nil, 0
		if skip := info.Size() - 4*maxBytes; skip > 0 { // not written by parley, whose files never get that large
			h.read = skip
		}
	}
	h.file = info
	if info.Size() == h.read {
		return nil
	}
	data := make([]byte, info.Size()-h.read)
	n, err := f.ReadAt(data, h.read)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	end := bytes.LastIndexByte(data[:n], '\n') + 1 // the rest is being written
	if end > 0 {
		h.read += int64(end)
		h.tail = bytes.Clone(data[max(0, end-maxTail):end])
	}
	h.addLines(data[:end])
	return nil
}

// maxTail is how many bytes identify a file. Lines contain the time.
const maxTail = 256

// isRead reports whether an open file is the one that was read.
func (h *History) isRead(f *os.File, info fs.FileInfo) bool {
	if h.file == nil || !os.SameFile(h.file, info) || info.Size() < h.read {
		return false
	}
	tail := make([]byte, len(h.tail))
	_, err := f.ReadAt(tail, h.read-int64(len(tail)))
	return (err == nil || errors.Is(err, io.EOF)) && bytes.Equal(tail, h.tail)
}

// addLines adds complete lines.
func (h *History) addLines(data []byte) {
	for line := range bytes.Lines(data) {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		h.kept++
		var e entry
		if len(line) > 8*maxEntry || json.Unmarshal(line, &e) != nil || strings.TrimSpace(e.Text) == "" || len(e.Text) > maxEntry || !utf8.ValidString(e.Text) {
			continue
		}
		if !h.has(e) {
			h.entries = append(h.entries, e)
		}
	}
	if over := len(h.entries) - 2*maxEntries; over > 0 {
		h.entries = append(h.entries[:0], h.entries[over:]...)
	}
}

// has reports whether an entry is known. A second copy follows soon after the first.
func (h *History) has(e entry) bool {
	for i := len(h.entries) - 1; i >= max(0, len(h.entries)-100); i-- {
		if h.entries[i].At.Equal(e.At) && h.entries[i].Text == e.Text {
			return true
		}
	}
	return false
}

// shrink rewrites the file with the newest entries. If the file system has locks, no one
// appends to the old file meanwhile. If it has none, entries appended by others are kept:
// those before the replacement because shrink looks again, later ones because their writers
// notice the new file.
func (h *History) shrink() error {
	old, err := os.Open(h.path)
	if err != nil {
		return err
	}
	defer old.Close()
	if !filelock.Lock(old) {
		return nil // another process is doing it
	}
	info, err := old.Stat()
	if err != nil || !h.isRead(old, info) {
		return err
	}
	if there, err := os.Stat(h.path); err != nil || !os.SameFile(info, there) {
		return err // another process has done it
	}
	if err := h.catchUp(); err != nil { // entries from before the lock
		return err
	}
	var data []byte
	for _, e := range newest(h.entries) {
		line, err := json.Marshal(e)
		if err != nil {
			return err
		}
		data = append(append(data, line...), '\n')
	}
	if err := atomicfile.Write(h.path, data); err != nil {
		return err
	}
	rest, err := io.ReadAll(io.NewSectionReader(old, h.read, maxBytes))
	h.file, h.read, h.tail, h.entries, h.kept = nil, 0, nil, nil, 0
	if err != nil || len(bytes.TrimSpace(rest)) == 0 {
		return err
	}
	f, err := h.open(h.path)
	if err != nil {
		return err
	}
	_, err = f.Write(append([]byte{'\n'}, rest...))
	return errors.Join(err, f.Close())
}

// newest returns the entries worth keeping.
func newest(entries []entry) []entry {
	from, size := len(entries), 0
	for from > 0 && len(entries)-from < maxEntries {
		if size += len(entries[from-1].Text) + 64; size > maxBytes {
			break
		}
		from--
	}
	return entries[from:]
}
