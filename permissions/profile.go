package permissions

import (
	"embed"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"parley/internal/lazy"
)

// class says what a word of a command is, or the value of one of its options.
type class int

const (
	classFlag     class = iota // an option without a value that changes nothing but what is printed or looked at
	classText                  // text, a number, a pattern: names no file and is not run
	classPlain                 // text that a shell built-in may evaluate: no brackets, substitutions, assignments
	classFormat                // the format of printf
	classRead                  // a file or directory that is read
	classWrite                 // one that is written
	classDir                   // the directory in which the command works
	classRev                   // a revision of a repository, or a path, or both: HEAD:path
	classData                  // text, or the name of a file after @ or <
	classHost                  // the name of a host
	classURL                   // a URL, or a host without its scheme
	classRemote                // a repository: a configured name, a URL, a path, user@host:path
	classOther                 // a word of a program without a profile
	classSub                   // a subcommand that * may stand for
	classRisky                 // a subcommand that a rule must name
	classAssign                // NAME=value before a command
	classCode                  // code, a script, a target, a program: a rule must name it
	classCmd                   // the first word of a command that this one runs
	classSed                   // a script of sed
	classJQ                    // a filter of jq
	classList                  // a file with names of files: never allowed
	classRefspec               // a refspec: one that forces or deletes must be named
	classWriteOut              // what curl prints at the end: it may name files
	classDownload              // a URL whose last name becomes a file
	classQuery                 // a name, a server, a type or a setting of dig
	classForge                 // OWNER/REPO, or a number, a branch, a URL of something there
	classOdd                   // an option, or an operand too many, that the profile does not know
	className                  // a plain name, of a package, a lint, a format: no path and no URL
	classLocal                 // a path, or a name that nothing is fetched for: ./..., net/http
	classInput                 // files to check: a path, a test in it (x.py::y), a pattern; no @file, no x@version
	classShown                 // what to show, or the output format: no secrets, no files, no lookups
	classLine                  // a command line
	classJoined                // the first of words that together are a command line
	classSetting               // NAME=VALUE, or a value, of a setting that may be a command line
	classEdit                  // a file edited in place: a rule must name the option -i, or allow edits of the path
)

// classNames are the names of the classes in profiles; - for those that only the reader gives.
var classNames = strings.Fields("- text plain format read write dir rev data host url remote other - - assign code cmd sed jq list refspec writeout download query forge - name local input shown line joined setting edit")

// classOf returns the class of a name; it returns false if there is none.
func classOf(name string) (class, bool) {
	at := slices.Index(classNames, name)
	return class(at), at >= 0 && name != "-"
}

// style is how a program reads its options.
type style int

const (
	styleGNU   style = iota // -abc, -o value, -ovalue, --long=value; anywhere before --
	stylePOSIX              // the same, up to the first operand
	styleExact              // -word value, -word=value: one dash or two, no clusters; anywhere before --
	styleGo                 // as exact, and one dash is as good as two
)

var styleNames = map[string]style{"gnu": styleGNU, "posix": stylePOSIX, "exact": styleExact, "go": styleGo}

// takes says whether an option has a value.
type takes int

const (
	takesNone takes = iota
	takesAttached
	takesValue
)

type option struct {
	takes takes
	class class // of the value; classRisky for one without a value that a rule must name
	named bool  // a name precedes the value, as a separate word
}

// profile describes the words of a program or subcommand, as far as they are harmless. Harmless
// means that it runs nothing the words name, writes only where they say so, and contacts only
// hosts they name. What a profile does not list is not harmless. It is never changed after it
// was read.
type profile struct {
	name     string // "git log"
	source   string // the manual it is based on, with its version
	style    style
	options  map[string]option // by their name as written, with dashes
	operands []class
	many     bool     // the last of operands may be repeated
	target   class    // of the last operand, if it differs; it may be a directory for the others
	begins   []string // prefixes that are options: +FORMAT
	subs     map[string]*profile
	means    map[string][]string // what an option stands for
	same     map[string]string   // other names of subcommands; "" for words that may be left out
	says     map[string][]string // the words of its other lines, by the first: see heads
}

