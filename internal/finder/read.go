package finder

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"unicode/utf8"
)

// ErrNoFile means that a path names nothing that a prompt may mention: it does not exist,
// or is not under the roots.
var ErrNoFile = errors.New("no such file under the session's directories")

// MaxText bounds a text attached to a prompt, in bytes.
const MaxText = 512 << 10

// maxScan bounds how far a file is read for lines in its middle, in bytes.
const maxScan = 64 << 20

// Mentioned is a file in the form a prompt may hold it.
type Mentioned struct {
	URI          string // file:///…, with #L10-L20 for lines
	Name         string // last part of the path
	Text         *string
	NoTextReason string // why there is no Text: "a directory", "larger than 512 KiB", …
}

// Read reads the file that a prompt mentions by a path: absolute, or relative to the first
// of the roots. If from is not 0, it returns only the lines from to to, both included. A
// file that is not under the roots, after resolving symbolic links, is ErrNoFile. Any other
// error comes with a Mentioned without text. Read gives up when ctx ends, even on a file
// system that hangs.
func Read(ctx context.Context, roots []string, path string, from, to int) (Mentioned, error) {
	type outcome struct {
		file Mentioned
		err  error
	}
	over := make(chan outcome, 1)
	go func() {
		file, err := read(ctx, roots, path, from, to)
		over <- outcome{file, err}
	}()
	select {
	case o := <-over:
		return o.file, o.err
	case <-ctx.Done():
		return Mentioned{}, fmt.Errorf("read %s: %w", path, context.Cause(ctx))
	}
}

func read(ctx context.Context, roots []string, path string, from, to int) (Mentioned, error) {
	root, rel, err := locate(roots, path)
	if err != nil {
		return Mentioned{}, err
	}
	defer root.Close()
	m := Mentioned{URI: uri(filepath.Join(root.Name(), rel), from, to), Name: filepath.Base(filepath.Join(root.Name(), rel))}
	info, err := root.Stat(rel)
	switch {
	case err != nil:
		return Mentioned{}, fmt.Errorf("%w: %s", ErrNoFile, path)
	case info.IsDir():
		m.NoTextReason = "a directory"
		return m, nil
	case !info.Mode().IsRegular():
		m.NoTextReason = "not a regular file"
		return m, nil
	case from == 0 && info.Size() > MaxText:
		m.NoTextReason = "larger than 512 KiB"
		return m, nil
	}
	f, err := root.Open(rel)
	if err != nil {
		return m, fmt.Errorf("read %s: %w", path, err)
	}
	defer f.Close()
	var text []byte
	if from == 0 {
		text, err = io.ReadAll(io.LimitReader(f, MaxText+1))
	} else {
		text, err = cut(ctx, f, from, to)
	}
	switch {
	case err != nil:
		return m, fmt.Errorf("read %s: %w", path, err)
	case len(text) > MaxText:
		m.NoTextReason = "larger than 512 KiB"
	case bytes.IndexByte(text, 0) >= 0 || !utf8.Valid(text):
		m.NoTextReason = "not text"
	case from > 0 && len(text) == 0:
		m.NoTextReason = fmt.Sprintf("without a line %d", from)
	default:
		s := string(text)
		m.Text = &s
	}
	return m, nil
}

// locate finds the root of a path. A name that leads out of it is found later: every access
// goes through the Root.
func locate(roots []string, path string) (*os.Root, string, error) {
	if len(roots) == 0 || strings.ContainsRune(path, 0) {
		return nil, "", ErrNoFile
	}
	abs := filepath.FromSlash(path)
	if !filepath.IsAbs(abs) {
		abs = filepath.Join(roots[0], abs)
	}
	for _, dir := range roots {
		rel, err := filepath.Rel(dir, filepath.Clean(abs))
		if err != nil || !filepath.IsLocal(rel) {
			continue
		}
		root, err := os.OpenRoot(dir)
		if err != nil {
			continue
		}
		if _, err := root.Stat(rel); err == nil || errors.Is(err, fs.ErrPermission) {
			return root, rel, nil
		}
		root.Close()
	}
	return nil, "", fmt.Errorf("%w: %s", ErrNoFile, path)
}

// cut reads the lines from to to, with their ends; if they are longer than MaxText it
// returns more than MaxText bytes.
func cut(ctx context.Context, f io.Reader, from, to int) ([]byte, error) {
	in := bufio.NewReaderSize(io.LimitReader(f, maxScan), 64<<10)
	var out []byte
	for line := 1; line <= to; {
		piece, err := in.ReadSlice('\n')
		if line >= from {
			out = append(out, piece...)
		}
		switch {
		case err == nil:
			line++
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF):
			return out, nil
		default:
			return nil, err
		}
		if len(out) > MaxText {
			return out, nil
		}
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// uri returns the URI of a file, or of lines in it.
func uri(path string, from, to int) string {
	path = filepath.ToSlash(path)
	if runtime.GOOS == "windows" && !strings.HasPrefix(path, "/") {
		path = "/" + path // the drive
	}
	u := url.URL{Scheme: "file", Path: path}
	switch {
	case from == 0:
	case from == to:
		u.Fragment = fmt.Sprintf("L%d", from)
	default:
		u.Fragment = fmt.Sprintf("L%d-L%d", from, to)
	}
	return u.String()
}
