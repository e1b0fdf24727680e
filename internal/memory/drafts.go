package memory

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"parley/internal/atomicfile"
	"parley/internal/notes"
)

// Limits of the drafts of all projects. The oldest are removed first.
const (
	maxDrafts = 200
	draftLife = 90 * 24 * time.Hour
	maxDraft  = 16 << 20 // bytes of one
)

// Key identifies a draft: that of a session of an agent or, without a session, the one left
// in a project for the agent. An agent may number its sessions from one in every project,
// so the project is always part of the key.
type Key struct {
	Dir     string // of the session; "" for the directory parley was started in
	Agent   string
	Session string // the agent's id, verbatim
}

// OfProject returns the key under which the next session in the project finds the draft.
func (k Key) OfProject() Key { return Key{Dir: k.Dir, Agent: k.Agent} }

// Part is a piece of a draft: typed, or pasted and shown as a chip.
type Part struct {
	Text   string `json:"text"`
	Pasted bool   `json:"pasted,omitempty"`
}

// Draft is what was typed and not sent.
type Draft struct {
	Parts   []Part       `json:"parts,omitempty"`  // of the composer
	Queued  []string     `json:"queued,omitempty"` // queued prompts, oldest first
	Notes   []notes.Note `json:"notes,omitempty"`
	Session string       `json:"session,omitempty"` // for a draft left in a project: the session it was typed in
}

// Empty reports whether the draft contains nothing.
func (d Draft) Empty() bool {
	for _, p := range d.Parts {
		if strings.TrimSpace(p.Text) != "" {
			return false
		}
	}
	return len(d.Queued)+len(d.Notes) == 0
}

// Equal reports whether both drafts contain the same.
func (d Draft) Equal(other Draft) bool {
	return slices.Equal(d.Parts, other.Parts) && slices.Equal(d.Queued, other.Queued) && slices.Equal(d.Notes, other.Notes) || d.Empty() && other.Empty()
}

// All returns the prompts of the queue, which are never sent unasked, and then the text.
func (d Draft) All() (parts []Part) {
	for i, q := range d.Queued {
		if i > 0 {
			parts = append(parts, Part{Text: "\n\n"})
		}
		parts = append(parts, Part{Text: q, Pasted: true})
	}
	if len(d.Queued) > 0 && len(d.Parts) > 0 {
		parts = append(parts, Part{Text: "\n\n"})
	}
	return append(parts, d.Parts...)
}

// Text returns all of a draft as one text.
func (d Draft) Text() string {
	var b strings.Builder
	for _, p := range d.All() {
		b.WriteString(p.Text)
	}
	return b.String()
}

// DraftStore stores drafts between runs. Its methods may block and are called from any
// goroutine. It is an interface so that tests of front ends have disks that are slow or fail.
type DraftStore interface {
	Load(Key) (Draft, error) // an empty Draft if there is none
	Save(Key, Draft) error   // an empty Draft deletes it
}

// Drafts are the drafts of a project: a small file each, replaced as a whole.
type Drafts struct {
	dir, project string
	now          func() time.Time

	mu  sync.Mutex
	old map[Key]string // files of an older parley that were read in place of the key's own file
}

// NewDrafts returns the drafts of a project below dir. It reads nothing yet.
func NewDrafts(dir, project string) *Drafts {
	return &Drafts{dir: filepath.Join(dir, "drafts"), project: project, now: time.Now, old: map[Key]string{}}
}

func (d *Drafts) projectOf(k Key) string {
	if filepath.IsAbs(k.Dir) {
		return Project(k.Dir)
	}
	return d.project
}

func (d *Drafts) path(k Key) string {
	project := d.projectOf(k)
	return filepath.Join(d.dir, fileName(project, "draft", project, k.Agent, k.Session)+".json")
}

// Load returns a draft, empty if there is none or the file is corrupt.
func (d *Drafts) Load(k Key) (Draft, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	draft, err := read(d.path(k))
	if !errors.Is(err, fs.ErrNotExist) {
		return draft.Draft, err
	}
	path, old, err := d.older(k)
	if err == nil && path != "" {
		d.old[k] = path
	}
	return old, err
}

// file is a draft with a member that only older parleys wrote.
type file struct {
	Draft
	Agent string `json:"agent"` // of a draft left in a project
}

func read(path string) (file, error) {
	f, err := os.Open(path)
	if err != nil {
		return file{}, fmt.Errorf("read the draft: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, 2*maxDraft))
	if err != nil {
		return file{}, fmt.Errorf("read the draft: %w", err)
	}
	var draft file
	if json.Unmarshal(data, &draft) != nil {
		return file{}, nil
	}
	return draft, nil
}

// Save stores a draft in place of the previous one; an empty draft removes it.
func (d *Drafts) Save(k Key, draft Draft) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	path := d.path(k)
	if draft.Empty() {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("forget the draft: %w", err)
		}
		d.removeOlder(k, true)
		return nil
	}
	data, err := json.Marshal(draft)
	if err == nil && len(data) > maxDraft {
		err = errors.New("it is too long")
	}
	if err == nil {
		err = makeDirs(path)
	}
	_, before := os.Lstat(path)
	if err == nil {
		err = atomicfile.Write(path, data)
	}
	if err != nil {
		return fmt.Errorf("keep the draft: %w", err)
	}
	d.removeOlder(k, false)
	if before != nil {
		d.prune()
	}
	return nil
}

// prune removes drafts that are too old, and the oldest of too many. It leaves files that
// another process is writing.
func (d *Drafts) prune() {
	files, err := os.ReadDir(d.dir) // by name
	if err != nil {
		return
	}
	var oldest fs.FileInfo
	count := 0
	for _, f := range files {
		info, err := f.Info()
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		age := d.now().Sub(info.ModTime())
		switch {
		case age > draftLife, strings.HasSuffix(f.Name(), atomicfile.Unfinished) && age > time.Hour:
			os.Remove(filepath.Join(d.dir, f.Name()))
			continue
		}
		count++
		if oldest == nil || info.ModTime().Before(oldest.ModTime()) {
			oldest = info
		}
	}
	if count > maxDrafts && oldest != nil { // one is added, one is removed
		os.Remove(filepath.Join(d.dir, oldest.Name()))
	}
}
