package composer

import (
	"context"
	"errors"
)

// Files finds and reads the files that prompts may mention. Its methods may block and are
// called from any goroutine.
type Files interface {
	// Find returns the files below a directory that match a query best. A later call for the
	// same directory ends an earlier one with an error. While the files are still being
	// listed, it returns what it has.
	Find(ctx context.Context, dir, query string) (FoundFiles, error)
	// Read reads lines from to to of a file below the roots, or all of it for 0. It returns
	// ErrNoFile if there is no such file. With any other error the MentionedFile has no text.
	Read(ctx context.Context, roots []string, path string, from, to int) (MentionedFile, error)
}

// ErrNoFile says that a mention names no file below the roots.
var ErrNoFile = errors.New("no such file")

// FoundFiles is the result of a search.
type FoundFiles struct {
	Matches  []FoundFile // the best first
	Listed   int         // files and directories listed so far
	Complete bool        // all of them are listed
}

// FoundFile is a file, or a directory if its path ends in a slash. Paths have slashes. They
// come from the file system and are not safe to show.
type FoundFile struct {
	Path  string
	Marks []int // indexes of the runes that matched, in order
}

// MentionedFile is a file that is sent with a prompt.
type MentionedFile struct {
	URI, Name    string
	Text         *string // nil if it can only be a link; NoTextReason says why
	NoTextReason string
}

// Pictures reads images for prompts. Its methods may block and are called from any
// goroutine.
type Pictures interface {
	// Open reads an image file.
	Open(ctx context.Context, path string) (Picture, error)
	// Clipboard returns the image in the clipboard.
	Clipboard(ctx context.Context) (Picture, error)
}

// Picture is an image file. Its bytes never change.
type Picture struct {
	Data     []byte
	MimeType string
}
