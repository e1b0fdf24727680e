package composer

import (
	"context"
)

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
