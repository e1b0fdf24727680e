package memory

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// minUniqueID is the least length of a session id that is certainly unique: agents that
// generate random ids make them at least that long.
const minUniqueID = 16 // bytes

// older returns the draft that an earlier version of parley stored for a key, and its file;
// "" if there is none.
//
// Then the draft left in a project belonged to whichever agent came next, and that of a
// session was found in every project. Each is returned only if it certainly belongs to the
// key; other files are left alone.
func (d *Drafts) older(k Key) (path string, draft Draft, err error) {
	project := d.projectOf(k)
	leftPath := filepath.Join(d.dir, fileName(project, "project", project)+".json")
	left, err := read(leftPath)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", Draft{}, err
	}
	if k.Session == "" {
		if err != nil || left.Agent != "" && left.Agent != k.Agent {
			return "", Draft{}, nil
		}
		return leftPath, left.Draft, nil
	}
	named := left.Agent == k.Agent && left.Session == k.Session
	if !named && len(k.Session) < minUniqueID {
		return "", Draft{}, nil
	}
	path = filepath.Join(d.dir, fileName(k.Agent, "session", k.Agent, k.Session)+".json")
	f, err := read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", Draft{}, nil
	}
	return path, f.Draft, err
}

// removeOlder removes the file of an older parley after the key's own file has replaced it, or
// when it is no longer wanted.
func (d *Drafts) removeOlder(k Key, sent bool) {
	path := d.old[k]
	if path == "" && sent {
		path, _, _ = d.older(k)
	}
	if path != "" {
		os.Remove(path)
		delete(d.old, k)
	}
}
