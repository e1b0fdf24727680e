// Package memory keeps what the user typed over the end of the process: the
// prompts of a project, for the history, and drafts that were not sent.
//
// Everything lies below one directory, in files for the user alone (0600 in
// directories of 0700). Several processes may use the same files at once. A
// History and Drafts may be used from any goroutine; their methods wait for the
// disk. What is not on the disk is lost to them and no reason to stop: every
// error is for one line on the screen.
package memory

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Project is where work belongs together: the top of the git work tree that dir
// lies in, else dir itself. It runs nothing. dir is absolute.
func Project(dir string) string {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	for at := dir; ; {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			return at
		}
		parent := filepath.Dir(at)
		if parent == at {
			return dir
		}
		at = parent
	}
}

// fileName is the name of the file of a key, which may be a path or an id of an
// agent's: something of it to be read, and all of it as a hash.
func fileName(readable string, key ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(key, "\x00")))
	plain := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return -1
	}, filepath.Base(readable))
	if len(plain) > 40 {
		plain = plain[:40]
	}
	if plain != "" {
		plain += "-"
	}
	return plain + hex.EncodeToString(sum[:12])
}

// private makes the directories of a file.
func private(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("make the directory: %w", err)
	}
	return nil
}
