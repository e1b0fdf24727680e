// Package installs installs agents of the registry into directories of parley's own, so that a start needs
// no network and no project can interfere. Nothing is installed without a call of Plan.Install.
//
// An agent is in ID/VERSION of the Store. Its record is written last: a directory without one is what an
// installation that failed has left, and does not count. Which version is used says a file beside them, which
// is replaced only after the new version has answered.
package installs

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"parley/internal/agents"
	"parley/internal/atomicfile"
	"parley/internal/filelock"
	"parley/internal/programs"
	"parley/internal/registry"
	"parley/internal/safetext"
	"parley/internal/smallfile"
)

// Names in the directory of an agent, and in that of a version.
const (
	selectedFile = "selected.json"
	lockFile     = "lock"
	recordFile   = "agent.json"
	filesDir     = "files"
	logFile      = "install.log"
)

// ErrNotInstalled means that the Store does not have an agent, or a version of it.
var ErrNotInstalled = errors.New("not installed")

// Store is where agents are installed. It may be used by several processes.
type Store struct {
	Dir string // absolute
}

// Record says what was installed. Its texts were made safe by package registry.
type Record struct {
	ID          string            `json:"id"`
	Name        string            `json:"name"`
	Version     string            `json:"version"`
	Description string            `json:"description,omitempty"`
	License     string            `json:"license,omitempty"`
	How         string            `json:"how"`               // npx, uvx or binary
	Package     string            `json:"package,omitempty"` // without the version
	URL         string            `json:"url,omitempty"`     // that was downloaded
	SHA256      string            `json:"sha256,omitempty"`  // of what was downloaded
	Program     string            `json:"program"`           // below the directory of the files
	Interpreter string            `json:"interpreter,omitempty"`
	Args        []string          `json:"args,omitempty"`
	Env         map[string]string `json:"env,omitempty"`
	Installed   time.Time         `json:"installed"`
}

// Installed is an agent of the Store.
type Installed struct {
	Record        // of the version that is used
	Pinned bool   // updates leave it alone
	Dir    string // of the version that is used
}

// selected is the file that says which version is used.
type selected struct {
	Version  string `json:"version"`
	Previous string `json:"previous,omitempty"` // used before; it is not pruned
	Pinned   bool   `json:"pinned,omitempty"`
}

// Agent returns the agent as it is started.
func (i Installed) Agent() agents.Agent {
	program := filepath.Join(i.Dir, filesDir, filepath.FromSlash(i.Program))
	a := agents.Agent{Name: i.ID, ID: i.ID, Title: i.Name, Description: i.Description, Command: program, Args: i.Args, Env: i.Env, Version: i.Version,
		Found: program, Interpreter: i.Interpreter, Source: agents.Installed}
	if i.How == "npx" {
		a.Package = i.Package
	}
	return a
}

// List returns the installed agents, by id. One that cannot be read is left out.
func (s Store) List() []Installed {
	entries, _ := os.ReadDir(s.Dir)
	var all []Installed
	for _, e := range entries {
		if i, err := s.Find(e.Name()); err == nil {
			all = append(all, i)
		}
	}
	return all
}

// Find returns an installed agent. The error is ErrNotInstalled if it is not.
func (s Store) Find(id string) (Installed, error) {
	at, err := s.selected(id)
	if err != nil {
		return Installed{}, err
	}
	r, err := s.record(id, at.Version)
	if err != nil {
		return Installed{}, err
	}
	return Installed{Record: r, Pinned: at.Pinned, Dir: s.version(id, at.Version)}, nil
}

func (s Store) version(id, version string) string { return filepath.Join(s.Dir, id, version) }

// selected reads which version is used.
func (s Store) selected(id string) (at selected, err error) {
	if !registry.IsID(id) {
		return at, ErrNotInstalled
	}
	err = readJSON(filepath.Join(s.Dir, id, selectedFile), &at)
	if err != nil || !registry.IsVersion(at.Version) {
		return at, ErrNotInstalled
	}
	return at, nil
}

// record reads the record of a version.
func (s Store) record(id, version string) (r Record, err error) {
	if !registry.IsVersion(version) || readJSON(filepath.Join(s.version(id, version), recordFile), &r) != nil {
		return r, ErrNotInstalled
	}
	if r.ID != id || r.Version != version || !filepath.IsLocal(filepath.FromSlash(r.Program)) {
		return r, ErrNotInstalled
	}
	return r, nil
}

