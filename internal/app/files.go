package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"parley/internal/clipboard"
	"parley/internal/finder"
	"parley/internal/picture"
	"parley/ui/composer"
)

// projectFiles gives the screen the files of this machine, with one finder.Tree per directory.
type projectFiles struct {
	mu    sync.Mutex
	trees []rootedTree // the last used is last
}

type rootedTree struct {
	dir  string
	tree *finder.Tree
}

// maxTrees is how many directory listings are kept.
const maxTrees = 3

// tree returns the tree of a directory.
func (p *projectFiles) tree(dir string) *finder.Tree {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.IndexFunc(p.trees, func(t rootedTree) bool { return t.dir == dir })
	if i < 0 {
		if len(p.trees) == maxTrees {
			go p.trees[0].tree.Close()
			p.trees = p.trees[1:]
		}
		p.trees = append(p.trees, rootedTree{dir, finder.New(dir)})
		return p.trees[len(p.trees)-1].tree
	}
	t := p.trees[i]
	p.trees = append(slices.Delete(p.trees, i, i+1), t)
	return t.tree
}

// Find implements composer.Files.
func (p *projectFiles) Find(ctx context.Context, dir, query string) (composer.FoundFiles, error) {
	f, err := p.tree(dir).Find(ctx, query)
	if err != nil {
		return composer.FoundFiles{}, err
	}
	out := composer.FoundFiles{Listed: f.Listed, Complete: f.Complete}
	for _, m := range f.Matches {
		out.Matches = append(out.Matches, composer.FoundFile(m))
	}
	return out, nil
}

// Read implements composer.Files.
func (p *projectFiles) Read(ctx context.Context, roots []string, path string, from, to int) (composer.MentionedFile, error) {
	m, err := finder.Read(ctx, roots, path, from, to)
	if errors.Is(err, finder.ErrNoFile) {
		err = fmt.Errorf("%w: %w", composer.ErrNoFile, err)
	}
	return composer.MentionedFile(m), err
}

// Close stops all listings in progress.
func (p *projectFiles) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, t := range p.trees {
		t.tree.Close()
	}
	p.trees = nil
}

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
