package memory

import (
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

	"parley/internal/atomicfile"
)

// Bounds of the drafts of all projects. The oldest go first.
const (
	maxDrafts = 200
	draftLife = 90 * 24 * time.Hour
	maxDraft  = 16 << 20 // bytes of one
)

// Key says whose draft it is: that of a session of an agent, or, without a
// session, the one that was left in a project for the agent. An agent may number
// its sessions from one in every project, so the project is always part of it.
type Key struct {
	Dir     string // the session's; "" for where parley was started
	Agent   string
	Session string // the agent's id, verbatim
}

// Part is a piece of a draft: typed, or pasted and shown as a chip.
type Part struct {
	Text   string `json:"text"`
	Pasted bool   `json:"pasted,omitempty"`
}

// Draft is what was typed and not sent.
type Draft struct {
	Parts   []Part   `json:"parts,omitempty"`   // of the composer
	Queued  []string `json:"queued,omitempty"`  // prompts that waited, oldest first
	Session string   `json:"session,omitempty"` // of one left in a project: the session it was typed in
}

// Empty tells whether there is nothing in it.
func (d Draft) Empty() bool {
	for _, p := range d.Parts {
		if strings.TrimSpace(p.Text) != "" {
			return false
		}
	}
	return len(d.Queued) == 0
}

// Drafts are those of a project: a small file each, replaced as a whole.
type Drafts struct {
	dir, project string
	now          func() time.Time

	mu  sync.Mutex
	old map[Key]string // files of an older parley that were read in place of the key's own
}

// NewDrafts are the drafts of a project below dir. It reads nothing yet.
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

// Load returns a draft; an empty one where there is none. What cannot be read as
// a draft is none.
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

// file is a draft with what only an older parley has written.
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

// Save keeps a draft in the place of the one before; an empty one is none.
func (d *Drafts) Save(k Key, draft Draft) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	path := d.path(k)
	if draft.Empty() {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("forget the draft: %w", err)
		}
		d.moved(k, true)
		return nil
	}
	data, err := json.Marshal(draft)
	if err == nil && len(data) > maxDraft {
		err = errors.New("it is too long")
	}
	if err == nil {
		err = private(path)
	}
	_, before := os.Lstat(path)
	if err == nil {
		err = atomicfile.Write(path, data)
	}
	if err != nil {
		return fmt.Errorf("keep the draft: %w", err)
	}
	d.moved(k, false)
	if before != nil {
		d.prune()
	}
	return nil
}

// prune forgets drafts of long ago, and the oldest of very many. What another
// process is just writing stays.
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
	if count > maxDrafts && oldest != nil { // one came, one goes
		os.Remove(filepath.Join(d.dir, oldest.Name()))
	}
}
