package permissions

import (
	"path"
	"slices"
	"strings"
)

// item is a word of a command, or the value in it, with its class.
type item struct {
	word   int    // its place in the command
	text   string // the word, or the value
	class  class
	option string // the option that this is, or is the value of; "" for operands
	of     string // the program or subcommand it belongs to
}

// reading is a command as the profile of its program describes it.
type reading struct {
	items      []item
	of         string   // the innermost profile ("git log"), or the program if it has none
	known      bool     // the profiles account for every word
	recursive  bool     // it reads the directories it names recursively
	skipHidden bool     // recursive, but without names that begin with a dot
	names      bool     // it only prints names, if known is set
	dirs       []string // directories it changes to, in order
	// instead says that an option has replaced the first operand.
	instead bool

	shallow      bool     // the words of a command that it runs are not read
	profile      *profile // the innermost; nil if there is none
	loose        int      // the first word of a program that wraps; 0 if there is none
	firstUnknown int      // the first unknown word; -1 if there is none

	content bool // by its options it shows or writes more than names
	linked  bool // by an option it may create links
}

// read classifies the words of a command. Words after one that the profile does not know are
// treated as those of a program without a profile, since it is unclear what they belong to.
func read(words []string) reading {
	r := reading{known: true, firstUnknown: -1}
	r.command(words, 0)
	return r
}

func (r *reading) add(word int, text string, c class, option string) {
	r.items = append(r.items, item{word, text, c, option, r.of})
}

// command reads a program and the words after it, from the word at.
func (r *reading) command(words []string, at int) {
	r.of = words[at]
	if p := profileOf(words[at]); p != nil {
		r.program(p, nil, words, at+1, 0)
		return
	}
	r.others(words, at+1, classOther)
}

// others reads the words of an unknown program, or those after an unknown option; if the
// program runs what they name, they are code. It may read directories among them recursively.
func (r *reading) others(words []string, at int, c class) {
	r.known, r.recursive, r.skipHidden = false, true, false
	r.markUnknown(at)
	for ; at < len(words) && !r.shallow; at++ {
		if strings.HasPrefix(words[at], "-") || strings.HasPrefix(words[at], "+") || strings.HasPrefix(words[at], "@") {
			r.add(at, words[at], classOdd, words[at])
		} else {
			r.add(at, words[at], c, "")
		}
	}
}

// markUnknown notes the first word that no profile describes.
func (r *reading) markUnknown(at int) {
	if r.firstUnknown < 0 {
		r.firstUnknown = at
	}
}

// partial reports whether not all words of a program are known: some are as for one without a profile.
func (p *profile) partial() bool { return slices.Contains(p.operands, classOther) }

// program reads the words of a program. parents are profiles whose options count as well; first
// is the index of the profile's operand that comes first.
func (r *reading) program(p *profile, parents []*profile, words []string, at, first int) {
	r.of, r.recursive, r.skipHidden = p.name, r.recursive || p.is("recursive") && p.says["recursive"] == nil || p.partial(), p.is("hidden")
	r.known = r.known && !p.partial()
	r.profile = p
	if p.is("wraps") && r.loose == 0 {
		r.loose = at
	}
	r.operands(p, parents, words, at, first)
}

