// Package memory stores what the user typed beyond the end of the process: the prompts of a
// project, for the history, drafts that were not sent, the names of sessions, and which agents need a login.
//
// Everything is below one directory, in files for the user only (0600 in directories of
// 0700). Several processes may use the same files at once. A History, Drafts and Names may be used
// from any goroutine; their methods wait for the disk. A failure loses only what was to be
// stored and stops nothing: every error is meant for one line on the screen.
package memory

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Project returns the directory that identifies the project of dir: the top of its git
// worktree, else dir itself. It runs nothing. dir is absolute.
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

// fileName returns the file name of a key, which may be a path or an agent's id: a readable
// part, and a hash of all of it.
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

// makeDirs makes the directories of a file.
func makeDirs(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("make the directory: %w", err)
	}
	return nil
}
