package finder

import (
	"context"
	"slices"
	"sync"
)

// ReadFunc reads a file that a prompt mentions, as Read does. FindFunc finds the files below a directory that
// match a query best: a later call for the same directory ends an earlier one with an error, and while the
// files are still being listed, it returns what it has. Both may block, and are called from any goroutine.
type (
	ReadFunc func(ctx context.Context, roots []string, path string, from, to int) (Mentioned, error)
	FindFunc func(ctx context.Context, dir, query string) (Found, error)
)

// Projects are the files of this machine, with one Tree per directory.
type Projects struct {
	mu    sync.Mutex
	trees []rootedTree // the last used is last
}

type rootedTree struct {
	dir  string
	tree *Tree
}

// maxTrees is how many directory listings are kept.
const maxTrees = 3

// tree returns the tree of a directory.
func (p *Projects) tree(dir string) *Tree {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.IndexFunc(p.trees, func(t rootedTree) bool { return t.dir == dir })
	if i < 0 {
		if len(p.trees) == maxTrees {
			go p.trees[0].tree.Close()
			p.trees = p.trees[1:]
		}
		p.trees = append(p.trees, rootedTree{dir, New(dir)})
		return p.trees[len(p.trees)-1].tree
	}
	t := p.trees[i]
	p.trees = append(slices.Delete(p.trees, i, i+1), t)
	return t.tree
}

// Find is a FindFunc.
func (p *Projects) Find(ctx context.Context, dir, query string) (Found, error) {
	return p.tree(dir).Find(ctx, query)
}

// Close stops all listings in progress.
func (p *Projects) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, t := range p.trees {
		t.tree.Close()
	}
	p.trees = nil
}