// operands reads the words after a program or subcommand; first is as for program.
func (r *reading) operands(p *profile, parents []*profile, words []string, at, first int) {
	operands, options, seen, before, start := first, true, false, len(r.items), at
	dirs := len(r.dirs)
	for at < len(words) {
		w := words[at]
		if sub := p.subs[w]; sub != nil && (operands == first || options && w == "--") {
			c := classSub
			if sub.is("risky") {
				c = classRisky
			}
			if r.add(at, w, c, ""); sub.is("harmless") {
				r.pardon()
			}
			switch {
			case w == "--": // other options; the operands continue
				r.program(sub, nil, words, at+1, operands)
				return
			case p.is("global"):
				parents = append(slices.Clip(parents), p)
			}
			r.program(sub, parents, words, at+1, 0)
			return
		}
		began, begins := p.beginning(w)
		switch {
		case options && w == "--" && p.style != styleExact:
			r.add(at, w, classFlag, w)
			options = false
			at++
		case begins && (options || began == classList):
			r.add(at, w, began, w)
			at++
		case options && (len(w) > 1 && w[0] == '-' || p.operator(w)):
			instead := r.instead
			next, ok := r.option(p, parents, words, at)
			if !ok {
				c := classOther
				if slices.ContainsFunc(p.operands, class.isCode) {
					c = classCode
				}
				r.others(words, at, c)
				return
			}
			if last := r.items[len(r.items)-1]; last.class == classCmd { // find -exec: its end is not searched for
				if !r.shallow {
					r.others(words, last.word+1, classCode)
				}
				return
			}
			if p.style == styleGNU && seen {
				r.afterOperands(p, words, at, next, operands, r.instead && !instead)
			}
			at = next
		default:
			c := p.operand(&operands, w)
			switch r.add(at, w, c, ""); c {
			case classCmd:
				if !r.shallow {
					r.command(words, at)
				}
				return
			case classJoined:
				for at++; at < len(words); at++ {
					r.add(at, words[at], classCode, "")
				}
				return
			case classOdd:
				r.known, r.recursive = false, true
				r.markUnknown(at)
			}
			seen = true
			options = options && p.style != stylePOSIX
			at++
		}
	}
	if r.instead && first == 0 { // an option replaced the first operand
		r.items, r.dirs, r.instead = r.items[:before], r.dirs[:dirs], false
		r.operands(p, parents, words, start, 1)
		return
	}
	if p.target != 0 {
		r.target(p.target, before)
	}
}

// pardon makes the subcommands so far need no rule: the last of them is harmless.
func (r *reading) pardon() {
	for i := range r.items {
		if r.items[i].class == classRisky && r.items[i].option == "" {
			r.items[i].class = classSub
		}
	}
}

// afterOperands adds what an option after an operand means on systems such as macOS, where many
// programs stop reading options at the first operand: its value is then a file. turned says
// that the option would change what the first operand was.
func (r *reading) afterOperands(p *profile, words []string, at, next, operands int, turned bool) {
	if turned {
		r.known = false
		r.add(at, words[at], classOdd, words[at])
	}
	for at++; at < next; at++ {
		if c := p.operand(&operands, words[at]); c == classRead || c == classWrite || c == classRev {
			r.add(at, words[at], c, "")
		}
	}
}

// target gives the last operand its class, and adds the files that the others become if it is a
// directory.
func (r *reading) target(c class, before int) {
	var at []int
	for i := before; i < len(r.items); i++ {
		if r.items[i].option == "" {
			at = append(at, i)
		}
	}
	if len(at) < 2 {
		return
	}
	last := &r.items[at[len(at)-1]]
	last.class = c
	to := *last
	for _, i := range at[:len(at)-1] {
		r.add(to.word, strings.TrimSuffix(to.text, "/")+"/"+path.Base(r.items[i].text), c, "")
	}
}

// beginning returns the class of a word by the prefixes of the profile.
func (p *profile) beginning(w string) (class, bool) {
	for _, b := range p.begins {
		if strings.HasPrefix(w, b) && p.options[w] == (option{}) {
			return p.options[b+"*"].class, true
		}
	}
	return 0, false
}

// operator reports whether a word without a dash is an option.
func (p *profile) operator(w string) bool {
	_, ok := p.options[w]
	return ok && p.style == styleExact
}

// operand is the class of the next operand.
func (p *profile) operand(n *int, w string) class {
	if *n < len(p.operands) && p.operands[*n] == classAssign && !strings.Contains(w, "=") {
		*n++
	}
	switch {
	case *n < len(p.operands):
		c := p.operands[*n]
		if c != classAssign {
			*n++
		}
		return c
	case p.many:
		return p.operands[len(p.operands)-1]
	}
	return classOdd
}

