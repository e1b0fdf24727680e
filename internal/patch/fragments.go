package patch

import "strings"

// Begin is the first line of a patch that names each file on its own line and has no line
// numbers. Some models write such patches.
const (
	Begin = "*** Begin Patch"
	end   = "*** End Patch"
)

// MaxFragments bounds the fragments of a patch, because each must be searched for in its
// file.
const MaxFragments = 100

// Fragment is a part of a file to replace, a file to add or delete, or a move of a file.
type Fragment struct {
	Operation string // add, delete, modify, move
	Path      string // as written
	To        string // for a move
	Old, New  string // complete lines
}

// Fragments parses a patch that begins with Begin; ok is false if it has an unknown line or
// too many fragments. The texts together are at most twice as long as the patch.
func Fragments(text string) (all []Fragment, ok bool) {
	body, begun := strings.CutPrefix(strings.TrimSpace(text), Begin)
	body, ended := strings.CutSuffix(body, end)
	if !begun || !ended || !strings.HasSuffix(body, "\n") || strings.TrimSpace(body[:strings.IndexByte(body, '\n')]) != "" {
		return nil, false
	}
	_, body, _ = strings.Cut(body, "\n")
	r := fragmentReader{}
	for line := range strings.Lines(body) {
		if !r.line(strings.TrimSuffix(line, "\n")) || len(r.all) > MaxFragments {
			return nil, false
		}
	}
	return r.all, r.end() && len(r.all) > 0 && len(r.all) <= MaxFragments
}

type fragmentReader struct {
	all      []Fragment
	current  Fragment // the fragment being read; without a Path there is none
	old, new strings.Builder
	lines    int  // of the fragment
	any      bool // part of the file was read
}

func (r *fragmentReader) line(line string) bool {
	head, name, named := strings.Cut(strings.TrimRight(line, " \t\r"), ": ")
	name = strings.TrimSpace(name)
	updating := r.current.Operation == "modify"
	switch {
	case named && (head == "*** Add File" || head == "*** Delete File" || head == "*** Update File"):
		ok := r.end()
		r.current = Fragment{Operation: map[byte]string{'A': "add", 'D': "delete", 'U': "modify"}[head[4]], Path: name}
		r.any = r.current.Operation != "modify"
		return ok && name != ""
	case named && head == "*** Move to" && updating && !r.any && r.lines == 0:
		r.all, r.any = append(r.all, Fragment{Operation: "move", Path: r.current.Path, To: name}), true
		return name != ""
	case updating && (line == "@@" || strings.HasPrefix(line, "@@ ") || line == "@@\r"):
		return r.keep()
	case updating && head == "*** End of File" && !named && r.lines > 0:
		return true
	case r.current.Operation == "add" && strings.HasPrefix(line, "+"):
		r.text(&r.new, line[1:])
	case updating && line == "":
		r.text(&r.old, "")
		r.new.WriteByte('\n')
	case updating && line[0] == ' ':
		r.text(&r.old, line[1:])
		r.new.WriteString(line[1:] + "\n")
	case updating && line[0] == '-':
		r.text(&r.old, line[1:])
	case updating && line[0] == '+':
		r.text(&r.new, line[1:])
	default:
		return false
	}
	return true
}

func (r *fragmentReader) text(into *strings.Builder, line string) {
	into.WriteString(line)
	into.WriteByte('\n')
	r.lines++
}

// keep ends a fragment of a changed file. It reports false if the fragment changes nothing.
func (r *fragmentReader) keep() bool {
	if r.lines == 0 {
		return true // the heading of a part may have several lines
	}
	r.current.Old, r.current.New = r.old.String(), r.new.String()
	r.all, r.any = append(r.all, r.current), true
	r.old, r.new, r.lines = strings.Builder{}, strings.Builder{}, 0
	return r.current.Old != r.current.New
}

// end ends a file.
func (r *fragmentReader) end() bool {
	if r.current.Operation == "add" || r.current.Operation == "delete" {
		r.lines = max(r.lines, 1)
		return r.keep() || r.current.Operation == "delete" || r.current.New == ""
	}
	return r.keep() && (r.any || r.current.Path == "")
}
