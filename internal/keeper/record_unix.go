//go:build unix

package keeper

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"strconv"
	"time"

	"parley/internal/filelock"
)

// saveWithin is how long a change may take until the record has it, so that many changes are one. saveAgain is after what
// time it is tried again when it cannot be written.
var (
	saveWithin = 100 * time.Millisecond
	saveAgain  = 10 * time.Second
)

// openDir opens the directory of the records, which it makes, and returns its path.
func (k *keeper) openDir() (path string, err error) {
	if path, err = directory(); err != nil {
		return "", err
	}
	dir, err := os.OpenRoot(path)
	if err != nil {
		return "", err
	}
	if k.dir != nil {
		k.dir.Close()
	}
	k.dir = dir
	return path, nil
}

// takeName locks the first name that is free.
func (k *keeper) takeName(path, base string) error {
	const most = 9999
	for i := 1; i <= most; {
		name := base
		if i > 1 {
			name += "-" + strconv.Itoa(i)
		}
		if s, err := load(path, name); err == nil && (s.Live || s.State != "") {
			i++ // it is still listed, perhaps with the command that resumes it
			continue
		}
		k.session.Name = name
		if err := k.hold(); !errors.Is(err, errHeld) {
			return err
		}
		i++
	}
	return errors.New("too many sessions are kept for this directory")
}

var errHeld = errors.New("another parley has the name")

// hold locks the file of the name. A record without it would be that of a session that has ended, so it is locked again if
// somebody has deleted it.
func (k *keeper) hold() error {
	name := k.session.Name + lockEnd
	for !k.holds() {
		lock, err := k.dir.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
		if errors.Is(err, fs.ErrNotExist) { // the directory was deleted
			if _, err = k.openDir(); err == nil {
				lock, err = k.dir.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
			}
		}
		if err != nil {
			return err
		}
		if !filelock.Lock(lock) {
			lock.Close()
			return errHeld
		}
		if k.lock != nil {
			k.lock.Close()
		}
		k.lock = lock // unless one that has just ended has removed it
	}
	return nil
}

// holds reports whether the file of the name is the one that is locked.
func (k *keeper) holds() bool {
	if k.lock == nil {
		return false
	}
	mine, err := k.lock.Stat()
	if err != nil {
		return false
	}
	there, err := k.dir.Lstat(k.session.Name + lockEnd)
	return err == nil && os.SameFile(mine, there)
}

// prune removes what is left of sessions that ended long ago.
func prune(dir string) {
	all, err := List()
	if err != nil {
		return
	}
	for _, s := range all {
		if !s.Live && time.Since(s.Ended) > oldest {
			_ = Forget(s.Name)
		}
	}
}

// save writes the record.
func (k *keeper) save() error {
	k.writing.Lock()
	defer k.writing.Unlock()
	if k.closed {
		return nil
	}
	if err := k.hold(); err != nil {
		return err
	}
	k.mu.Lock()
	s := k.session
	k.mu.Unlock()
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	unfinished := s.Name + ".new"
	if err := k.dir.WriteFile(unfinished, append(text, '\n'), 0o600); err != nil {
		_ = k.dir.Remove(unfinished)
		return err
	}
	return k.dir.Rename(unfinished, s.Name+recordEnd)
}

// close writes the record for the last time or, with forget, removes it, and gives the name back.
func (k *keeper) close(forget bool) {
	if !forget {
		_ = k.save()
	}
	k.writing.Lock()
	defer k.writing.Unlock()
	k.closed = true
	if k.hold() == nil { // else the files are those of another one
		if forget {
			_ = k.dir.Remove(k.session.Name + recordEnd)
		}
		_ = k.dir.Remove(k.session.Name + lockEnd)
	}
	k.lock.Close()
}

// saveSoon has the record written after a time. k.mu is held.
func (k *keeper) saveSoon(after time.Duration) {
	if k.saving {
		return
	}
	k.saving = true
	time.AfterFunc(after, func() {
		k.mu.Lock()
		k.saving = false
		k.mu.Unlock()
		if k.save() != nil { // such as on a full disk
			k.mu.Lock()
			k.saveSoon(saveAgain)
			k.mu.Unlock()
		}
	})
}