// heads begin lines of a profile that say something of the program as a whole.
var heads = strings.Fields("abbrev called digits each global harmless hidden instead links loads names recursive risky tree wraps")

// is reports whether a profile has a line that begins with a head.
func (p *profile) is(head string) bool {
	_, given := p.says[head]
	return given
}

// lists reports whether such a line contains a word.
func (p *profile) lists(head, word string) bool { return slices.Contains(p.says[head], word) }

//go:embed profiles/*.txt
var profileFiles embed.FS

// attributes are what a profile may say of a program by its name alone, whatever its words.
var attributes = strings.Fields("changes closed code console deletes evaluates filter hosts moves network never numbered passes posix prints quiet shell")

// library is what the profiles say.
type library struct {
	programs map[string]*profile
	names    map[string]map[string][]string // by attribute and program: the words after the attribute
	// variables are those that only choose between ways to do the same thing, with their harmless values.
	variables map[string]func() *regexp.Regexp
	commands  []string // patterns of variables whose values programs run
}

// has reports whether the profiles give a program an attribute. If words follow the attribute, it must be one for any of
// these.
func has(program, attribute string, any ...string) bool {
	words, given := knownPrograms().names[attribute][program]
	return given && (len(words) == 0 || len(any) == 0 || slices.ContainsFunc(any, func(w string) bool { return slices.Contains(words, w) }))
}

// profiles are the profiles of all programs, by name.
func profiles() map[string]*profile { return knownPrograms().programs }

// knownPrograms is what the embedded profiles say. The first test finds a mistake in them.
var knownPrograms = sync.OnceValue(func() *library {
	l, err := readProfiles(profileTexts())
	if err != nil {
		panic(err)
	}
	return l
})

// profileTexts returns the embedded profiles by the names of their files.
func profileTexts() map[string]string {
	texts := map[string]string{}
	names, _ := fs.Glob(profileFiles, "profiles/*.txt")
	for _, name := range names {
		text, _ := fs.ReadFile(profileFiles, name) // embedded
		texts[name] = string(text)
	}
	return texts
}

// readProfiles reads profiles in the order of the names of their files.
func readProfiles(texts map[string]string) (*library, error) {
	l := &library{programs: map[string]*profile{}, names: map[string]map[string][]string{}, variables: map[string]func() *regexp.Regexp{}}
	for _, a := range attributes {
		l.names[a] = map[string][]string{}
	}
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		if err := l.read(texts[name]); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return l, nil
}

// systemDirs are the directories in which the programs of profiles are recognised by their
// path.
var systemDirs = []string{"/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"}

// profileOf returns the profile of the program that a word names; nil if there is none. A
// program of the project with the name of a known one has no profile.
func profileOf(word string) *profile {
	if dir, name := path.Split(word); dir != "" {
		if !slices.Contains(systemDirs, path.Clean(dir)) {
			return nil
		}
		word = name
	}
	return profiles()[word]
}

