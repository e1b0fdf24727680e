package composer

import (
	"context"
	"errors"
)

// Files knows the files of this machine that prompts may mention. Its methods may
// wait, and are called on goroutines of their own.
type Files interface {
	// Find returns what matches a query best among the files below a directory. A
	// later call for the same directory ends an earlier one, with an error. It
	// returns early with less while they are still being listed.
	Find(ctx context.Context, dir, query string) (FoundFiles, error)
	// Read reads a file under the roots for a prompt; lines from to to of it, or
	// all for 0. ErrNoFile says that the path names none; with any other error
	// comes what can be said of the file without its text.
	Read(ctx context.Context, roots []string, path string, from, to int) (MentionedFile, error)
}

// ErrNoFile says that a mention names no file that it may.
var ErrNoFile = errors.New("no such file")

// FoundFiles is what a search has found.
type FoundFiles struct {
	Matches  []FoundFile // the best first
	Listed   int         // files and directories that there are, so far
	Complete bool        // that is all of them
}

// FoundFile is a file, or a directory, whose path ends in a slash. Paths have
// slashes and are as the file system has them: not safe to show.
type FoundFile struct {
	Path  string
	Marks []int // the runes that matched, in order
}

// MentionedFile is a file that goes along with a prompt.
type MentionedFile struct {
	URI, Name string
	Text      *string // nil: it can only be linked to, and Why says why
	Why       string
}

// Pictures gets images for prompts. Its methods may wait, and are called on
// goroutines of their own.
type Pictures interface {
	// Open reads an image file.
	Open(ctx context.Context, path string) (Picture, error)
	// Clipboard returns the image in the clipboard.
	Clipboard(ctx context.Context) (Picture, error)
}

// Picture is an image file: its bytes never change.
type Picture struct {
	Data     []byte
	MimeType string
}
