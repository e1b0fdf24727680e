// Package patch splits git patches and finds the changed file of each part. It also parses
// patches without line numbers (Fragments). It draws nothing.
package patch

import (
	"strings"

	"znkr.io/diff/textdiff"
)

// Limits of a parsed patch. What exceeds them becomes one Text.
const (
	MaxFiles      = 1000    // files, and texts between them
	MaxLines      = 100_000 // lines of all hunks
	maxLineNumber = 1 << 30
	maxMode       = 10
)

// File is the part of a git patch about one file, or a part that could not be parsed.
type File struct {
	// OldPath and Path are the names without git's quotes and the prefixes a/ and b/. They
	// may contain control characters. "" means /dev/null; both are "" if unknown.
	OldPath, Path    string
	Copied           bool   // from OldPath, which remains
	OldMode, NewMode string // "" unless the mode changes
	Binary           bool
	Hunks            []textdiff.Hunk[string] // their lines have no newlines
	LastOld, LastNew int                     // index of the line of each side without a newline, -1: none
	Text             string                  // lines that could not be parsed; no other field is set then
}

// Parse splits a patch written by git or another program that writes unified diffs. The
// result contains all of it in order, with unparsable parts as Text, except headings and
// the contents of binary files. Its memory is a bounded multiple of the text, which it
// shares. It takes about 10 ms per megabyte.
func Parse(text string) []File {
	p := patchReader{all: text, file: -1, textEnd: -1}
	for p.pos < len(p.all) {
		p.read()
	}
	p.finish()
	return p.files
}

type patchReader struct {
	all   string
	pos   int // start of the unread part
	files []File
	lines int // number of hunk lines kept so far

	file    int  // index of the current file, -1: none
	skip    bool // it is binary: its contents follow
	textEnd int  // end of the Text that is the last of files; -1: none
	names   patchNames
	unclear bool   // see Strict
	index   string // the name in a line "Index:" whose file has not begun
}

// patchNames are the old and the new name of a file from each kind of line.
type patchNames struct {
	git, file, moved [2]string
	hasFile          bool
	added, deleted   bool
}

// peek returns the line at pos, "" at the end.
func (p *patchReader) peek() string {
	line, _, _ := strings.Cut(p.all[p.pos:], "\n")
	return line
}

// pass skips a line that peek has returned.
func (p *patchReader) pass(line string) { p.pos = min(p.pos+len(line)+1, len(p.all)) }

func (p *patchReader) read() {
	from, line := p.pos, p.peek()
	p.pass(line)
	switch {
	case strings.HasPrefix(line, "diff --git "):
		if p.begin(from) {
			p.names.git = gitNames(line[len("diff --git "):])
		}
	case p.skip:
		p.unclear = true
	case strings.HasPrefix(line, "--- ") && strings.HasPrefix(p.peek(), "+++ "):
		if p.file >= 0 && !p.names.hasFile && p.files[p.file].Hunks == nil || p.begin(from) {
			second := p.peek()
			p.pass(second)
			p.names.file, p.names.hasFile = [2]string{patchName(line[4:]), patchName(second[4:])}, true
		}
	case p.file >= 0 && strings.HasPrefix(line, "@@ "):
		if !p.hunk(line) {
			p.unclear = true
			p.text(from)
		}
	case p.file >= 0 && p.files[p.file].Hunks == nil && p.header(line):
	case line != "" || p.textEnd == from:
		p.unclear = !p.indexLine(line) && line != "" || p.unclear
		p.text(from)
	}
}

// begin starts a file. It reports false if there are too many.
func (p *patchReader) begin(from int) bool {
	p.finish()
	if len(p.files) >= MaxFiles {
		p.pos, p.unclear = len(p.all), true
		p.text(from)
		return false
	}
	p.file, p.skip, p.textEnd = len(p.files), false, -1
	p.files = append(p.files, File{LastOld: -1, LastNew: -1})
	p.names = patchNames{}
	return true
}

// text keeps the part between from and pos unchanged.
func (p *patchReader) text(from int) {
	if p.textEnd == from {
		last := &p.files[len(p.files)-1].Text
		*last = p.all[from-len(*last) : p.pos]
	} else {
		if len(p.files) >= MaxFiles {
			p.pos, p.unclear = len(p.all), true
		}
		p.files = append(p.files, File{Text: p.all[from:p.pos]})
	}
	p.textEnd = p.pos
}

// header parses a line between the name of a file and its hunks.
func (p *patchReader) header(line string) bool {
	f := &p.files[p.file]
	for _, h := range []struct {
		word string
		into *string
	}{{"rename from ", &p.names.moved[0]}, {"rename to ", &p.names.moved[1]}, {"copy from ", &p.names.moved[0]}, {"copy to ", &p.names.moved[1]}} {
		if name, ok := strings.CutPrefix(line, h.word); ok {
			*h.into = patchName(name)
			f.Copied = strings.HasPrefix(line, "copy")
			return true
		}
	}
	mode := ""
	for _, h := range []struct {
		word string
		into *string
	}{{"old mode ", &f.OldMode}, {"new mode ", &f.NewMode}, {"new file mode ", &mode}, {"create file mode ", &mode}, {"deleted file mode ", &mode}} {
		if name, ok := strings.CutPrefix(line, h.word); ok && len(name) <= maxMode {
			*h.into = name
			p.unclear = p.unclear || !plainMode(name)
			p.names.added = p.names.added || h.word == "new file mode " || h.word == "create file mode "
			p.names.deleted = p.names.deleted || h.word == "deleted file mode "
			return true
		}
	}
	switch {
	case strings.HasPrefix(line, "Binary files ") && strings.HasSuffix(line, " differ"):
		f.Binary, p.unclear = true, true
	case line == "GIT binary patch":
		f.Binary, p.skip, p.unclear = true, true, true
	case strings.HasPrefix(line, "index "):
		if words := strings.Split(line, " "); len(words) != 2 && (len(words) != 3 || !plainMode(words[2])) {
			p.unclear = true
		}
	case strings.HasPrefix(line, "similarity index "), strings.HasPrefix(line, "dissimilarity index "):
	default:
		return false
	}
	return true
}

// finish sets what is known once all of a file has been read.
func (p *patchReader) finish() {
	if p.file < 0 {
		return
	}
	f := &p.files[p.file]
	p.file = -1
	if f.OldMode == "" || f.NewMode == "" {
		f.OldMode, f.NewMode = "", ""
	}
	f.OldPath, f.Path = p.names.best()
	p.unclear = p.unclear || !p.agree(f)
}