// read adds the profiles of a text. It consists of sections:
//
//	[git log|shortlog]           a program, or a subcommand below its own section
//	[=node|perl]                 a program of which only attributes are known, or some names of another section
//	[cargo test --]              what follows --; operands are counted from before it
//	source git-log(1), 2.39      where it was read; required of programs
//	style gnu                    gnu, posix, exact or go
//	use diff                     the lines of the section [+diff]
//	options -s -n= --color? -o=write
//	operands rev* | text read*   the classes of operands in their order
//	operands read* write         the very last one is of another class, as for cp
//	global                       its options count after a subcommand, too
//	risky                        a rule must name this subcommand
//	digits                       -5 is an option
//	recursive [OPTIONS]           it reads directories recursively, or does with one of these
//	hidden -u -t=all             but no names that begin with a dot, unless with one of these
//	instead -e -f                options that stand for the first operand
//	wraps                        any of its words may begin a command, or be a command line
//	each                         each operand is a separate task, like the targets of make
//	same install i add           other names of a subcommand; of - words that say nothing
//	abbrev                       subcommands may be abbreviated
//	called make                  another name of the same program
//	links all|operands|named|OPTIONS  it may make links in the session's directories, if it has operands, or of what its
//	                             operands name, always or with an option
//	tree [always|whole|operands] [OPTIONS]  it works on the files of the repository, also with one of these options; whole
//	                             says that operands never name paths, operands that it does so only if there are some
//	means -D --delete --force    the first option stands for the others
//	names --files                it is not recursive with one of these: it only prints names
//	loads NAMES                  it imports these Python modules, from the working directory if they are there
//	harmless                     not risky, though the subcommand that it belongs to is
//
// Attributes hold for a program by its name alone; a line may have several:
//
//	changes                      it changes what later commands of the line mean
//	closed                       any of its words may be code or a program: a rule must spell out each
//	code                         it runs what its first operand, or an option, says
//	commands VARIABLES           it runs the values of these
//	console                      it runs the lines of its input whatever its operands are
//	deletes [WORDS]              it deletes the files it names, or does with one of these words
//	evaluates                    it runs its words, or a file, in this shell
//	filter                       it prints its words or filters its input: beside an allowed command it needs no rule
//	hosts [colon]                its operands are hosts, or are if they contain a colon
//	moves                        it changes the directory of what comes after it
//	network [SUBCOMMANDS]        it uses the network
//	never                        no rule may allow it: its input decides what it works on
//	numbered                     the number at the end of its name is no version
//	passes                       it runs the command after it unchanged: a rule for that command allows it after this, too
//	posix                        a shell that reads a line as parley does
//	prints                       its words may contain variables that every shell sets
//	quiet [SUBCOMMANDS]          it creates no file whose name the agent chooses, except those that it names
//	shell                        it is a shell
//	variables VALUES NAMES       these only choose between ways to do the same thing, if they have a value that VALUES
//	                             matches; in it are word and level, see valueKinds
//
// An option ends with = if it has a value, with ? if it may have one in the
// same word; then follows the class of the value if it is not text, after a + if a name precedes
// the value as a separate word. It ends with ! if it has no value and a rule must name it. One
// that ends with * is any word with that prefix, and with =CLASS a word of that class. In the
// exact style, words without a dash may be options, too: the operators of find.
func (l *library) read(text string) error {
	groups := map[string][]string{}
	var into []*profile
	var programs []string
	group := ""
	for n, line := range strings.Split(text, "\n") {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		var err error
		words := strings.Fields(line)
		switch {
		case strings.HasPrefix(line, "[+"):
			into, programs, group = nil, nil, strings.Trim(line, "[+]")
		case strings.HasPrefix(line, "[="):
			into, programs, group = nil, strings.Split(line[2:len(line)-1], "|"), ""
		case strings.HasPrefix(line, "["):
			group = ""
			header := strings.Fields(strings.TrimSuffix(line[1:], "]"))
			into, err = section(l.programs, header)
			programs = nil
			if len(header) == 1 {
				programs = strings.Split(header[0], "|")
			}
		case words[0] == "variables" && len(words) > 2 && programs != nil:
			values := lazy.Regexp("^(" + valueKinds.Replace(words[1]) + ")$")
			for _, name := range words[2:] {
				l.variables[name] = values
			}
		case words[0] == "commands" && programs != nil:
			l.commands = append(l.commands, words[1:]...)
		case slices.Contains(attributes, words[0]) && programs != nil:
			l.give(programs, words)
		case group != "":
			groups[group] = append(groups[group], line)
		case into == nil:
			err = fmt.Errorf("no section yet")
		default:
			err = fill(into, line, groups)
		}
		if err != nil {
			return fmt.Errorf("line %d: %w", n+1, err)
		}
	}
	return nil
}

