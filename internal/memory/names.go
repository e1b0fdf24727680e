package memory

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"

	"parley/internal/atomicfile"
	"parley/internal/filelock"
	"parley/internal/safetext"
)

// Limits of the names of sessions. The oldest names are removed first.
const (
	maxNames     = 1000
	maxName      = 100     // characters
	maxNameKey   = 1 << 10 // bytes of the agent's name, and of the session's id
	maxNamesFile = 8 << 20 // bytes
)

// Names are the names that the user gave to sessions, those of all projects in one file. ACP has
// no way to rename a session, so the agents do not know them.
type Names struct {
	path string
	mu   sync.Mutex
}

// named is the name of a session. The file lists them in the order in which they were given.
type named struct {
	Agent   string `json:"agent"`
	Session string `json:"session"` // the agent's id, verbatim
	Name    string `json:"name"`
}

// NewNames returns the names below dir. It reads nothing yet.
func NewNames(dir string) *Names { return &Names{path: filepath.Join(dir, "names.json")} }

// Load reads the names and returns how to look them up: by the name of the agent and the id of
// the session; "" if it has none.
func (n *Names) Load() (func(agent, session string) string, error) {
	all, err := n.read()
	if err != nil {
		return nil, fmt.Errorf("read the names of sessions: %w", err)
	}
	of := make(map[named]string, len(all))
	for _, one := range all {
		of[named{Agent: one.Agent, Session: one.Session}] = safetext.Line(one.Name, maxName)
	}
	return func(agent, session string) string { return of[named{Agent: agent, Session: session}] }, nil
}

// Save stores the name of a session; "" removes it. It leaves a file that it cannot read as it
// is.
func (n *Names) Save(agent, session, name string) error {
	if len(agent) > maxNameKey || len(session) > maxNameKey {
		return errors.New("keep the name of the session: its id is too long")
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if err := n.save(named{agent, session, safetext.Line(name, maxName)}); err != nil {
		return fmt.Errorf("keep the name of the session: %w", err)
	}
	return nil
}

func (n *Names) save(one named) error {
	if err := makeDirs(n.path); err != nil {
		return err
	}
	unlock, err := lock(n.path + ".lock")
	if err != nil {
		return err
	}
	defer unlock()
	all, err := n.read() // another process may have added to it
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(o named) bool { return o.Agent == one.Agent && o.Session == one.Session })
	if one.Name != "" {
		all = append(all, one)
	}
	data, err := json.Marshal(all[max(0, len(all)-maxNames):])
	if err != nil {
		return err
	}
	return atomicfile.Write(n.path, append(data, '\n'))
}

// read returns the names, the oldest first. A missing file has none.
func (n *Names) read() ([]named, error) {
	f, err := os.Open(n.path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) { // nothing was kept there
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxNamesFile+1))
	if err != nil {
		return nil, err
	}
	all := []named{}
	if err := json.Unmarshal(data, &all); err != nil || len(data) > maxNamesFile {
		return nil, fmt.Errorf("%s is damaged: %w; repair or remove it", n.path, cmp.Or(err, errors.New("it is too long")))
	}
	return all, nil
}

// lockPatience is how long to wait for another process that changes the same file.
const lockPatience = time.Second

// lock locks a file beside the one to replace, which cannot be locked itself: its replacement
// is another file.
func lock(path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	for end := time.Now().Add(lockPatience); !filelock.Lock(f); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			f.Close()
			return nil, errors.New("another parley is writing it; try again")
		}
	}
	return func() { f.Close() }, nil
}
