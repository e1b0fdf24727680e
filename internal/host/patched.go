package host

import "strings"

// beginPatch begins patches in which each file has its own line.
const beginPatch = "*** Begin Patch"

// patched returns the files that a patch changes, in one of the two formats that agents send: that of
// beginPatch, or a unified diff. ok is false if it may change other files. It errs on the side of
// naming too many files: a line of a text can look like a name.
func patched(text string) (files []string, ok bool) {
	ok = true
	add := func(path string) {
		if path = strings.TrimSpace(path); path != "/dev/null" {
			files, ok = append(files, path), ok && path != "" && path[0] != '"' // quoted by git
		}
	}
	old := ""
	for l := range strings.SplitSeq(text, "\n") {
		l = strings.TrimSuffix(l, "\r")
		if head, name, found := strings.Cut(strings.TrimSpace(l), ": "); found && strings.HasPrefix(head, "*** ") {
			add(name)
			continue
		}
		word, rest, _ := strings.Cut(l, " ")
		rest, _, _ = strings.Cut(rest, "\t")
		switch word {
		case "Index:":
			add(rest)
		case "---":
			old = rest
		case "+++":
			from, to := unprefixed(old, rest)
			add(from)
			add(to)
			old = ""
		case "rename", "copy":
			if _, path, found := strings.Cut(rest, " "); found {
				add(path)
			}
		case "diff":
			if args, git := strings.CutPrefix(rest, "--git "); git && len(args)%2 == 1 { // otherwise other lines name the files
				if from, to := unprefixed(args[:len(args)/2], args[len(args)/2+1:]); from == to {
					add(to)
				}
			}
		}
	}
	return files, ok && len(files) > 0
}

// unprefixed returns the names of a file before and after without git's a/ and b/.
func unprefixed(from, to string) (string, string) {
	a, isA := strings.CutPrefix(from, "a/")
	b, isB := strings.CutPrefix(to, "b/")
	switch {
	case isA && isB:
		return a, b
	case isA && to == "/dev/null":
		return a, to
	case isB && from == "/dev/null":
		return from, b
	}
	return from, to
}
