package acptest

import (
	"bytes"
	"strings"
)

// Archive is a txtar archive: a comment, then files, each after a line "-- name --".
type Archive struct {
	Comment []byte
	Files   []File
}

// File is one file of an archive.
type File struct {
	Name string
	Data []byte
}

// ParseArchive parses the txtar format, in which nothing is an error.
func ParseArchive(data []byte) *Archive {
	a := &Archive{}
	into := &a.Comment
	for line := range bytes.Lines(data) {
		if name, ok := marker(line); ok {
			a.Files = append(a.Files, File{Name: name})
			into = &a.Files[len(a.Files)-1].Data
			continue
		}
		*into = append(*into, line...)
	}
	for i := range a.Files {
		if d := a.Files[i].Data; len(d) > 0 && d[len(d)-1] != '\n' {
			a.Files[i].Data = append(d, '\n')
		}
	}
	return a
}

// Format writes the archive back.
func (a *Archive) Format() []byte {
	out := bytes.Clone(a.Comment)
	for _, f := range a.Files {
		out = append(out, "-- "+f.Name+" --\n"...)
		out = append(out, f.Data...)
	}
	return out
}

// File returns the contents of a file, nil if there is none.
func (a *Archive) File(name string) []byte {
	for _, f := range a.Files {
		if f.Name == name {
			return f.Data
		}
	}
	return nil
}

// put replaces a file, or appends it.
func (a *Archive) put(name, text string) {
	for i := range a.Files {
		if a.Files[i].Name == name {
			a.Files[i].Data = []byte(text)
			return
		}
	}
	a.Files = append(a.Files, File{Name: name, Data: []byte(text)})
}

func marker(line []byte) (name string, ok bool) {
	s := strings.TrimRight(string(line), "\r\n")
	if !strings.HasPrefix(s, "-- ") || !strings.HasSuffix(s, " --") || len(s) < len("-- x --") {
		return "", false
	}
	name = strings.TrimSpace(s[3 : len(s)-3])
	return name, name != ""
}
