package permissions

import (
	"path"
	"slices"
	"strings"
)

// wrapped holds what a command may run: commands that begin at one of its words, and words that
// are read as command lines. The profiles say which (see readProfiles). If a profile does not
// know an option of a program that runs others, wrapped holds everything it might run.
type wrapped struct {
	commands [][]string // the first is the command itself
	places   []int      // where commands begin that are a suffix of words
	lines    []wrappedLine

	words []string
	seen  map[wrappedPlace]bool
	loose int  // all words from this one on have been added
	work  int  // words read, for all of commands
	more  bool // a bound was reached: the command may run more
}

// wrappedLine is a command line in a word.
type wrappedLine struct {
	text string
	how  wrapping
}

// wrappedPlace identifies what has been scanned: a command by its first word and place, or the
// words of a profile from a place.
type wrappedPlace struct {
	p     *profile
	first string
	at    int
}

const (
	// maxWrapped bounds the commands, and the lines, found in one command.
	maxWrapped = 300
	// maxWrappedWords bounds the words of all those commands together. Each command is
	// read to its end, so sh -c sh -c … would otherwise take time quadratic in its length.
	maxWrappedWords = 50_000
)

// wrappedBy finds the commands and command lines that a command may run.
func wrappedBy(words []string) *wrapped {
	c := &wrapped{words: words, seen: map[wrappedPlace]bool{}, loose: len(words)}
	if len(words) > 0 {
		c.command(words[0], 0)
	}
	return c
}

// command adds the command that consists of first and the words after place at.
func (c *wrapped) command(first string, at int) {
	place := wrappedPlace{nil, first, at}
	if c.seen[place] {
		return
	}
	if len(c.commands) >= maxWrapped || !c.spend(len(c.words)-at) {
		c.more = true
		return
	}
	c.seen[place] = true
	if first == c.words[at] {
		c.commands, c.places = append(c.commands, c.words[at:]), append(c.places, at)
	} else {
		c.commands = append(c.commands, append([]string{first}, c.words[at+1:]...))
	}
	if sub, ok := strings.CutPrefix(path.Base(first), "git-"); ok {
		c.commands = append(c.commands, append([]string{"git", sub}, c.words[at+1:]...))
	}
	if p := anyProfile(first); p != nil {
		c.scan(p, at+1)
	} else if (first == "--" || first == "-") && at+1 < len(c.words) { // time -- x, and a - of zsh
		c.command(c.words[at+1], at+1)
	}
}

// spend counts words about to be read and reports whether they are within the bound.
func (c *wrapped) spend(words int) bool {
	c.work += words
	return c.work <= maxWrappedWords
}

// anyProfile returns the profile of a program for rules that ask or deny: wherever the program
// is installed, and whatever its version.
func anyProfile(word string) *profile {
	name := strings.TrimSuffix(strings.ToLower(path.Base(word)), ".exe")
	if p := profiles()[name]; p != nil {
		return p
	}
	return profiles()[program(word)]
}

// scan reads the words of a program or subcommand from a place.
func (c *wrapped) scan(p *profile, at int) {
	place := wrappedPlace{p, "", at}
	if c.seen[place] || c.more {
		return
	}
	if !c.spend(len(c.words) - at) {
		c.more = true
		return
	}
	c.seen[place] = true
	r := reading{known: true, shallow: true, firstUnknown: -1}
	r.program(p, nil, c.words, at, 0)
	for _, it := range r.items {
		if c.item(it); it.class == classCmd && it.option != "" { // find may have more than one -exec
			for j := it.word; j < len(c.words); j++ {
				c.option(r.profile, j)
			}
		}
	}
	q := r.profile
	if r.firstUnknown >= 0 {
		for j := r.firstUnknown; j < len(c.words); j++ {
			if sub := q.subs[c.words[j]]; sub != nil {
				c.scan(sub, j+1)
			}
		}
		if q.mayRun() {
			c.all(r.firstUnknown)
		}
	}
	if r.loose > 0 {
		c.all(r.loose)
	}
}

// option adds what an option wraps when its place among the others is not known.
func (c *wrapped) option(p *profile, at int) {
	name, value, found := strings.Cut(c.words[at], "=")
	o, place := p.options[name], at
	if !found {
		if place++; place == len(c.words) {
			return
		}
		value = c.words[place]
	}
	switch o.class {
	case classLine, classCmd, classSetting:
		c.item(item{word: place, text: value, class: o.class, option: name})
	}
}

