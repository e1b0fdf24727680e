package acpclient

import (
	"strconv"
	"strings"

	"parley/internal/safetext"
)

// PatchFile is what a git patch says of one file. A path is "" where the patch
// has /dev/null; in ACP the paths are absolute and have no a/ and b/ before them.
type PatchFile struct {
	OldPath, Path  string
	Binary         bool
	Hunks          string // the lines from the first @@ on, "" where there are none
	Added, Removed int    // lines
}

// PatchFiles takes a Patch of the format "git_patch" apart; nil where there is
// none, or nothing in it that could be read. It need not cover all Files.
func (c *Changes) PatchFiles() []PatchFile {
	if c.PatchFormat != "git_patch" {
		return nil
	}
	var out []PatchFile
	var hunks []string
	left := [2]int{} // lines of the hunk that are still to come: old, new
	end := func() {
		if len(out) > 0 {
			out[len(out)-1].Hunks = strings.Join(hunks, "\n")
		}
		hunks, left = nil, [2]int{}
	}
	for _, line := range strings.Split(strings.TrimSuffix(c.Patch, "\n"), "\n") {
		if strings.HasPrefix(line, "diff --git ") && left[0] <= 0 && left[1] <= 0 {
			end()
			out = append(out, PatchFile{})
		}
		if len(out) == 0 {
			continue
		}
		f := &out[len(out)-1]
		switch {
		case strings.HasPrefix(line, "@@ ") && left[0] <= 0 && left[1] <= 0:
			hunks, left = append(hunks, line), hunkSize(line)
		case len(hunks) > 0:
			hunks = append(hunks, line)
			f.count(line, &left)
		default:
			f.header(line)
		}
	}
	end()
	return out
}

// count takes one line of a hunk.
func (f *PatchFile) count(line string, left *[2]int) {
	switch {
	case strings.HasPrefix(line, "+"):
		f.Added++
		left[1]--
	case strings.HasPrefix(line, "-"):
		f.Removed++
		left[0]--
	case strings.HasPrefix(line, `\`): // no newline at the end
	default:
		left[0]--
		left[1]--
	}
}

// header takes one line before the hunks. The names on the line "diff --git"
// itself are told again where there is a change; two paths in one line cannot be
// told apart safely.
func (f *PatchFile) header(line string) {
	for _, h := range []struct {
		word string
		into *string
	}{{"--- ", &f.OldPath}, {"+++ ", &f.Path}, {"rename from ", &f.OldPath}, {"rename to ", &f.Path}, {"copy from ", &f.OldPath}, {"copy to ", &f.Path}} {
		if name, ok := strings.CutPrefix(line, h.word); ok {
			if *h.into = unquotedName(name); *h.into == "/dev/null" {
				*h.into = ""
			}
		}
	}
	f.Binary = f.Binary || strings.HasPrefix(line, "Binary files ") || line == "GIT binary patch"
}

// unquotedName undoes git's quoting of names with odd characters.
func unquotedName(name string) string {
	name, _, _ = strings.Cut(name, "\t")
	if strings.HasPrefix(name, `"`) {
		if s, err := strconv.Unquote(name); err == nil {
			return safetext.Line(s, maxPhrase) // it may spell out what was made safe
		}
	}
	return name
}

// hunkSize reads the line counts of "@@ -1,5 +1,6 @@".
func hunkSize(line string) (size [2]int) {
	words := strings.Fields(line)
	for i := range size {
		if len(words) < 3 {
			return size
		}
		size[i] = 1
		if _, n, ok := strings.Cut(words[i+1], ","); ok {
			size[i], _ = strconv.Atoi(n)
		}
	}
	return size
}
