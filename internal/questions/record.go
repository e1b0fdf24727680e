// Package questions keeps every question of permissions, and its answer, on disk.
package questions

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"parley/permissions"
)

// Bounds of the record: the size of a session's file, which is then rotated, and of the text of
// one entry.
const (
	maxRecord = 4 << 20
	maxShown  = 4 << 10
	maxRead   = 4 * maxShown // how much of a text is searched for secrets
	maxListed = 50           // files, hosts
	maxRoots  = 10           // of each file
)

// Entry is one line of the record.
type Entry struct {
	Time    time.Time `json:"time"`
	Session string    `json:"session"`
	Key     uint64    `json:"key"` // of the question, in this run of parley
	Run     string    `json:"run"` // identifies the run

	// For a question and its answer.
	Origin   string             `json:"origin,omitempty"`   // agent or parley
	Subagent string             `json:"subagent,omitempty"` // title of the sub-agent that asked
	Tool     string             `json:"tool,omitempty"`     // id of the tool call
	Shown    string             `json:"shown,omitempty"`    // its heading and body, shortened
	Digest   string             `json:"digest,omitempty"`   // SHA-256 of everything shown
	Facts    *permissions.Facts `json:"facts,omitempty"`
	Asked    bool               `json:"asked,omitempty"` // the user was asked
	Decision string             `json:"decision,omitempty"`
	Allowed  bool               `json:"allowed,omitempty"`
	By       string             `json:"by,omitempty"`
	Changed  string             `json:"changed,omitempty"`  // SHA-256 of the text that the user wrote instead
	Attended bool               `json:"attended,omitempty"` // the command got the user's keyboard

	// For its outcome.
	Outcome string `json:"outcome,omitempty"`
}

// Record writes every question with its answer to disk: one file of JSON lines for each
// session, readable by the user only and append-only. All methods are safe for concurrent use,
// and only Close waits for the disk. What a question refers to must not change after it was
// recorded.
type Record struct {
	dir    string
	run    string
	redact func([]string) []string
	failed func(error) // called with the first error

	mu     sync.Mutex
	queue  []Entry
	more   chan struct{}
	closed bool
	done   chan struct{}
}

// NewRecord returns a record in a directory, which is created with the first write. run
// identifies this run of parley. redact removes secrets from the words of a command, or from a
// text, passed as one word, and returns a copy. failed is called with the first error. Both may
// be nil.
func NewRecord(dir, run string, redact func([]string) []string, failed func(error)) *Record {
	if redact == nil {
		redact = slices.Clone[[]string]
	}
	r := &Record{dir: dir, run: run, redact: redact, failed: failed, more: make(chan struct{}, 1), done: make(chan struct{})}
	go r.write()
	return r
}

// RecordAnswer records a question and its answer. asked reports whether the user was asked.
func (r *Record) RecordAnswer(q permissions.Question, a permissions.Answer, asked bool) {
	e := Entry{Time: time.Now(), Session: q.Session, Key: q.Key, Run: r.run, Origin: "agent", Subagent: q.Subagent, Tool: q.Tool, Shown: cut(shownText(q), maxRead), Digest: digest(q),
		Facts: &q.Facts, Asked: asked, Decision: "cancelled", By: a.By}
	if q.Origin == permissions.FromParley {
		e.Origin = "parley"
	}
	for _, o := range q.Options {
		if !a.Cancelled && o.ID == a.OptionID {
			e.Decision, e.Allowed = o.Name, o.Allows()
		}
	}
	e.Attended = a.Attended
	if a.Text != nil {
		sum := sha256.Sum256([]byte(*a.Text))
		e.Changed = hex.EncodeToString(sum[:])
	}
	r.add(e)
}

// RecordOutcome records the outcome of a question: written, refused, the error.
func (r *Record) RecordOutcome(session string, key uint64, outcome string) {
	r.add(Entry{Time: time.Now(), Session: session, Key: key, Run: r.run, Outcome: outcome})
}

// safe returns an entry that may be written: bounded, without secrets, and with its own copy of
// the facts.
func (r *Record) safe(e Entry) Entry {
	for _, s := range []*string{&e.Shown, &e.Subagent, &e.Tool, &e.Decision, &e.By, &e.Outcome} {
		*s = r.text(*s)
	}
	if e.Facts == nil {
		return e
	}
	f := *e.Facts
	f.Resolve, f.Walk = nil, nil
	f.Agent, f.Kind, f.Tool = r.text(f.Agent), r.text(f.Kind), r.text(f.Tool)
	f.Hosts = r.texts(f.Hosts, maxListed)
	f.Commands = slices.Clone(f.Commands)
	for i := range f.Commands {
		c := &f.Commands[i]
		c.Line, c.Dir, c.Words = r.text(c.Line), r.text(c.Dir), r.words(c.Words)
	}
	f.Files = slices.Clone(f.Files[:min(len(f.Files), maxListed)])
	for i := range f.Files {
		file := &f.Files[i]
		file.Path, file.RequestedPath, file.Roots = r.text(file.Path), r.text(file.RequestedPath), r.texts(file.Roots, maxRoots)
	}
	e.Facts = &f
	return e
}

// texts returns the first texts, as they may be written.
func (r *Record) texts(all []string, most int) []string {
	out := slices.Clone(all[:min(len(all), most)])
	for i, s := range out {
		out[i] = r.text(s)
	}
	return out
}

