package host

import (
	"parley/fsops"
	"parley/permissions"
)

// Disk is how rules look at the files of a session: permissions.Facts.Look, Below and
// Names. They wait for the disk.
type Disk struct {
	Files   *fsops.Service
	Session string   // open in Files
	Roots   []string // its directories, links followed
}

// Look finds out where an absolute path leads. What cannot be found out counts as
// outside.
func (d Disk) Look(path string) permissions.FileFact {
	t, err := d.Files.Resolve(d.Session, path)
	if err != nil {
		return permissions.FileFact{Path: path}
	}
	return d.fact(t)
}

// Below visits what lies below a directory: see fsops.Service.Below.
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
