package undo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"parley/internal/gitsafe"
)

// Bounds of git's output.
const (
	maxListing = 32 << 20 // bytes of names
	maxSaid    = 4 << 10  // bytes of an error
	gitTime    = 30 * time.Second
)

var (
	errNoGit      = errors.New("git was not found")
	errNoWorkTree = errors.New("no git repository here")
	errIgnored    = errors.New("git ignores this directory")
	errTooMany    = fmt.Errorf("more than %d files here", MaxFiles)
)

// list asks git for names below dir. They are relative to it, with slashes; directories end in a
// slash. It returns them sorted, without duplicates and without those that cannot be names of files
// there.
func list(ctx context.Context, git, dir string, most int, args ...string) ([]string, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	ctx, stop := context.WithTimeout(ctx, gitTime) // a FIFO as an ignore file never ends
	defer stop()
	cmd := gitsafe.Command(ctx, git, dir, append([]string{"-z", "--exclude-standard"}, args...)...)
	cmd.WaitDelay = time.Second
	said := &capped{max: maxSaid}
	cmd.Stderr = said
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("git ls-files: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("git ls-files: %w", err)
	}
	out, err := io.ReadAll(io.LimitReader(pipe, maxListing+1))
	if len(out) > maxListing {
		stop()
		cmd.Wait()
		return nil, errTooMany
	}
	if waited := cmd.Wait(); err == nil {
		err = waited
	}
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		}
		return nil, gitError(err, string(said.b))
	}
	names := cleanNames(string(out))
	if len(names) > most {
		return nil, errTooMany
	}
	return names, nil
}

func gitError(err error, said string) error {
	if strings.Contains(said, "not a git repository") || strings.Contains(said, "must be run in a work tree") {
		return errNoWorkTree
	}
	first, _, _ := strings.Cut(strings.TrimSpace(said), "\n")
	if first == "" {
		return fmt.Errorf("git ls-files: %w", err)
	}
	return fmt.Errorf("git ls-files: %s: %w", first, err)
}

// cleanNames splits git's output. An agent can write the index, so names are validated.
func cleanNames(out string) []string {
	names := strings.Split(out, "\x00")
	names = slices.DeleteFunc(names, func(name string) bool {
		bare := strings.TrimSuffix(name, "/")
		if name == "./" {
			return false
		}
		return bare == "" || path.Clean(bare) != bare || !filepath.IsLocal(filepath.FromSlash(bare)) || holdsDotGit(bare)
	})
	slices.Sort(names)
	return slices.Compact(names)
}

func holdsDotGit(name string) bool {
	for len(name) >= len(".git") {
		part, rest, _ := strings.Cut(name, "/")
		if strings.EqualFold(part, ".git") {
			return true
		}
		name = rest
	}
	return false
}

// hidden is what git did not list: ignored names, and nested repositories. A file there that is
// listed later may have existed before.
type hidden map[string]bool

// hiddenBy builds it from git's sorted list of ignored names. Git lists a directory that contains
// only ignored files together with its files, and an ignored directory without them.
func hiddenBy(ignored []string) hidden {
	h := hidden{}
	for i, name := range ignored {
		dir := strings.HasSuffix(name, "/")
		if dir && name != "./" && i+1 < len(ignored) && strings.HasPrefix(ignored[i+1], name) {
			continue
		}
		h[strings.TrimSuffix(name, "/")] = true
	}
	return h
}

func (h hidden) holds(name string) bool {
	for ; name != "."; name = path.Dir(name) {
		if h[name] {
			return true
		}
	}
	return h["."]
}

// capped keeps the first bytes written to it.
type capped struct {
	b   []byte
	max int
}

func (c *capped) Write(p []byte) (int, error) {
	c.b = append(c.b, bytes.Clone(p[:min(len(p), c.max-len(c.b))])...)
	return len(p), nil
}
