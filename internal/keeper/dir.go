package keeper

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"

	"parley/internal/filelock"
	"parley/internal/lazy"
	"parley/internal/record"
	"parley/internal/safetext"
	"parley/internal/smallfile"
	"parley/internal/words"
)

// Session is a kept parley, or one that has ended without anybody there.
type Session struct {
	Status
	Name     string    `json:"name"`
	Live     bool      `json:"live"`
	Attached bool      `json:"attached"`
	Started  time.Time `json:"started"`
	From     string    `json:"from,omitempty"` // the directory in which it was started; Dir may be a worktree
	Ended    time.Time `json:"ended,omitzero"`
	Why      string    `json:"why,omitempty"` // why it has ended

	Socket string `json:"socket,omitempty"`
	PID    int    `json:"pid,omitempty"`  // of the keeper
	Host   string `json:"host,omitempty"` // where it runs: the directory may be shared by several
}

// The files of a kept parley: its Session, and a file that its keeper has locked while it lives. Not the
// process id says whether it does, which another process may have after a restart.
const (
	recordEnd = ".json"
	lockEnd   = ".lock"
)

// oldest is how long a session that has ended is listed.
const oldest = 30 * 24 * time.Hour

// Names are made of letters and digits of any script, so that a directory's name is recognized. They are bounded in
// bytes, as paths of sockets are.
var (
	validName = lazy.Regexp(`^[\p{L}\p{N}_][\p{L}\p{M}\p{N}._-]*$`)
	unfit     = lazy.Regexp(`[^\p{L}\p{M}\p{N}._-]+`)
	unseen    = strings.NewReplacer("\ufe0e", "", "\ufe0f", "") // variation selectors, by which two names would look the same
)

// ValidName reports whether a kept parley can have this name.
func ValidName(name string) bool {
	const most = 40
	return len(name) <= most && validName().MatchString(name) && safetext.Clean(name) == name && !safetext.HasSuspicious(name) && unseen.Replace(name) == name
}

// nameOf returns the name for a parley in a directory, without a number.
func nameOf(dir string) string {
	const most = 32
	name := strings.TrimLeft(unfit().ReplaceAllString(norm.NFC.String(unseen.Replace(filepath.Base(dir))), "-"), ".-")
	name = strings.TrimRight(strings.ToValidUTF8(name[:min(len(name), most)], ""), ".-")
	if !ValidName(name) {
		return "parley"
	}
	return name
}

// directory returns the directory of the kept ones, which it makes.
func directory() (string, error) {
	state, err := record.StateDir()
	if err != nil {
		return "", fmt.Errorf("%w: set HOME or PARLEY_STATE", err)
	}
	dir := filepath.Join(state, "kept")
	return dir, os.MkdirAll(dir, 0o700)
}

// List returns the kept sessions of the user: those that wait for an answer first, then those that run, then
// the others, and those that have ended last. It reads a directory and connects to nothing.
func List() ([]Session, error) {
	state, err := record.StateDir()
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(state, "kept")
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var all []Session
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), recordEnd)
		if !ok || !ValidName(name) {
			continue
		}
		if s, err := load(dir, name); err == nil {
			all = append(all, s)
		}
	}
	slices.SortStableFunc(all, func(a, b Session) int {
		if r := a.rank() - b.rank(); r != 0 {
			return r
		}
		return b.last().Compare(a.last())
	})
	return all, nil
}

func (s Session) rank() int {
	if !s.Live {
		return len(order)
	}
	if i := slices.Index(order, s.State); i >= 0 {
		return i
	}
	return len(order) - 1 // a state of a newer parley
}

var order = []State{Waiting, Running, Ended, Starting, Idle}

func (s Session) last() time.Time {
	if !s.Live {
		return s.Ended
	}
	return s.Since
}

// Stopped is why a session has ended that could not say it.
const Stopped = "parley or the machine was stopped"

// load reads the record of one.
func load(dir, name string) (s Session, err error) {
	path := filepath.Join(dir, name+recordEnd)
	const most = 1 << 20
	info, err := os.Stat(path)
	if err != nil {
		return s, err
	}
	text, err := smallfile.Read(path, most)
	if err != nil {
		return s, err
	}
	if err := json.Unmarshal(text, &s); err != nil {
		return s, err
	}
	s.Name, s.Live = name, filelock.Locked(filepath.Join(dir, name+lockEnd))
	if !s.Live {
		s.Attached, s.Clients = false, ""
		if s.Ended.IsZero() {
			s.Ended, s.Why = info.ModTime(), Stopped
		}
	}
	return s, nil
}

// Find returns the session with a name.
func Find(name string) (Session, error) {
	dir, err := directory()
	if name = norm.NFC.String(name); err == nil && ValidName(name) {
		var s Session
		if s, err = load(dir, name); err == nil {
			return s, nil
		}
	}
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("nothing is kept as %q; `parley ps` lists what is", name)
	}
	return Session{}, err
}

// Forget removes what is left of a session that has ended.
func Forget(name string) error {
	dir, err := directory()
	if err != nil {
		return err
	}
	s, err := load(dir, name)
	if err == nil && s.Live {
		return fmt.Errorf("%s is running", name)
	}
	path := filepath.Join(dir, name+lockEnd)
	lock, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600) // so that no keeper takes the name meanwhile
	if err != nil {
		return err
	}
	defer lock.Close()
	if !filelock.Lock(lock) {
		return fmt.Errorf("%s is running", name)
	}
	if s.Socket != "" { // of one that was killed
		s.removeSockets()
	}
	return errors.Join(ignoreMissing(os.Remove(filepath.Join(dir, name+recordEnd))), os.Remove(path))
}

// forgetResumed removes what is left of sessions that were resumed.
func forgetResumed(resume []string) {
	all, _ := List()
	for _, s := range all {
		if !s.Live && slices.Equal(s.Resume, resume) {
			_ = Forget(s.Name)
		}
	}
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// removeSockets removes the sockets of a session that has ended, which are in one directory.
func (s Session) removeSockets() {
	_ = os.Remove(s.Socket)
	if filepath.Dir(s.Clients) == filepath.Dir(s.Socket) {
		_ = os.Remove(s.Clients)
	}
}

// EndedError says that a session has ended, and how it is resumed.
type EndedError struct{ Session Session }

func (e *EndedError) Error() string {
	text := e.Session.Name + " has ended"
	if e.Session.Why != "" {
		text += " (" + e.Session.Why + ")"
	}
	if c := e.Session.ResumeCommand(); c != "" {
		text += "; resume it: " + c
	}
	return text
}

// ResumeCommand returns the command that resumes a session that has ended, "" if it cannot be resumed.
func (s Session) ResumeCommand() string {
	if len(s.Resume) == 0 {
		return ""
	}
	return words.Command(append([]string{"parley"}, s.Resume...))
}
