// Package atomicfile writes files whole or not at all.
package atomicfile

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"os"
)

// Unfinished is how the names of files end that were to replace others.
const Unfinished = ".new"

// Write replaces a file, for the user alone to read, or makes it: readers see the
// old or the new content, and after an error the old one is there. A link is
// replaced, not followed. The directory must be there.
func Write(path string, data []byte) error {
	f, err := beside(path)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync() // a name that points to nothing would be worse than the old file
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

// beside opens a new file next to the one that it is to replace.
func beside(path string) (*os.File, error) {
	var id [6]byte
	rand.Read(id[:]) // never fails
	return os.OpenFile(path+"."+hex.EncodeToString(id[:])+Unfinished, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
}
