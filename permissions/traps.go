package permissions

import (
	"slices"
	"strings"
)

// trap names words with which a harmless command runs others, or writes files.
type trap struct {
	short  string   // letters of options, also inside of -abc
	long   []string // options that begin with --, which may be cut short
	single []string // options in one piece behind - or --
	first  []string // subcommands
}

var traps = map[string]trap{
	"find": {single: strings.Fields("exec execdir ok okdir delete fls fprint fprint0 fprintf")},
	"fd":   {short: "xX", long: []string{"exec", "exec-batch"}},
	"tar": {short: "IF", long: strings.Fields("to-command checkpoint-action use-compress-program rsh-command info-script new-volume-script rmt-command"),
		single: []string{"to-command"}},
	"rg":    {long: []string{"pre", "hostname-bin"}},
	"ag":    {long: []string{"pager"}},
	"ack":   {long: []string{"pager"}},
	"bat":   {long: []string{"pager"}},
	"fzf":   {long: []string{"preview", "bind"}},
	"sort":  {short: "oT", long: []string{"compress-program", "output", "temporary-directory"}},
	"split": {long: []string{"filter"}},
	"go":    {single: strings.Fields("exec toolexec overlay modfile vettool ldflags gccgoflags w"), first: strings.Fields("run tool generate install get")},
	"man":   {short: "PHC", long: []string{"pager", "html", "config-file"}},
	"less":  {short: "oOkPtT", long: strings.Fields("log-file LOG-FILE lesskey-file lesskey-src tag-file")},
	"date":  {short: "s", long: []string{"set"}},
	"vim":   {short: "cSsuUwWi", long: []string{"cmd", "remote"}},
	"curl":  {short: "KoOTcDJ", long: strings.Fields("config output upload-file remote-name remote-name-all cookie-jar dump-header trace trace-ascii stderr output-dir engine")},
	"wget":  {short: "eoOaiP", long: strings.Fields("execute use-askpass output-file output-document append-output input-file directory-prefix config")},
	"rsync": {short: "e", long: []string{"rsh", "rsync-path"}},
	"scp":   {short: "SoFJ"}, "sftp": {short: "SoFJb"},
	"zip":   {short: "T", long: []string{"unzip-command"}},
	"npm":   {long: strings.Fields("script-shell node-options prefix userconfig globalconfig")},
	"pnpm":  {short: "C", long: strings.Fields("script-shell node-options dir config")},
	"yarn":  {long: []string{"script-shell", "cwd", "use-yarnrc"}},
	"cargo": {short: "ZC", long: []string{"config", "manifest-path"}},
	"make":  {short: "fEI", long: []string{"eval", "file", "makefile", "include-dir"}},
	"test":  {short: "vR"}, "[": {short: "vR"},
	"jobs": {short: "x"},
}

// sameTraps are other names of programs.
var sameTraps = map[string]string{"gmake": "make", "vi": "vim", "nvim": "vim", "view": "vim", "more": "less", "gtar": "tar", "bsdtar": "tar", "fdfind": "fd",
	"gfind": "find", "gsort": "sort", "batcat": "bat", "gsed": "sed"}

// maxWords bounds the words of a command that a * lets pass.
const maxWords = 1000

// trapped tells whether a * of the pattern would have to stand for one of them.
func trapped(pattern, words []string) bool {
	if len(words) > maxWords {
		return true // nobody looks at so many
	}
	for i := range words {
		if i > 0 && !slices.Contains(wrappers, program(words[0])) {
			return false
		}
		if trappedHere(pattern[min(i, len(pattern)):], words[i:]) {
			return true
		}
	}
	return false
}

func trappedHere(pattern, words []string) bool {
	name := program(words[0])
	if other := sameTraps[name]; other != "" {
		name = other
	}
	named := func(i int) bool { return i < len(pattern) && pattern[i] == words[i] }
	switch name {
	case "git":
		return gitTrapped(words, named)
	case "sed":
		return sedTrapped(words, named)
	}
	t := traps[name]
	for i, w := range words {
		if i == 0 || named(i) {
			continue
		}
		if i == 1 && (slices.Contains(t.first, w) || slices.Contains(carriers[name], w)) || t.has(w) || peculiar(name, i, w) {
			return true
		}
	}
	return false
}

