package permissions

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// moves returns the places in a command's words where a command that changes the directory may begin.
func moves(words []string) []int {
	if !slices.ContainsFunc(words, func(w string) bool { return has(w, "moves") }) {
		return nil
	}
	return slices.DeleteFunc(programs(words), func(at int) bool { return !has(words[at], "moves") })
}

// cdTarget returns where a command that changes the directory leads; it returns false if its words do
// not say.
func cdTarget(words []string) (to string, known bool) {
	operands := words[1:]
	for len(operands) > 0 && slices.Contains([]string{"-P", "-L", "-e", "--"}, operands[0]) {
		last := operands[0] == "--"
		if operands = operands[1:]; last {
			break
		}
	}
	switch {
	case words[0] != "cd" && words[0] != "pushd" && words[0] != "chdir", len(operands) > 1:
		return "", false
	case len(operands) == 0:
		return "~", words[0] != "pushd"
	}
	to = operands[0]
	return to, to != "" && to[0] != '-' && to[0] != '+' && !searched(to)
}

// searched reports whether cd looks for a directory in more than one place.
func searched(dir string) bool {
	return os.Getenv("CDPATH") != "" && !filepath.IsAbs(dir) && !strings.HasPrefix(dir, "./") && !strings.HasPrefix(dir, "../") && dir != "." && dir != ".." && dir[0] != '~'
}

// joinDir returns where a path leads from dir; "" if unknown.
func joinDir(dir, p string) string {
	switch p = fromHomeDir(p); {
	case strings.HasPrefix(p, "~"):
		return ""
	case filepath.IsAbs(p):
		return p
	case dir == "":
		return ""
	}
	return dir + "/" + p // not cleaned: .. after a link leads elsewhere
}

// fromHomeDir replaces a leading ~ by the home directory.
func fromHomeDir(word string) string {
	if strings.HasPrefix(word, "~/") || word == "~" {
		return homeDir() + word[1:]
	}
	return word
}

// maxMaybe bounds the directories in which a command line may run.
const maxMaybe = 16

// directories are those in which parts of a command line may run, whichever cd fails. If not all are
// known, it may run elsewhere, too.
type directories struct {
	dirs []string
	all  bool
}

func (d *directories) add(dir string) {
	switch {
	case dir == "" || slices.Contains(d.dirs, dir):
	case len(d.dirs) == maxMaybe:
		d.all = false
	default:
		d.dirs = append(d.dirs, dir)
	}
}

// enter adds where a path leads from each of them.
func (d *directories) enter(to string) {
	for _, dir := range slices.Clone(d.dirs) {
		d.add(joinDir(dir, to))
		if strings.Contains(to, "..") { // shells disagree on where it leads after a link
			d.add(filepath.Clean(joinDir(dir, to)))
		}
		if strings.HasPrefix(to, "~") { // it may have been quoted
			d.add(dir + "/" + to)
		}
	}
	d.all = d.all && (len(to) < 2 || to[0] != '~' || to[1] == '/')
}

// mayWork returns the directories in which the parts of a command line that begins in dir may run.
func mayWork(parts []part, dir string) directories {
	d := directories{all: dir != ""}
	d.add(dir)
	for _, p := range parts {
		d.add(p.dir)
		d.all = d.all && !p.lost
		for _, at := range moves(p.words) {
			to, known := cdTarget(p.words[at:])
			switch {
			case p.words[at] == "popd": // where it was before
			case !known, p.doubt != "":
				d.all = false
			default:
				d.all = d.all && (!p.repeated || filepath.IsAbs(fromHomeDir(to)))
				d.enter(to)
			}
		}
		for _, to := range p.entered {
			d.enter(to)
		}
	}
	return d
}

// within returns the directories that are reached from d by options of a command.
func (d directories) within(dirs []string) directories {
	for _, to := range dirs {
		before := d.dirs
		d.dirs = nil
		for _, dir := range before {
			d.add(joinDir(dir, to))
		}
	}
	return d
}

// file judges a file that a part of a command line names. known is false if it could not be looked up.
// Where the directory is uncertain, the rules that ask or deny decide about each that may be meant.
func (b *Rulebook) file(f *Facts, dir, word, text string, write bool) (v Verdict, file FileFact, known bool) {
	file, known = lookUp(f, dir, word, write)
	v = b.verdict(f, fileDemand(file, true), text)
	if v.Marks = file.marks(known); known || b.strictest(ofAll) == None {
		return v, file, known
	}
	all := f.possible.all
	for _, dir := range f.possible.dirs {
		at, ok := lookUp(f, dir, word, write)
		all = all && ok
		if worse := b.verdict(f, fileDemand(at, true), text); ok && worse.Effect > max(v.Effect, Allow) {
			v = worse
		}
	}
	if !all {
		v.unresolved = wantsRead
	}
	return v, file, known
}
