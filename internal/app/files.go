package app

import (
	"context"

	"parley/internal/clipboard"
	"parley/internal/picture"
	"parley/ui/composer"
)

// desktopPictures gives the screen images from files and the clipboard.
type desktopPictures struct{}

// Open implements composer.Pictures.
func (desktopPictures) Open(ctx context.Context, path string) (composer.Picture, error) {
	data, mime, err := picture.Read(ctx, path)
	return composer.Picture{Data: data, MimeType: mime}, err
}

// Clipboard implements composer.Pictures.
func (desktopPictures) Clipboard(ctx context.Context) (composer.Picture, error) {
	data, mime, err := clipboard.Image(ctx)
	return composer.Picture{Data: data, MimeType: mime}, err
}