// peculiar are traps that are no options.
func peculiar(name string, i int, w string) bool {
	switch name {
	case "make": // a variable: SHELL, CC
		return strings.Contains(w, "=")
	case "tar": // tar xIf
		return i == 1 && strings.ContainsAny(w, "IF") && !strings.ContainsAny(w, "/.")
	case "vim", "less": // a command of its own
		return strings.HasPrefix(w, "+")
	case "test", "[": // bash runs what stands in a subscript
		return strings.Contains(w, "[")
	}
	return false
}

// has tells whether a word is one of the options.
func (t trap) has(w string) bool {
	if len(w) < 2 || w[0] != '-' {
		return false
	}
	name, _, _ := strings.Cut(strings.TrimLeft(w, "-"), "=")
	if slices.Contains(t.single, name) {
		return true
	}
	if strings.HasPrefix(w, "--") {
		return name != "" && slices.ContainsFunc(t.long, func(l string) bool { return strings.HasPrefix(l, name) })
	}
	return t.short != "" && strings.ContainsAny(name, t.short)
}

var (
	gitTraps = trap{short: "xO", long: strings.Fields(`config-env exec-path upload-pack receive-pack exec open-files-in-pager output ext-diff extcmd unsafe-paths
		textconv sendmail-cmd smtp-server`)}
	cloneTraps = trap{short: "uc", long: []string{"config", "template"}}
	// gitFirst run, or set up, what runs others.
	gitFirst = strings.Fields("config filter-branch difftool mergetool for-each-repo daemon instaweb send-email remote-ext upload-pack receive-pack shell hook cvsserver")
	// gitValues are options before the subcommand with a value behind them.
	gitValues = strings.Fields("-C -c --git-dir --work-tree --namespace --super-prefix --config-env --attr-source --exec-path")
)

func gitTrapped(words []string, named func(int) bool) bool {
	i := 1
	for ; i < len(words) && strings.HasPrefix(words[i], "-"); i++ { // before the subcommand: -c sets anything, a pager that is run among it
		if !named(i) {
			return true
		}
		if slices.Contains(gitValues, words[i]) {
			if i++; i < len(words) && !named(i) && words[i-1] != "-C" {
				return true
			}
		}
	}
	if i >= len(words) {
		return false
	}
	sub := words[i]
	if slices.Contains(gitFirst, sub) && !named(i) {
		return true
	}
	for k := i + 1; k < len(words); k++ {
		w := words[k]
		switch {
		case named(k):
		case gitTraps.has(w), (sub == "clone" || sub == "init" || sub == "submodule") && cloneTraps.has(w):
			return true
		case sub == "submodule" && w == "foreach", sub == "bisect" && w == "run", strings.HasPrefix(w, "ext::"):
			return true
		}
	}
	return false
}

var (
	sedFlags   = late(`^-[nErsuz]+$`)
	sedPrints  = late(`^([0-9]+|\$|/[^/\\;{}\n]*/)?(,(\+?[0-9]+|\$|/[^/\\;{}\n]*/))?!?[pdq=]$`)
	sedChanges = late(`^s[/|#,:@!][^\n]*$`)
	sedLast    = late(`^[gpiIm0-9]*$`)
)

// sedTrapped knows scripts that only print and replace; others may write files and
// run commands.
func sedTrapped(words []string, named func(int) bool) bool {
	script := false
	for i, w := range words {
		switch {
		case i == 0 || sedFlags().MatchString(w):
		case strings.HasPrefix(w, "-") && w != "-":
			if !named(i) {
				return true
			}
		case !script || strings.HasPrefix(words[i-1], "-"): // a script, or the value of a named option
			if script = true; !named(i) && !sedHarmless(w) {
				return true
			}
		}
	}
	return false
}

func sedHarmless(script string) bool {
	if sedPrints().MatchString(script) {
		return true
	}
	if !sedChanges().MatchString(script) {
		return false
	}
	parts := strings.Split(script[2:], script[1:2])
	return len(parts) == 3 && sedLast().MatchString(parts[2])
}