func (c *wrapped) item(it item) {
	switch it.class {
	case classCmd:
		c.command(it.text, it.word)
		if it.option != "" {
			c.line(it.text, it.word, surelyWrapped)
		}
	case classLine:
		c.line(it.text, it.word, surelyWrapped)
	case classJoined:
		c.command(it.text, it.word)
		c.lines = append(c.lines, wrappedLine{strings.Join(append([]string{it.text}, c.words[it.word+1:]...), " "), surelyWrapped})
	case classSetting:
		_, value, found := strings.Cut(it.text, "=")
		if !found {
			value = it.text
			if _, rest, spaced := strings.Cut(it.text, " "); spaced { // ssh -o 'ProxyCommand x'
				c.line(rest, it.word, maybeWrapped)
			}
		}
		if strings.HasPrefix(it.text, "alias.") || it.option == "" {
			c.line(c.words[0]+" "+value, it.word, maybeWrapped)
		}
		c.line(strings.TrimPrefix(value, "!"), it.word, maybeWrapped)
	case classRemote:
		if line, ok := strings.CutPrefix(it.text, "ext::"); ok {
			c.line(line, it.word, surelyWrapped)
		}
	case classAssign:
		if _, value, _ := strings.Cut(it.text, "="); !onlyChooses(it.text) { // its program may run it, or an option in it
			c.line(strings.Trim(value, "|-@! "), it.word, maybeWrapped)
			if _, value, found := strings.Cut(value, "="); found {
				c.line(strings.Trim(value, "'!"), it.word, maybeWrapped)
			}
		}
	}
}

// line adds the text of a word as a command line, alone and joined with the words after it.
func (c *wrapped) line(text string, at int, how wrapping) {
	if c.more = c.more || len(c.lines) >= maxWrapped; c.more || text == "" {
		return
	}
	c.lines = append(c.lines, wrappedLine{text, how})
	if rest := c.words[at+1:]; len(rest) > 0 && len(rest) < 100 {
		c.lines = append(c.lines, wrappedLine{text + " " + strings.Join(rest, " "), maybeWrapped})
	}
}

// all adds everything that might begin at, or within, the words from a place.
func (c *wrapped) all(from int) {
	end := c.loose
	c.loose = min(from, end)
	for at := from; at < end && !c.more; at++ {
		w := c.words[at]
		pieces := []string{w}
		if strings.HasPrefix(w, "-") {
			if _, value, found := strings.Cut(w, "="); found {
				pieces = append(pieces, value)
			}
			for k := 2; k < min(len(w), 6) && w[1] != '-'; k++ {
				pieces = append(pieces, w[k:])
			}
		}
		for _, piece := range pieces {
			c.command(piece, at)
			if strings.ContainsAny(piece, " \t\n;&|$`(){}<>'\"\\") {
				c.lines = append(c.lines, wrappedLine{piece, maybeWrapped})
			}
		}
	}
}

// mayRun reports whether operands or options of a program are run.
func (p *profile) mayRun() bool {
	for _, o := range p.options {
		if o.class == classLine || o.class == classCmd || o.class == classSetting {
			return true
		}
	}
	for _, sub := range p.subs {
		if strings.HasPrefix(sub.name[strings.LastIndexByte(sub.name, ' ')+1:], "-") && sub.runs() { // python -m
			return true
		}
	}
	return p.runs()
}

// runs reports whether the operands of a program are run.
func (p *profile) runs() bool {
	return p.is("wraps") || slices.ContainsFunc(p.operands, func(c class) bool { return c == classCmd || c == classLine || c == classJoined })
}

// namesCommand reports whether programs run the value of a variable.
func namesCommand(variable string) bool {
	return slices.ContainsFunc(knownPrograms().commands, func(p string) bool { return matchText(p, variable) })
}

// otherNames adds what options stand for according to the profile of their command, and --force
// or --delete for a refspec that forces or deletes.
func otherNames(words []string) []string {
	r, ok := shallow(words)
	if !ok {
		return words
	}
	words = slices.Clip(words)
	for name, means := range r.profile.means {
		if hasWritten(words, name) {
			words = append(words, means...)
		}
	}
	for _, it := range r.items {
		switch {
		case it.class != classRefspec:
		case strings.HasPrefix(it.text, "+"):
			words = append(words, "--force")
		case strings.HasPrefix(it.text, ":"):
			words = append(words, "--delete")
		}
	}
	return words
}

// shallow reads a command by the profile of its program, without the commands it runs. It
// returns false if the program has no profile.
func shallow(words []string) (reading, bool) {
	r := reading{known: true, shallow: true, firstUnknown: -1}
	p := anyProfile(words[0])
	if p != nil {
		r.program(p, nil, words, 1, 0)
	}
	return r, p != nil
}

// innermost returns the profile of the last subcommand of a command; nil if there is none.
func innermost(words []string) *profile {
	r, _ := shallow(words)
	return r.profile
}

// mayWrap reports whether words appended to these may be a command, or the line of one.
func mayWrap(words []string) bool {
	if program(words[0]) == "eval" {
		return true
	}
	for _, command := range wrappedBy(words).commands {
		if r, ok := shallow(command); ok && (r.profile.runs() || len(r.profile.subs) > 0 && r.profile.runsBelow()) {
			return true
		}
	}
	return false
}

// runsBelow reports whether a subcommand, at any depth, runs what it names.
func (p *profile) runsBelow() bool {
	for _, sub := range p.subs {
		if sub.runs() || sub.runsBelow() {
			return true
		}
	}
	return false
}

// matchEach matches a pattern with words each of which is a separate task.
func matchEach(pattern, words []string, match func(pattern, word string) bool) bool {
	return !slices.ContainsFunc(pattern, func(p string) bool {
		return p != "*" && !slices.ContainsFunc(words, func(w string) bool { return match(p, w) })
	})
}
