package permissions

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
)

const (
	// maxGlob bounds the names that the patterns of a command match, maxGlobs the patterns,
	// and maxLists the directories listed for a question.
	maxGlob  = 200
	maxGlobs = 20
	maxLists = 60
)

// unmarked returns a word without its marks, and why it is not known, or "".
func unmarked(text string) (word, why string) {
	switch {
	case strings.Contains(text, markGlob):
		why = whyGlob
	case strings.Contains(text, markVariable):
		why = whyLater
	}
	return noMarks.Replace(text), why
}

var noMarks = strings.NewReplacer(markGlob, "", markVariable, "")

// boundedLists wraps names so that it lists each directory once, and at most that many.
func boundedLists(names func(string) ([]string, bool), most int) func(string) ([]string, bool) {
	if names == nil {
		return nil
	}
	seen := map[string][]string{}
	whole := map[string]bool{}
	return func(dir string) ([]string, bool) {
		if _, ok := seen[dir]; !ok && len(seen) < most {
			seen[dir], whole[dir] = names(dir)
		}
		return seen[dir], whole[dir]
	}
}

// expandAll gives the parts of a line the words they will have when it runs, where that is
// certain.
func expandAll(f *Facts, parts []part) []part {
	quiet := make([]bool, len(parts)) // before their words are replaced
	for i, p := range parts {
		quiet[i] = p.quiet()
	}
	for i, p := range parts {
		if p.marked != nil {
			was := quiet[i]
			quiet[i] = quiet[i] || !p.repeated // it creates files after its patterns were expanded
			parts[i] = p.expanded(f, !slices.Contains(quiet, false))
			quiet[i] = was
		}
	}
	return parts
}

// quiet reports whether a part creates no file whose name a pattern of another part may match
// as an option.
func (p part) quiet() bool {
	if p.free {
		return true
	}
	if len(p.words) == 0 {
		return !p.write && p.file != "" && p.doubt == ""
	}
	words, _ := core(p.words, "")
	if !has(words[0], "quiet", append(words, "")[1]) {
		return false
	}
	return !slices.ContainsFunc(read(p.words).items, func(it item) bool { return it.class == classWrite })
}

// expanded returns a part with the words it will have when it runs, if they are certain and
// their order does not matter.
func (p part) expanded(f *Facts, quiet bool) part {
	var words []string
	open := map[int]string{} // places of words that had marks
	globs := 0
	for i, m := range p.marked {
		w, why := unmarked(m)
		switch {
		case why == "":
			words = append(words, w)
		case strings.Contains(m, markVariable):
			if i == 0 || strings.Contains(m, markGlob) {
				return p
			}
			open[len(words)] = m
			words = append(words, w)
		default:
			names, listed, why := globbed(f, p.dir, m, quiet)
			p.listed = append(p.listed, listed...)
			if globs++; i == 0 || why != "" || globs > maxGlobs || len(words)+len(names) > maxGlob {
				p.doubt = cmp.Or(why, whyGlob)
				return p
			}
			for _, name := range names {
				open[len(words)] = m
				words = append(words, name)
			}
		}
	}
	var seen class = -1
	for _, it := range read(words).items {
		m, marked := open[it.word]
		if !marked {
			continue
		}
		if strings.Contains(m, markVariable) {
			if !prints(words, it, m) {
				return p
			}
			if it.class == classPlain {
				words[it.word] = "0"
			}
			continue
		}
		operand := it.option == ""
		if !operand && it.class != classText || !slices.Contains(inAnyOrder, it.class) || operand && seen >= 0 && it.class != seen {
			return p
		}
		if operand {
			seen = it.class
		}
	}
	p.words, p.known, p.doubt, p.marked = words, len(words), "", nil
	return p
}

// inAnyOrder are the classes of words for which the order of expanded names does not matter.
var inAnyOrder = []class{classText, classRead, classWrite, classEdit, classRev, classLocal, classInput, classOther}

// prints reports whether a word with a variable is only printed or compared. Numbers may also
// be evaluated by a shell.
func prints(words []string, it item, marked string) bool {
	if !has(words[0], "prints") || it.option != "" {
		return false
	}
	_, rest, _ := strings.Cut(marked, markVariable)
	name := strings.Trim(rest, markVariable+"${}")
	return it.class == classText || it.class == classPlain && strings.Trim(marked, "0123456789") == markVariable+rest && slices.Contains(numbers, name)
}

// globbed returns the sorted names that a word with patterns matches, or the word itself if
// there are none; the directories listed for them; and why no rule can allow them, or "".
func globbed(f *Facts, dir, marked string, quiet bool) (names, listed []string, why string) {
	if f.ListDir == nil || f.Resolve == nil || dir == "" || strings.HasPrefix(marked, "~") {
		return nil, nil, whyGlob
	}
	word, _ := unmarked(marked)
	start := ""
	if strings.HasPrefix(marked, "/") {
		start = "/"
	}
	found := []string{start}
	parts := strings.FieldsFunc(marked, func(c rune) bool { return c == '/' })
	for i, name := range parts {
		if !strings.Contains(name, markGlob) {
			for k := range found {
				found[k] += name
			}
		} else {
			var next []string
			for _, before := range found {
				at := f.Resolve(joinDir(dir, cmp.Or(strings.TrimSuffix(before, "/"), start, ".")))
				if !at.Inside {
					return nil, nil, fmt.Sprintf("%s may lead outside the session's directories", word)
				}
				listed = append(listed, at.Path)
				all, ok := f.ListDir(at.Path)
				if !ok {
					return nil, nil, fmt.Sprintf("%s may mean more files than parley looks at", word)
				}
				for _, n := range all {
					if globs(name, n) {
						next = append(next, before+n)
					}
				}
			}
			if found = next; len(found) > maxGlob {
				return nil, nil, fmt.Sprintf("%s means more files than parley looks at", word)
			}
		}
		if i < len(parts)-1 || strings.HasSuffix(marked, "/") {
			for k := range found {
				found[k] += "/"
			}
		}
	}
	found = slices.DeleteFunc(found, func(name string) bool {
		file := f.Resolve(joinDir(dir, name))
		return !file.Exists && !file.Secret && file.Inside
	})
	if strings.HasPrefix(marked, markGlob) && !quiet {
		return nil, nil, fmt.Sprintf("%s may mean files that the line makes", word)
	}
	if len(found) == 0 {
		return []string{word}, listed, ""
	}
	slices.Sort(found)
	for _, name := range found {
		switch file := f.Resolve(joinDir(dir, name)); {
		case strings.HasPrefix(name, "-"):
			return nil, nil, fmt.Sprintf("%s means %s, which may be an option", word, name)
		case file.Secret:
			return nil, nil, fmt.Sprintf("%s means %s, which is sensitive", word, name)
		case !file.Inside:
			return nil, nil, fmt.Sprintf("%s means %s, which leads outside the session's directories", word, name)
		}
	}
	return found, listed, ""
}

// globs reports whether a pattern with marks matches a name. A leading dot must be matched
// explicitly.
func globs(pattern, name string) bool {
	if strings.HasPrefix(pattern, markGlob) && strings.HasPrefix(name, ".") {
		return false
	}
	found, _ := path.Match(marksOnly.Replace(pattern), name)
	return found
}

// marksOnly makes a pattern of path.Match of one with marks.
var marksOnly = strings.NewReplacer(markGlob+"*", "*", markGlob+"?", "?", "*", `\*`, "?", `\?`, "[", `\[`, `\`, `\\`)
