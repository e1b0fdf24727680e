package patch

import (
	"slices"
	"strings"

	"znkr.io/diff"
)

// Strict parses a patch of which nothing may be left to the program that applies it: of unified diffs,
// with lines of git or "Index:" before each, that say how each file changes. ok is false if there
// is any other line, another mode than those of plain files, a binary file, a hunk that is not complete,
// names that contradict each other or are quoted in an unknown way, or two parts about one file.
func Strict(text string) (files []File, ok bool) {
	p := patchReader{all: text, file: -1, textEnd: -1}
	for p.pos < len(p.all) {
		p.read()
	}
	p.finish()
	if p.unclear || p.index != "" {
		return nil, false
	}
	seen := map[string]bool{}
	for _, f := range p.files {
		if f.Text != "" {
			continue // a line "Index:" that was understood
		}
		for _, name := range slices.Compact([]string{f.OldPath, f.Path}) {
			if name != "" && (seen[name] || name[0] == '"') {
				return nil, false
			}
			seen[name] = true
		}
		files = append(files, f)
	}
	return files, len(files) > 0
}

// Names returns the files that a patch of either format seems to change, to warn of them. It errs on the
// side of naming too many: a line of a text can look like a name.
func Names(text string) (names []string) {
	add := func(some ...string) {
		for _, name := range some {
			if name = strings.TrimSpace(name); name != "" && name != devNull && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	for l := range strings.SplitSeq(text, "\n") {
		l = strings.TrimSuffix(l, "\r")
		if head, name, found := strings.Cut(strings.TrimSpace(l), ": "); found && (strings.HasPrefix(head, "*** ") || head == "Index") {
			add(name)
		}
	}
	for _, f := range Parse(text) {
		add(f.OldPath, f.Path)
	}
	return names
}

// Changed returns the lines that a part of a patch removes or adds.
func (f *File) Changed() (lines []string) {
	for _, h := range f.Hunks {
		for _, e := range h.Edits {
			if e.Op != diff.Match {
				lines = append(lines, e.Line)
			}
		}
	}
	return lines
}

// plainMode reports whether a mode is one of a plain file.
func plainMode(mode string) bool { return mode == "100644" || mode == "100755" }

// indexLine reads "Index: NAME" with the line below it, as svn and some agents write them.
func (p *patchReader) indexLine(line string) bool {
	name, ok := strings.CutPrefix(line, "Index: ")
	if rule := p.peek(); !ok || name == "" || p.index != "" || rule == "" || strings.Trim(rule, "=") != "" {
		return false
	}
	p.finish()
	p.pass(p.peek())
	p.index = name
	return true
}

// agree reports whether what is known of a file is complete and without contradictions.
func (p *patchReader) agree(f *File) bool {
	n := &p.names
	git, named := unprefixed(n.git), unprefixed(n.file)
	moves := n.moved != [2]string{}
	index := p.index
	p.index = ""
	switch {
	case n.hasFile != (len(f.Hunks) > 0), f.OldPath == "" && f.Path == "":
		return false
	case index != "" && (index != f.Path && f.Path != "" || index != f.OldPath && f.OldPath != ""):
		return false
	case moves && (n.moved[0] == "" || n.moved[1] == "" || n.added || n.deleted):
		return false
	case !n.hasFile && !moves && !n.added && !n.deleted && f.NewMode == "":
		return false
	case n.added && n.hasFile && named[0] != "", n.deleted && n.hasFile && named[1] != "", n.added && n.deleted:
		return false
	}
	for i := range 2 {
		switch {
		case n.hasFile && named[i] == "" && named[1-i] == "":
			return false
		case git[i] != "" && n.hasFile && named[i] != "" && named[i] != git[i]:
			return false
		case moves && n.hasFile && named[i] != n.moved[i], moves && git[i] != "" && git[i] != n.moved[i]:
			return false
		}
	}
	return moves || f.OldPath == f.Path || f.OldPath == "" || f.Path == ""
}
