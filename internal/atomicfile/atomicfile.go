// Package atomicfile writes files completely or not at all.
package atomicfile

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"os"
)

// Unfinished is the suffix of files that were to replace others.
const Unfinished = ".new"

// Write creates or replaces a file that only the user may read: readers see the old or the
// new content, and after an error the old file is unchanged. A link is replaced, not
// followed. The directory must exist.
func Write(path string, data []byte) error {
	f, err := beside(path)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync() // an empty file after a crash would be worse than the old one
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// beside opens a new file in the directory of the one to replace.
func beside(path string) (*os.File, error) {
	var id [6]byte
	rand.Read(id[:]) // never fails
	return os.OpenFile(path+"."+hex.EncodeToString(id[:])+Unfinished, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
}