// give gives programs attributes. The words after one are its own unless they begin another.
func (l *library) give(programs, words []string) {
	if len(words) > 1 && slices.Contains(attributes, words[1]) {
		l.give(programs, words[1:])
		words = words[:1]
	}
	for _, name := range programs {
		l.names[words[0]][name] = words[1:]
	}
}

// section finds or creates the profiles that a section header names.
func section(all map[string]*profile, words []string) ([]*profile, error) {
	if len(words) == 0 {
		return nil, fmt.Errorf("a section without a name")
	}
	parents := []*profile{{subs: all}}
	var out []*profile
	for i, w := range words {
		out = nil
		for _, parent := range parents {
			for name := range strings.SplitSeq(w, "|") {
				p, last := parent.subs[name], i == len(words)-1
				switch {
				case p == nil && !last:
					return nil, fmt.Errorf("%s: no section of %s before it", strings.Join(words, " "), name)
				case p != nil && last:
					return nil, fmt.Errorf("%s appears twice", name)
				case last: // a subcommand is read as its program
					p = &profile{name: strings.TrimSpace(parent.name + " " + name), style: parent.style, source: parent.source, options: map[string]option{}, says: map[string][]string{}, same: map[string]string{}, means: map[string][]string{}}
					if parent.subs == nil {
						parent.subs = map[string]*profile{}
					}
					parent.subs[name] = p
				}
				out = append(out, p)
			}
		}
		parents = out
	}
	return out, nil
}

func fill(into []*profile, line string, groups map[string][]string) error {
	head, rest, _ := strings.Cut(line, " ")
	words := strings.Fields(rest)
	if head == "use" {
		for _, g := range words {
			if groups[g] == nil {
				return fmt.Errorf("no group %s", g)
			}
			for _, l := range groups[g] {
				if err := fill(into, l, groups); err != nil {
					return err
				}
			}
		}
		return nil
	}
	for _, p := range into {
		switch head {
		case "source":
			p.source = rest
		case "style":
			s, ok := styleNames[rest]
			if !ok {
				return fmt.Errorf("style %q", rest)
			}
			p.style = s
		case "options":
			for _, w := range words {
				name, o, err := parseOption(w)
				if err != nil {
					return err
				}
				if begin, ok := strings.CutSuffix(name, "*"); ok {
					name, p.begins = begin+"*", append(p.begins, begin)
				}
				p.options[name] = o
			}
		case "operands":
			p.operands, p.many, p.target = nil, false, 0
			for _, w := range words {
				name, many := strings.CutSuffix(w, "*")
				c, ok := classOf(name)
				switch {
				case !ok || p.target != 0 || p.many && many:
					return fmt.Errorf("operands %q", rest)
				case p.many:
					p.target = c
					continue
				}
				p.operands, p.many = append(p.operands, c), many && name != "assign"
			}
		case "same":
			for _, w := range words[min(1, len(words)):] {
				p.same[w] = strings.TrimPrefix(words[0], "-")
			}
		case "means":
			if len(words) < 2 {
				return fmt.Errorf("means %q", rest)
			}
			p.means[words[0]] = words[1:]
		default:
			if !slices.Contains(heads, head) {
				return fmt.Errorf("%q is no line of a profile", head)
			}
			p.says[head] = append(p.says[head], words...)
		}
	}
	return nil
}

func parseOption(w string) (name string, o option, err error) {
	if name, found := strings.CutSuffix(w, "!"); found && name != "" {
		return name, option{class: classRisky}, nil
	}
	i := strings.IndexAny(w, "=?")
	if i < 0 || w[0] != '-' && !strings.Contains(w, "*") {
		return w, option{}, nil
	}
	name, o.takes, o.class = w[:i], takesValue, classText
	if w[i] == '?' {
		o.takes = takesAttached
	}
	kind, named := strings.CutPrefix(w[i+1:], "+")
	if o.named = named; kind != "" {
		c, ok := classOf(kind)
		if !ok {
			return "", o, fmt.Errorf("option %q", w)
		}
		o.class = c
	}
	return name, o, nil
}