// option reads the option at a place. It returns false if the profile does not know it.
func (r *reading) option(p *profile, parents []*profile, words []string, at int) (next int, ok bool) {
	w := words[at]
	find := func(name string) (option, bool) {
		if p.style == styleGo {
			name = "-" + strings.TrimLeft(name, "-")
		}
		if o, ok := p.options[name]; ok {
			return o, true
		}
		for _, parent := range parents {
			if o, ok := parent.options[name]; ok {
				return o, true
			}
		}
		return option{}, false
	}
	value := func(name, text string, o option, word int) {
		r.add(word, text, o.class, name)
		if o.class == classDir {
			r.dirs = append(r.dirs, text)
		}
		r.noted(p, name)
		r.noted(p, name+"="+strings.TrimPrefix(text, "=")) // some take -t=x as -t x
	}
	if o, ok := find(w); ok {
		if r.noted(p, w); o.takes != takesValue {
			r.add(at, w, o.withoutValue(), w)
			return at + 1, true
		}
		if at+1 == len(words) || p.opens(words[at+1]) {
			return at, false
		}
		r.add(at, w, classFlag, w)
		if o.named {
			if at++; at+1 == len(words) || p.opens(words[at+1]) {
				return at - 1, false
			}
			r.add(at, words[at], classText, w)
		}
		value(w, words[at+1], o, at+1)
		return at + 2, true
	}
	if name, text, found := strings.Cut(w, "="); found && (strings.HasPrefix(w, "--") || p.style == styleExact || p.style == styleGo) {
		o, ok := find(name)
		switch {
		case ok && o.takes != takesNone && !o.named:
			value(name, text, o, at)
			return at + 1, true
		case ok && p.style == styleGo && (text == "true" || text == "false"):
			r.add(at, w, o.withoutValue(), name)
			return at + 1, true
		}
		return at, false
	}
	if p.is("digits") && strings.Trim(w[1:], "0123456789") == "" {
		r.add(at, w, classFlag, w)
		return at + 1, true
	}
	if strings.HasPrefix(w, "--") || p.style == styleExact || p.style == styleGo {
		return at, false
	}
	return r.cluster(p, find, value, words, at)
}

// withoutValue returns the class of the option itself when no value follows.
func (o option) withoutValue() class {
	switch {
	case o.takes == takesNone:
		return o.class
	case o.takes == takesAttached && o.class == classLine:
		return classRisky // it chooses the program to run
	}
	return classFlag
}

// cluster reads short options in one word.
func (r *reading) cluster(p *profile, find func(string) (option, bool), value func(string, string, option, int), words []string, at int) (next int, ok bool) {
	w, before := words[at], len(r.items)
	for k := 1; k < len(w); k++ {
		name := "-" + w[k:k+1]
		o, ok := find(name)
		if !ok {
			r.items = r.items[:before]
			return at, false
		}
		switch rest := w[k+1:]; {
		case o.takes == takesNone, o.takes == takesAttached && rest == "":
			r.add(at, name, o.withoutValue(), name)
			r.noted(p, name)
		case rest != "" && rest[0] == '=' && o.class != classText: // some programs count = as part of the value
			r.items = r.items[:before]
			return at, false
		case rest != "":
			value(name, rest, o, at)
			return at + 1, true
		case at+1 < len(words) && !p.opens(words[at+1]):
			value(name, words[at+1], o, at+1)
			return at + 2, true
		default:
			r.items = r.items[:before]
			return at, false
		}
	}
	return at + 1, true
}

// opens reports whether a word after an option that takes a value may be an option: programs
// disagree on whether it is the value. A negative number is the value. A file of options is
// expanded wherever it is.
func (p *profile) opens(w string) bool {
	if c, ok := p.beginning(w); ok && c == classList {
		return true
	}
	return len(w) > 1 && w[0] == '-' && (w[1] < '0' || w[1] > '9')
}

// noted records what an option says about the command as a whole.
func (r *reading) noted(p *profile, name string) {
	r.recursive = r.recursive || p.lists("recursive", name)
	r.linked = r.linked || p.lists("links", name)
	r.content = r.content || p.lists("tree", name)
	r.instead = r.instead || p.lists("instead", name)
	r.names = r.names || p.lists("names", name)
	r.skipHidden = r.skipHidden && !p.lists("hidden", name)
}
