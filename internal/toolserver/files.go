package toolserver

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"parley/acpclient/wire"
)

// maxText bounds how much of a file one call returns, in bytes.
const maxText = 256 << 10

// readInput is the input of read_text_file.
type readInput struct {
	Path  string `json:"path"`
	Line  *int   `json:"line"`
	Limit *int   `json:"limit"`
}

func (o *offer) read(ctx context.Context, session string, in readInput) (result, error) {
	path, err := o.path(in.Path)
	if err != nil {
		return result{}, err
	}
	text, err := o.server.opts.FS.ReadTextFile(wire.ReadTextFileRequest{SessionID: session, Path: path, Line: in.Line, Limit: in.Limit})(ctx)
	if err != nil {
		return result{}, noFile(path, err)
	}
	first := 1
	if in.Line != nil {
		first = *in.Line
	}
	return excerpt(text, first), nil
}

// excerpt returns the start of a text, whose first line has number first, and a note if
// that is not all of it.
func excerpt(text string, first int) result {
	switch {
	case text == "" && first > 1:
		return result{texts: []string{fmt.Sprintf("[There is no line %d.]", first)}}
	case text == "":
		return result{texts: []string{"[The file is empty.]"}}
	case len(text) <= maxText:
		return result{texts: []string{text}}
	}
	if end := strings.LastIndexByte(text[:maxText], '\n') + 1; end > 0 {
		text = text[:end]
		next := first + strings.Count(text, "\n")
		return result{texts: []string{text, fmt.Sprintf("[Cut off here. Continue with line %d.]", next)}}
	}
	end := maxText
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return result{texts: []string{text[:end], fmt.Sprintf("[Cut off within line %d, which is longer than what can be returned.]", first)}}
}

// writeInput is the input of write_text_file.
type writeInput struct {
	Path    string `json:"path"`
	Content string `json:"content"`
}

func (o *offer) write(ctx context.Context, session string, in writeInput) (result, error) {
	path, err := o.path(in.Path)
	if err != nil {
		return result{}, err
	}
	err = o.server.opts.FS.WriteTextFile(wire.WriteTextFileRequest{SessionID: session, Path: path, Content: in.Content})(ctx)
	if err != nil {
		return result{}, noFile(path, err)
	}
	return result{texts: []string{fmt.Sprintf("Wrote %d bytes to %s.", len(in.Content), path)}}, nil
}

var errTilde = errors.New(`"~" is not expanded: give an absolute path, or one relative to the working directory`)

// path makes a path absolute. It does not clean one with "..": after a symbolic link that
// would name another file. Those who open the file judge it.
func (o *offer) path(p string) (string, error) {
	switch {
	case filepath.IsAbs(p):
		return p, nil
	case p == "~" || strings.HasPrefix(p, "~/"):
		return "", errTilde
	case slices.Contains(strings.Split(filepath.ToSlash(p), "/"), ".."):
		return o.cwd + string(filepath.Separator) + p, nil
	}
	return filepath.Join(o.cwd, p), nil
}
