package fsops

import (
	"bytes"
	"os"
	"path/filepath"
)

// maxIndex bounds the index of a repository that Tracked reads, in bytes.
const maxIndex = 32 << 20

// Tracked reports whether git tracks a file, according to the index of its repository. It returns
// true if that is unknown: the index is split, sparse, compressed, too large or elsewhere, or git
// may encode the name differently.
func Tracked(path string) bool {
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		info, err := os.Lstat(filepath.Join(dir, ".git"))
		switch {
		case err == nil && info.IsDir():
			name, err := filepath.Rel(dir, path)
			return err != nil || indexed(filepath.Join(dir, ".git", "index"), filepath.ToSlash(name))
		case err == nil || !os.IsNotExist(err) || dir == filepath.Dir(dir):
			return true
		}
	}
}

// indexed looks for a name in an index of version 2 or 3, where names are uncompressed and end with
// a zero byte.
func indexed(file, name string) bool {
	info, err := os.Lstat(file)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxIndex {
		return true
	}
	index, err := os.ReadFile(file)
	if err != nil || len(index) < 12 || !bytes.HasPrefix(index, []byte("DIRC\x00\x00\x00")) || index[7] != 2 && index[7] != 3 {
		return true
	}
	for _, extension := range []string{"link\x00\x00", "sdir\x00\x00"} {
		if bytes.Contains(index, []byte(extension)) {
			return true
		}
	}
	for _, c := range []byte(name) {
		if c >= 0x80 {
			return true
		}
	}
	return bytes.Contains(bytes.ToLower(index), append(bytes.ToLower([]byte(name)), 0))
}