// Versions returns the versions of an agent that are completely there: the one used, then the others by name.
func (s Store) Versions(i Installed) []string {
	all := []string{i.Version}
	entries, _ := os.ReadDir(filepath.Join(s.Dir, i.ID))
	for _, e := range entries {
		if _, err := s.record(i.ID, e.Name()); err == nil && e.Name() != i.Version {
			all = append(all, e.Name())
		}
	}
	return all
}

// Use makes an installed version the one that is used, and pins it or not. Versions but that, the one
// before and pinned ones are removed.
func (s Store) Use(id, version string, pinned bool) error {
	unlock, err := s.lock(id)
	if err != nil {
		return err
	}
	defer unlock()
	return s.use(id, version, pinned)
}

func (s Store) use(id, version string, pinned bool) error {
	if _, err := s.record(id, version); err != nil {
		return err
	}
	old, _ := s.selected(id)
	at := selected{Version: version, Previous: old.Previous, Pinned: pinned}
	if old.Version != version && old.Version != "" {
		at.Previous = old.Version
	}
	data, err := json.Marshal(at)
	if err != nil {
		return err
	}
	if err := atomicfile.Write(filepath.Join(s.Dir, id, selectedFile), data); err != nil {
		return fmt.Errorf("note the version that is used: %w", err)
	}
	s.prune(id, at)
	return nil
}

// prune removes the versions of an agent but the one used and the one before, and what failed installations
// have left. What cannot be removed stays.
func (s Store) prune(id string, at selected) {
	entries, _ := os.ReadDir(filepath.Join(s.Dir, id))
	for _, e := range entries {
		if e.IsDir() && e.Name() != at.Version && e.Name() != at.Previous {
			_ = os.RemoveAll(filepath.Join(s.Dir, id, e.Name()))
		}
	}
}

// Remove removes a version of an agent, or with "" the agent. Removing the version that is used makes the one
// before be used, if it is there.
func (s Store) Remove(id, version string) error {
	at, err := s.selected(id)
	if err != nil {
		return err
	}
	unlock, err := s.lock(id)
	if err != nil {
		return err
	}
	defer unlock()
	if version != "" {
		if _, err := s.record(id, version); err != nil {
			return err
		}
		if version != at.Version {
			return os.RemoveAll(s.version(id, version))
		}
		if _, err := s.record(id, at.Previous); err == nil {
			return errors.Join(s.use(id, at.Previous, false), os.RemoveAll(s.version(id, version)))
		}
	}
	// First what makes it count, so that no half of it does.
	if err := os.Remove(filepath.Join(s.Dir, id, selectedFile)); err != nil {
		return fmt.Errorf("remove %s: %w", id, err)
	}
	if err := os.RemoveAll(filepath.Join(s.Dir, id)); err != nil {
		return fmt.Errorf("remove %s: %w", id, err)
	}
	return nil
}

// lock makes the directory of an agent, and locks it against other parleys.
func (s Store) lock(id string) (unlock func(), err error) {
	if !registry.IsID(id) {
		return nil, fmt.Errorf("%q is no id of an agent", safetext.Line(id, 80))
	}
	if programs.Guarded(s.Dir) {
		return nil, fmt.Errorf("install the agent: %s lies in the project, which could replace it there: set PARLEY_STATE to a directory elsewhere", s.Dir)
	}
	if err := os.MkdirAll(filepath.Join(s.Dir, id), 0o700); err != nil {
		return nil, fmt.Errorf("make a directory for the agent: %w", err)
	}
	f, err := os.OpenFile(filepath.Join(s.Dir, id, lockFile), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("make a directory for the agent: %w", err)
	}
	if !filelock.Lock(f) {
		f.Close()
		return nil, fmt.Errorf("another parley is installing or removing %s", id)
	}
	return func() { f.Close() }, nil
}

// maxFile bounds the files of the Store that are read, in bytes.
const maxFile = 1 << 20

func readJSON(path string, v any) error {
	data, err := smallfile.Read(path, maxFile)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, v)
}
