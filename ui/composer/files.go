package composer

import (
	"context"

	"parley/internal/picture"
)

// Pictures reads images for prompts. Its methods may block and are called from any
// goroutine.
type Pictures interface {
	// Open reads an image file.
	Open(ctx context.Context, path string) (picture.Image, error)
	// Clipboard returns the image in the clipboard.
	Clipboard(ctx context.Context) (picture.Image, error)
}
