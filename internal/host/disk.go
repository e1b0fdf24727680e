package host

import (
	"parley/fsops"
	"parley/permissions"
)

// Disk lets rules examine the files of a session. Its methods implement permissions.Facts.Look, Below
// and Names. They block on the file system.
type Disk struct {
	Files   *fsops.Service
	Session string   // open in Files
	Roots   []string // the session's directories, links followed
}

// Look resolves an absolute path. A path that cannot be resolved counts as outside.
func (d Disk) Look(path string) permissions.FileFact {
	t, err := d.Files.Resolve(d.Session, path)
	if err != nil {
		return permissions.FileFact{Path: path}
	}
	return d.fact(t)
}

// Below visits everything below a directory: see fsops.Service.Below.
func (d Disk) Below(dir string, hidden bool, visit func(permissions.FileFact) bool) bool {
	all, err := d.Files.Below(d.Session, dir, hidden, func(t fsops.Target) bool { return visit(d.fact(t)) })
	return all && err == nil
}

// Names lists a directory: see fsops.Service.Names.
func (d Disk) Names(dir string) ([]string, bool) {
	names, all, err := d.Files.Names(d.Session, dir)
	return names, all && err == nil
}

func (d Disk) fact(t fsops.Target) permissions.FileFact {
	return permissions.FileFact{Path: t.Resolved, Asked: t.Path, Exists: t.Exists, Inside: t.Inside, Secret: t.Secret != "", Roots: d.Roots}
}
