// Package patch takes git patches apart and finds out which changed file each part
// is of; and reads patches without line numbers (Fragments). It draws nothing.
package patch

import (
	"strings"

	"znkr.io/diff/textdiff"
)

// What is kept of a patch. What exceeds a limit is one stretch of text.
const (
	MaxFiles      = 1000    // files, and stretches of text between them
	MaxLines      = 100_000 // lines of all hunks
	maxLineNumber = 1 << 30
	maxMode       = 10
)

// File is what a git patch says of one file, or a stretch of it that could not be read.
type File struct {
	// OldPath and Path are the names, without git's quotes, and without a/ and b/ where they have them. They may spell out
	// control characters. "" where the patch has /dev/null; both "" where they cannot be told.
	OldPath, Path    string
	Copied           bool   // from OldPath, which stays
	OldMode, NewMode string // "" unless the mode changes
	Binary           bool
	Hunks            []textdiff.Hunk[string] // their lines are without newlines
	LastOld, LastNew int                     // index of the line of each side that no newline ends, -1: none
	Text             string                  // lines that could not be read; nothing else is set then
}

// Parse takes a patch apart, as git or anything else that writes unified diffs makes it. All of it comes back, in its
// order: what makes no sense as Text, but for headings and the contents of binary files. What it keeps is a bounded multiple
// of the text, whose memory it shares. It takes about 10 ms for a megabyte.
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
	pos   int // what follows was not read yet
	files []File
	lines int // of hunks, kept so far

	file    int  // of which more may be said, -1: none
	skip    bool // it is binary: what follows is its contents
	textEnd int  // where the Text ends that is the last of files; -1: it is none
	names   patchNames
}

// patchNames are the old and the new name of a file wherever a patch tells them.
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

// pass steps over a line that peek has returned.
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
	case strings.HasPrefix(line, "--- ") && strings.HasPrefix(p.peek(), "+++ "):
		if p.file >= 0 && !p.names.hasFile && p.files[p.file].Hunks == nil || p.begin(from) {
			second := p.peek()
			p.pass(second)
			p.names.file, p.names.hasFile = [2]string{patchName(line[4:]), patchName(second[4:])}, true
		}
	case p.file >= 0 && strings.HasPrefix(line, "@@ "):
		if !p.hunk(line) {
			p.text(from)
		}
	case p.file >= 0 && p.files[p.file].Hunks == nil && p.header(line):
	case line != "" || p.textEnd == from:
		p.text(from)
	}
}

// begin starts a file; false where there are too many.
func (p *patchReader) begin(from int) bool {
	p.finish()
	if len(p.files) >= MaxFiles {
		p.pos = len(p.all)
		p.text(from)
		return false
	}
	p.file, p.skip, p.textEnd = len(p.files), false, -1
	p.files = append(p.files, File{LastOld: -1, LastNew: -1})
	p.names = patchNames{}
	return true
}

// text keeps what stands between from and pos as it is.
func (p *patchReader) text(from int) {
	if p.textEnd == from {
		last := &p.files[len(p.files)-1].Text
		*last = p.all[from-len(*last) : p.pos]
	} else {
		if len(p.files) >= MaxFiles {
			p.pos = len(p.all)
		}
		p.files = append(p.files, File{Text: p.all[from:p.pos]})
	}
	p.textEnd = p.pos
}

// header reads a line between the name of a file and its hunks.
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
	}{{"old mode ", &f.OldMode}, {"new mode ", &f.NewMode}, {"new file mode ", &mode}, {"deleted file mode ", &mode}} {
		if name, ok := strings.CutPrefix(line, h.word); ok && len(name) <= maxMode {
			*h.into = name
			p.names.added = p.names.added || h.word == "new file mode "
			p.names.deleted = p.names.deleted || h.word == "deleted file mode "
			return true
		}
	}
	switch {
	case strings.HasPrefix(line, "Binary files ") && strings.HasSuffix(line, " differ"):
		f.Binary = true
	case line == "GIT binary patch":
		f.Binary, p.skip = true, true
	case strings.HasPrefix(line, "index "), strings.HasPrefix(line, "similarity index "), strings.HasPrefix(line, "dissimilarity index "):
	default:
		return false
	}
	return true
}

// finish settles what is known of a file once all of it was read.
func (p *patchReader) finish() {
	if p.file < 0 {
		return
	}
	f := &p.files[p.file]
	p.file = -1
	if f.OldMode == "" || f.NewMode == "" {
		f.OldMode, f.NewMode = "", ""
	}
	f.OldPath, f.Path = p.names.settle()
}
