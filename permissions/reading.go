package permissions

import (
	"path"
	"slices"
	"strings"
)

// item is a word of a command and what it is, or the value in it.
type item struct {
	word   int    // its place in the command
	text   string // the word, or the value
	class  class
	option string // the option: itself, or the one that this is the value of; "" for operands
	of     string // the program or subcommand whose word it is
}

// reading is a command as its program's profile understands it.
type reading struct {
	items []item
	of    string   // the innermost profile: "git log"; the program where it has none
	known bool     // the profiles account for every word
	deep  bool     // it reads all below the directories that it names
	bare  bool     // of a deep one: names that begin with a dot are left out
	names bool     // it only prints the names of what it finds, if all of it is known
	dirs  []string // that it works in, one after the other
	// instead: an option has said what the first operand would say.
	instead bool

	shallow bool     // what a command that this one runs consists of is left out
	profile *profile // the innermost; nil where there is none
	loose   int      // where the words begin of one that carries; 0 where there is none
	odd     int      // the first word that it does not know

	content bool // options say that it shows, or writes, more than names
	linked  bool // an option says that it may make links
}

// read takes the words of a command apart. Words behind one that the profile does not
// know are those of a program without one: nobody can say what they belong to.
func read(words []string) reading {
	r := reading{known: true, odd: -1}
	r.command(words, 0)
	return r
}

func (r *reading) add(word int, text string, c class, option string) {
	r.items = append(r.items, item{word, text, c, option, r.of})
}

// command reads a program and what follows it, from the word at.
func (r *reading) command(words []string, at int) {
	r.of = words[at]
	if p := profileOf(words[at]); p != nil {
		r.program(p, nil, words, at+1, 0)
		return
	}
	r.others(words, at+1, classOther)
}

// others are the words of a program that is not known, or that follow an option that
// is not: those of a program that runs what they name are code. It may read all below the
// directories among them.
func (r *reading) others(words []string, at int, c class) {
	r.known, r.deep, r.bare = false, true, false
	r.stray(at)
	for ; at < len(words) && !r.shallow; at++ {
		if strings.HasPrefix(words[at], "-") || strings.HasPrefix(words[at], "+") || strings.HasPrefix(words[at], "@") {
			r.add(at, words[at], classOdd, words[at])
		} else {
			r.add(at, words[at], c, "")
		}
	}
}

// stray notes the first word that no profile explains.
func (r *reading) stray(at int) {
	if r.odd < 0 {
		r.odd = at
	}
}

// program reads options and operands. parents have options that count as well; first is
// which of the profile's operands comes first.
func (r *reading) program(p *profile, parents []*profile, words []string, at, first int) {
	r.of, r.deep, r.bare = p.name, r.deep || p.deep || p.partial, p.hidden
	r.known = r.known && !p.partial
	r.profile = p
	if p.carries && r.loose == 0 {
		r.loose = at
	}
	r.operands(p, parents, words, at, first)
}

// operands reads what follows a program or a subcommand; first is which of the
// profile's operands comes first.
func (r *reading) operands(p *profile, parents []*profile, words []string, at, first int) {
	operands, options, seen, before, start := first, true, false, len(r.items), at
	dirs := len(r.dirs)
	for at < len(words) {
		w := words[at]
		if sub := p.subs[w]; sub != nil && (operands == first || options && w == "--") {
			c := classSub
			if sub.risky {
				c = classRisky
			}
			if r.add(at, w, c, ""); sub.harmless {
				r.pardon()
			}
			switch {
			case w == "--": // other options, and the operands go on
				r.program(sub, nil, words, at+1, operands)
				return
			case p.global:
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
			if last := r.items[len(r.items)-1]; last.class == classCmd { // find -exec: where it ends is not looked for
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
				r.known, r.deep = false, true
				r.stray(at)
			}
			seen = true
			options = options && p.style != stylePOSIX
			at++
		}
	}
	if r.instead && first == 0 { // an option said what the first operand would have
		r.items, r.dirs, r.instead = r.items[:before], r.dirs[:dirs], false
		r.operands(p, parents, words, start, 1)
		return
	}
	if p.target != 0 {
		r.target(p.target, before)
	}
}

// pardon has no rule name the subcommands so far: the last of them is harmless.
func (r *reading) pardon() {
	for i := range r.items {
		if r.items[i].class == classRisky && r.items[i].option == "" {
			r.items[i].class = classSub
		}
	}
}

// afterOperands adds what an option behind an operand is to those systems, as macOS,
// where the options of many programs end with the first operand: its value is a file,
// too. turned says that it would change what the first operand was.
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

// target gives the last operand its class, and adds the files that the others become if
// it is a directory.
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

// beginning is the class of an option of which the profile knows the beginning.
func (p *profile) beginning(w string) (class, bool) {
	for _, b := range p.begins {
		if strings.HasPrefix(w, b) && p.options[w] == (option{}) {
			return p.options[b+"*"].class, true
		}
	}
	return 0, false
}

// operator tells whether a word without a dash is an option.
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

// option reads the option at a place: false where the profile does not know it.
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
			r.add(at, w, o.bare(), w)
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
			r.add(at, w, o.bare(), name)
			return at + 1, true
		}
		return at, false
	}
	if p.digits && strings.Trim(w[1:], "0123456789") == "" {
		r.add(at, w, classFlag, w)
		return at + 1, true
	}
	if strings.HasPrefix(w, "--") || p.style == styleExact || p.style == styleGo {
		return at, false
	}
	return r.cluster(p, find, value, words, at)
}

// bare is the class of the option itself where no value follows.
func (o option) bare() class {
	switch {
	case o.takes == takesNone:
		return o.class
	case o.takes == takesAttached && o.class == classLine:
		return classRisky // it runs a program of its own choice
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
			r.add(at, name, o.bare(), name)
			r.noted(p, name)
		case rest != "" && rest[0] == '=' && o.class != classText: // of the value for some, and not for others
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

// opens tells whether a word may be an option, where it follows one that has a value:
// programs do not agree on whether it is that value. A number below zero is. A file of
// options is replaced by what stands in it wherever it comes.
func (p *profile) opens(w string) bool {
	if c, ok := p.beginning(w); ok && c == classList {
		return true
	}
	return len(w) > 1 && w[0] == '-' && (w[1] < '0' || w[1] > '9')
}

// noted keeps what an option says of the command as a whole.
func (r *reading) noted(p *profile, name string) {
	r.deep = r.deep || slices.Contains(p.deepWith, name)
	r.linked = r.linked || slices.Contains(p.links.with, name)
	r.content = r.content || slices.Contains(p.tree.with, name)
	r.instead = r.instead || slices.Contains(p.instead, name)
	r.names = r.names || slices.Contains(p.names, name)
	r.bare = r.bare && !slices.Contains(p.unhide, name)
}