// words returns the first words of a command, as they may be written. They are redacted
// together, since one word may show that the next is a secret.
func (r *Record) words(all []string) []string {
	var out []string
	for left := maxRead; len(out) < len(all) && left > 0; {
		w := cut(all[len(out)], maxRead)
		out, left = append(out, w), left-len(w)-1
	}
	if out == nil {
		return nil
	}
	out = r.redact(out)
	for i, w := range out {
		out[i] = cut(w, maxShown)
	}
	return out
}

// text returns a text as it may be written. It is shortened last: half a secret would not be
// recognised.
func (r *Record) text(s string) string {
	return cut(r.redact([]string{cut(s, maxRead)})[0], maxShown)
}

// cut shortens s to at most n bytes.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}

func (r *Record) add(e Entry) {
	r.mu.Lock()
	if !r.closed {
		r.queue = append(r.queue, e)
	}
	r.mu.Unlock()
	select {
	case r.more <- struct{}{}:
	default:
	}
}

// write runs on its own goroutine.
func (r *Record) write() {
	defer close(r.done)
	told := false
	for range r.more {
		r.mu.Lock()
		queue, closed := r.queue, r.closed
		r.queue = nil
		r.mu.Unlock()
		for _, e := range queue {
			if err := r.append(r.safe(e)); err != nil && !told && r.failed != nil {
				told = true
				r.failed(fmt.Errorf("write the record of questions: %w", err))
			}
		}
		if closed {
			return
		}
	}
}

// append writes one line with one write, so that several processes can append at once.
func (r *Record) append(e Entry) error {
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(r.dir, 0o700); err != nil {
		return err
	}
	name := filepath.Join(r.dir, recordName(e.Session))
	if info, err := os.Lstat(name); err == nil && info.Size() > maxRecord {
		if err := os.Rename(name, name+".1"); err != nil {
			return err
		}
	}
	f, err := os.OpenFile(name, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	if torn(f) { // by a full disk; start a new line
		line = append([]byte{'\n'}, line...)
	}
	_, err = f.Write(append(line, '\n'))
	return errors.Join(err, f.Close())
}

// torn reports whether a file ends within a line.
func torn(f *os.File) bool {
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return false
	}
	var last [1]byte
	n, _ := f.ReadAt(last[:], info.Size()-1)
	return n == 1 && last[0] != '\n'
}

// recordName returns the name of a session's file: a hash, since a session id may hold
// anything.
func recordName(session string) string {
	sum := sha256.Sum256([]byte(session))
	return hex.EncodeToString(sum[:12]) + ".jsonl"
}

// Close writes the pending entries and ends the record.
func (r *Record) Close() {
	r.mu.Lock()
	was := r.closed
	r.closed = true
	r.mu.Unlock()
	if !was {
		select {
		case r.more <- struct{}{}:
		default:
		}
	}
	<-r.done
}

// shownText returns what a question shows the user.
func shownText(q permissions.Question) string {
	var b strings.Builder
	b.WriteString(q.Heading)
	for _, p := range q.Body {
		b.WriteByte('\n')
		for _, s := range []string{p.Label, p.Path, p.Text} {
			if s != "" {
				b.WriteString(s)
				b.WriteByte(' ')
			}
		}
	}
	return b.String()
}

// digest identifies everything that a question shows: equal questions have equal digests.
func digest(q permissions.Question) string {
	h := sha256.New()
	add := func(s string) { fmt.Fprintf(h, "%d:%s", len(s), s) }
	add(q.Heading)
	add(q.Description)
	for _, p := range q.Body {
		fmt.Fprintf(h, "%d,%t", p.Kind, p.NewFile)
		for _, s := range []string{p.Label, p.Path, p.Old, p.Text} {
			add(s)
		}
	}
	for _, o := range q.Options {
		add(o.ID)
		add(o.Name)
		add(o.Kind)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Read returns the newest entries of a session, oldest first. A session without a record
// has none. An incomplete line is skipped.
func Read(dir, session string, most int) ([]Entry, error) {
	name := filepath.Join(dir, recordName(session))
	var all []Entry
	for _, n := range []string{name + ".1", name} {
		entries, err := readEntries(n)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
		all = append(all, entries...)
	}
	return all[max(0, len(all)-most):], nil
}

func readEntries(name string) ([]Entry, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, 2*maxRecord))
	if err != nil {
		return nil, err
	}
	var out []Entry
	for line := range strings.Lines(string(data)) {
		var e Entry
		if strings.HasSuffix(line, "\n") && json.Unmarshal([]byte(line), &e) == nil {
			out = append(out, e)
		}
	}
	return out, nil
}

// LastAsked returns the facts of the questions that the user was asked last, in any session,
// newest first.
func LastAsked(dir string, most int) ([]permissions.Facts, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.jsonl*"))
	if err != nil {
		return nil, err
	}
	var all []Entry
	for _, name := range newest(names, 20) {
		entries, err := readEntries(name)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			if e.Asked && e.Facts != nil {
				all = append(all, e)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b Entry) int { return b.Time.Compare(a.Time) })
	var out []permissions.Facts
	for _, e := range all[:min(most, len(all))] {
		out = append(out, *e.Facts)
	}
	return out, nil
}

// newest returns the most recently changed files, at most that many.
func newest(names []string, most int) []string {
	at := map[string]int64{}
	for _, n := range names {
		if info, err := os.Stat(n); err == nil {
			at[n] = info.ModTime().UnixNano()
		}
	}
	names = slices.DeleteFunc(slices.Clone(names), func(n string) bool { return at[n] == 0 })
	slices.SortFunc(names, func(a, b string) int { return cmp.Compare(at[b], at[a]) })
	return names[:min(most, len(names))]
}
