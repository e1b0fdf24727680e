package host

import (
	"parley/fsops"
	"parley/permissions"
)

// Disk lets rules examine the files of a session. Its methods implement permissions.Facts.Resolve, Walk
// and ListDir. They block on the file system.
type Disk struct {
	Files   *fsops.Service
	Session string   // open in Files
	Roots   []string // the session's directories, links followed
}

// Resolve resolves an absolute path. A path that cannot be resolved counts as outside.
func (d Disk) Resolve(path string) permissions.FileFact {
	t, err := d.Files.Resolve(d.Session, path)
	if err != nil {
		return permissions.FileFact{Path: path}
	}
	return d.fact(t)
}

// Walk visits everything below a directory: see fsops.Service.Walk.
func (d Disk) Walk(dir string, hidden bool, visit func(permissions.FileFact) bool) bool {
	all, err := d.Files.Walk(d.Session, dir, hidden, func(t fsops.Target) bool { return visit(d.fact(t)) })
	return all && err == nil
}

// ListDir lists a directory: see fsops.Service.ListDir.
func (d Disk) ListDir(dir string) ([]string, bool) {
	names, all, err := d.Files.ListDir(d.Session, dir)
	return names, all && err == nil
}

func (d Disk) fact(t fsops.Target) permissions.FileFact {
	return permissions.FileFact{Path: t.Resolved, RequestedPath: t.Path, Exists: t.Exists, Inside: t.Inside, Secret: t.Secret != "", Roots: d.Roots}
}
