package finder

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"path/filepath"

	"github.com/boyter/gocodewalker"

	"parley/internal/gitsafe"
)

// batch is how many paths are added at once.
const batch = 2048

// list fills a listing with the files below root: from git if it knows some, else by
// walking. Errors leave a shorter list.
func list(ctx context.Context, root, git string, l *listing) {
	defer l.finish()
	if git != "" {
		fromGit(ctx, root, git, l)
	}
	if l.count() == 0 && ctx.Err() == nil {
		walk(ctx, root, l)
	}
}

// fromGit lists tracked files and those that git would add. Nothing that the repository's
// own configuration names is run.
func fromGit(ctx context.Context, root, git string, l *listing) error {
	repo, err := gitsafe.Find(ctx, git, root)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	in, out := io.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		out.CloseWithError(repo.Stream(ctx, out, "", "ls-files", "-co", "--exclude-standard", "-z"))
	}()
	split(in, l)
	stop() // there may be more
	in.Close()
	<-done
	return nil
}

// split adds paths that end in NUL. It reports false when a limit was reached.
func split(r io.Reader, l *listing) bool {
	const longest = 64 << 10 // of a path; a longer one ends the reading
	in := bufio.NewScanner(r)
	in.Buffer(make([]byte, longest), longest)
	in.Split(func(data []byte, end bool) (int, []byte, error) {
		if i := bytes.IndexByte(data, 0); i >= 0 {
			return i + 1, data[:i], nil
		}
		return 0, nil, nil
	})
	var held []byte
	var paths [][]byte
	flush := func() bool {
		fits := l.add(paths)
		held, paths = held[:0], paths[:0]
		return fits
	}
	held = make([]byte, 0, 2*longest)
	for in.Scan() {
		p := in.Bytes()
		if len(p) > cap(held)-len(held) || len(paths) == batch {
			if !flush() {
				return false
			}
		}
		at := len(held)
		held = append(held, p...)
		paths = append(paths, held[at:])
	}
	return flush()
}

// walk lists by reading directories, and leaves out ignored files.
func walk(ctx context.Context, root string, l *listing) error {
	found := make(chan *gocodewalker.File, batch)
	w := gocodewalker.NewFileWalker(root, found)
	w.IncludeHidden = true
	w.ExcludeDirectory = []string{".git", ".hg", ".svn", ".jj"}
	stop := context.AfterFunc(ctx, w.Terminate)
	defer stop()
	over := make(chan error, 1)
	go func() { over <- w.Start() }()
	fits := true
	var paths [][]byte
	flush := func() {
		if fits && !l.add(paths) {
			fits = false
			w.Terminate()
		}
		paths = paths[:0]
	}
	for f := range found { // to its end: the walker waits for its reader
		rel, err := filepath.Rel(root, f.Location)
		if err != nil || !fits || ctx.Err() != nil {
			continue
		}
		if paths = append(paths, []byte(filepath.ToSlash(rel))); len(paths) == batch || len(found) == 0 {
			flush()
		}
	}
	flush()
	if err := <-over; err != nil && fits {
		return fmt.Errorf("list %s: %w", root, err)
	}
	return nil
}
