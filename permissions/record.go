package permissions

import (
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
)

// Bounds of the record: of one session's file, which then becomes the one before
// it, and of the text of one entry.
const (
	maxRecord = 4 << 20
	maxShown  = 4 << 10
	maxRead   = 4 * maxShown // of which secrets are looked for
	maxListed = 50           // files, hosts
	maxRoots  = 10           // of each file
)

// Entry is one line of the record.
type Entry struct {
	Time    time.Time `json:"time"`
	Session string    `json:"session"`
	Key     uint64    `json:"key"` // of the question, in this run of parley
	Run     string    `json:"run"` // names the run

	// Of a question and its answer.
	Origin   string `json:"origin,omitempty"` // agent or parley
	Tool     string `json:"tool,omitempty"`   // id of the tool call
	Shown    string `json:"shown,omitempty"`  // its heading and what stood below it, cut
	Digest   string `json:"digest,omitempty"` // SHA-256 of all that was to read
	Facts    *Facts `json:"facts,omitempty"`
	Asked    bool   `json:"asked,omitempty"` // the user was
	Decision string `json:"decision,omitempty"`
	Allowed  bool   `json:"allowed,omitempty"`
	By       string `json:"by,omitempty"`
	Changed  string `json:"changed,omitempty"`  // SHA-256 of the text that the user put in place of what was asked
	Attended bool   `json:"attended,omitempty"` // the command got the user's keyboard

	// Of what came of it.
	Outcome string `json:"outcome,omitempty"`
}

// Record writes down every question with its answer, a file of JSON lines for each
// session, readable for the user alone, and never changes what stands there. All
// methods may be called from any goroutine and none waits for the disk but Close.
// What a question refers to must not change behind it.
type Record struct {
	dir    string
	run    string
	redact func([]string) []string
	failed func(error) // told of the first write that does not work

	mu     sync.Mutex
	queue  []Entry
	more   chan struct{}
	closed bool
	done   chan struct{}
}

// NewRecord begins a record in a directory, which is made when something is to be
// written. run names this run of parley. redact takes secrets out of the words of a
// command, or out of a text, which is a single word to it, and returns a copy; failed
// hears of the first error. Each may be nil.
func NewRecord(dir, run string, redact func([]string) []string, failed func(error)) *Record {
	if redact == nil {
		redact = slices.Clone[[]string]
	}
	r := &Record{dir: dir, run: run, redact: redact, failed: failed, more: make(chan struct{}, 1), done: make(chan struct{})}
	go r.write()
	return r
}

// Settled writes down a question and its answer.
func (r *Record) Settled(q Question, a Answer, asked bool) {
	e := Entry{Time: time.Now(), Session: q.Session, Key: q.Key, Run: r.run, Origin: "agent", Tool: q.Tool, Shown: cut(shownText(q), maxRead), Digest: q.Digest(),
		Facts: &q.Facts, Asked: asked, Decision: "cancelled", By: a.By}
	if q.Origin == FromParley {
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

// Came writes down what came of a question: written, refused, the error.
func (r *Record) Came(session string, key uint64, outcome string) {
	r.add(Entry{Time: time.Now(), Session: session, Key: key, Run: r.run, Outcome: outcome})
}

// safe is an entry that may be written: bounded, without secrets. Its facts are a
// copy.
func (r *Record) safe(e Entry) Entry {
	for _, s := range []*string{&e.Shown, &e.Tool, &e.Decision, &e.By, &e.Outcome} {
		*s = r.text(*s)
	}
	if e.Facts == nil {
		return e
	}
	f := *e.Facts
	f.Look, f.Below = nil, nil
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
		file.Path, file.Asked, file.Roots = r.text(file.Path), r.text(file.Asked), r.texts(file.Roots, maxRoots)
	}
	e.Facts = &f
	return e
}

// texts are the first of some texts, as they may be written.
func (r *Record) texts(all []string, most int) []string {
	out := slices.Clone(all[:min(len(all), most)])
	for i, s := range out {
		out[i] = r.text(s)
	}
	return out
}

// words are the first words of a command, as they may be written. They are looked at
// together: the one before may say that a word is a secret.
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

// text is a text that may be written. It is cut last, or half a secret might be left,
// which nobody knows for one.
func (r *Record) text(s string) string {
	return cut(r.redact([]string{cut(s, maxRead)})[0], maxShown)
}

// cut keeps the beginning.
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

// write is a goroutine.
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

// append writes one line in one go, so that several parleys may do so at once.
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
	if torn(f) { // by a full disk, and this one is to be whole
		line = append([]byte{'\n'}, line...)
	}
	_, err = f.Write(append(line, '\n'))
	return errors.Join(err, f.Close())
}

// torn tells whether a file ends in the midst of a line.
func torn(f *os.File) bool {
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return false
	}
	var last [1]byte
	n, _ := f.ReadAt(last[:], info.Size()-1)
	return n == 1 && last[0] != '\n'
}

// recordName is a session's file: its id says nothing that a path may hold.
func recordName(session string) string {
	sum := sha256.Sum256([]byte(session))
	return hex.EncodeToString(sum[:12]) + ".jsonl"
}

// Close writes what waits and ends the record.
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

// shownText is what a question puts before the user.
func shownText(q Question) string {
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

// Digest names all that a question lets the user read: the same question has the
// same one.
func (q *Question) Digest() string {
	h := sha256.New()
	add := func(s string) { fmt.Fprintf(h, "%d:%s", len(s), s) }
	add(q.Heading)
	add(q.Words)
	for _, p := range q.Body {
		fmt.Fprintf(h, "%d,%t", p.Kind, p.OldNone)
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

// ReadRecord reads the newest entries of a session, the oldest of them first. A
// session without a record has none. A line that is cut off is left out.
func ReadRecord(dir, session string, most int) ([]Entry, error) {
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

// LastAsked returns the facts of the questions that were put to the user last, in
// any session, the newest first.
func LastAsked(dir string, most int) ([]Facts, error) {
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
	sortEntries(all)
	var out []Facts
	for _, e := range all[:min(most, len(all))] {
		out = append(out, *e.Facts)
	}
	return out, nil
}
