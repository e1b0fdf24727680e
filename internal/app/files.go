package app

import (
	"context"

	"parley/internal/clipboard"
	"parley/internal/picture"
)

// desktopPictures gives the screen images from files and the clipboard.
type desktopPictures struct{}

// Open implements composer.Pictures.
func (desktopPictures) Open(ctx context.Context, path string) (picture.Image, error) {
	return picture.Read(ctx, path)
}

// Clipboard implements composer.Pictures.
func (desktopPictures) Clipboard(ctx context.Context) (picture.Image, error) {
	return clipboard.Image(ctx)
}
