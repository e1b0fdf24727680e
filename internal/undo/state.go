package undo

import (
	"crypto/sha256"
	"io/fs"
)

// kind is what is found under a name.
type kind uint8

const (
	absent     kind = iota
	file            // sum is what it holds
	link            // target is where it leads; never followed
	directory       // in the place of a file, or a nested repository
	opaque          // a file that cannot be read or is too large: only its stamp is known
	odd             // FIFO, socket, device
	unsettled       // it changed while it was read
	unknowable      // written through parley; the state before is unknown
)

// state is what is under a name, as far as it can be compared.
type state struct {
	kind   kind
	mode   fs.FileMode // permission bits of a file
	noMode bool        // the mode is unknown and stays as it is
	size   int64
	sum    [sha256.Size]byte
	target string
	stamp  stamp
}

// stamp is what a file's inode says: if the stamp is the same, the file is.
type stamp struct {
	size         int64
	mtime, ctime int64 // nanoseconds; ctime is 0 where the system does not tell
	dev, ino     uint64
	mode         fs.FileMode
}

// same reports whether two states are known to be equal.
func same(a, b state) bool {
	if a.kind != b.kind {
		return false
	}
	switch a.kind {
	case file:
		return a.sum == b.sum && (a.noMode || b.noMode || a.mode == b.mode)
	case link:
		return a.target == b.target
	case opaque:
		return a.stamp == b.stamp
	case unsettled, unknowable:
		return false
	}
	return true
}

// noFile reports whether there is nothing, or a directory.
func noFile(s state) bool { return s.kind == absent || s.kind == directory }

// sameText reports whether two files differ at most in their mode.
func sameText(a, b state) bool { return a.kind == file && b.kind == file && a.sum == b.sum }

func textState(text string) state {
	return state{kind: file, noMode: true, size: int64(len(text)), sum: sha256.Sum256([]byte(text))}
}
