package permissions

import (
	"net/netip"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"parley/internal/lazy"
)

// maxLooks bounds the paths looked up for one question, maxPieces the pieces of a word that may
// be paths.
const (
	maxLooks = 400
	// maxOwnLooks bounds the paths looked up for patterns of rules.
	maxOwnLooks = 4000
	maxPieces   = 24
	maxName     = 4096 // bytes of a word
)

// bounded wraps look so that it looks up each path once and at most that many paths. A path
// over the bound counts as outside, and as unknown.
func bounded(look func(string) FileFact, most int) func(string) FileFact {
	if look == nil {
		return nil
	}
	seen := map[string]FileFact{}
	return func(path string) FileFact {
		file, ok := seen[path]
		if !ok && len(seen) < most {
			file = look(path)
			seen[path] = file
		} else if !ok {
			file = FileFact{Path: path, unseen: true}
		}
		return file
	}
}

// use is what a command does with a file.
type use int

const (
	reads      use = iota
	mayWrite       // unknown whether it reads or writes
	writesThis     // writes by an option the rule does not name: only a rule for the path allows it
)

// names judges the files and hosts that a command names. by are the rules that allow the
// command.
func (b *Rulebook) names(f *Facts, p part, by []*Rule) []Verdict {
	var out []Verdict
	rd := read(p.words)
	p.dir = b.workingDir(f, rd, p, &out)
	defer func(possible directories) { f.possible = possible }(f.possible)
	f.possible = f.possible.within(rd.dirs)
	for _, it := range rd.items {
		if len(it.text) > maxName && strings.ContainsAny(it.text, "/~") {
			out = append(out, Verdict{Text: it.text, NoRuleReason: "a word of it is longer than any path"})
			continue
		}
		found := b.item(f, p, it, by)
		if !slices.ContainsFunc(found, func(v Verdict) bool { return v.Effect >= Confirm }) {
			found = append(found, b.forbidden(f, p.dir, it)...)
		}
		out = append(out, found...)
	}
	if rd.recursive && !(rd.names && rd.known) {
		out = append(out, b.recursive(f, p, rd)...)
	}
	return append(out, b.tree(f, p, rd)...)
}

// item judges what one word names, unless that is harmless.
func (b *Rulebook) item(f *Facts, p part, it item, by []*Rule) []Verdict {
	switch it.class {
	case classRead:
		return b.path(f, p.dir, it.text, reads)
	case classDir:
		return nil // judged where the directory is used
	case classWrite:
		if it.of == "curl" && strings.Contains(it.text, "#") {
			return []Verdict{{Text: it.text, NoRuleReason: "curl replaces #1 with a part of the URL"}}
		}
		if it.option != "" && slices.Contains(nowhere, it.text) {
			return nil
		}
		how := mayWrite
		if it.option != "" && !slices.ContainsFunc(by, func(r *Rule) bool {
			return r.spellsOut(p.words, it.word) || p.words[it.word-1] == it.option && r.spellsOut(p.words, it.word-1)
		}) {
			how = writesThis
		}
		return b.path(f, p.dir, it.text, how)
	case classEdit:
		if slices.ContainsFunc(by, func(r *Rule) bool { return r.edits() }) {
			return b.path(f, p.dir, it.text, mayWrite)
		}
		return b.path(f, p.dir, it.text, writesThis)
	case classRev, classLocal, classInput:
		return b.pieces(f, p.dir, it.text, reads)
	case classData:
		var out []Verdict
		for i, c := range it.text {
			if c == '@' || c == '<' {
				file, _, more := strings.Cut(it.text[i+1:], ";")
				out = append(out, b.path(f, p.dir, file, reads)...)
				if more {
					out = append(out, b.path(f, p.dir, it.text[i+1:], reads)...)
				}
			}
		}
		return out
	case classHost:
		found := b.judgeHostWord(f, it.text)
		if slices.ContainsFunc(by, func(r *Rule) bool { return slices.Contains(r.words, it.text) }) { // the rule names it
			found = slices.DeleteFunc(found, func(v Verdict) bool { return v.Effect == None && v.NoRuleReason == whyNetwork })
		}
		return found
	case classURL:
		return b.url(f, p.dir, it.text)
	case classDownload:
		return b.download(f, p, it.text)
	case classQuery:
		return b.query(f, it.text)
	case classRemote:
		return b.remote(f, p.dir, it)
	case classForge:
		switch {
		case strings.Contains(it.text, "://"):
			return b.url(f, p.dir, it.text)
		case strings.Count(it.text, "/") > 1: // HOST/OWNER/REPO
			return b.judgeHostWord(f, it.text)
		}
	case classOther, classOdd, classCode, classCmd, classLine, classJoined, classSetting, classAssign:
		if strings.Contains(it.text, "://") {
			return b.urls(f, p.dir, it.text)
		}
		if it.networked(p.words) {
			return b.judgeHostWord(f, it.text)
		}
		return b.pieces(f, p.dir, it.text, mayWrite)
	}
	return nil
}

// forbidden returns what rules that ask or deny say of anything a word might name, whatever its
// class.
func (b *Rulebook) forbidden(f *Facts, dir string, it item) []Verdict {
	if b.strictest(ofAll) == None {
		return nil
	}
	if it.option == "" && (it.class == classSub || it.class == classRisky) {
		return nil // git config is no directory
	}
	how := mayWrite
	if slices.Contains([]class{classRead, classRev, classLocal, classInput}, it.class) {
		how = reads
	}
	found := b.pieces(f, dir, it.text, how)
	if strings.Contains(it.text, "://") {
		found = append(found, b.urls(f, dir, it.text)...)
	}
	found = append(found, b.hostsIn(f, it)...)
	return slices.DeleteFunc(found, func(v Verdict) bool { return v.Effect < Confirm })
}

// hostsIn judges the hosts that a word may name, if it is more than text.
func (b *Rulebook) hostsIn(f *Facts, it item) (out []Verdict) {
	if !slices.Contains([]class{classOther, classOdd, classCode, classSed, classRemote, classLocal, className, classLine, classJoined, classSetting, classAssign}, it.class) || it.class == classSed && sedHarmless(it.text) || b.strictest(ofHosts) == None {
		return nil
	}
	names := strings.FieldsFunc(it.text, func(c rune) bool {
		return !unicode.IsLetter(c) && !unicode.IsDigit(c) && c != '.' && c != '-' && c != '_'
	})
	for _, name := range names[:min(len(names), maxPieces)] {
		out = append(out, b.host(f, name, it.text))
		if len(name) > 2 && name[0] == '-' { // -hHOST
			out = append(out, b.host(f, name[2:], it.text))
		}
	}
	return out
}

// pieces judges every piece of a word that may be a path, and returns the worst verdict.
func (b *Rulebook) pieces(f *Facts, dir, word string, how use) []Verdict {
	pieces := pathsIn(word)
	var out []Verdict
	if len(pieces) > maxPieces {
		out = append(out, Verdict{Text: word, NoRuleReason: "a pattern may match too many files to check"})
		pieces = pieces[:maxPieces]
	}
	var worst []Verdict
	for _, piece := range pieces {
		if found := b.path(f, dir, piece, how); worst == nil || found != nil && sum(worst[0].Effect, found[0]) != worst[0].Effect {
			worst = found
		}
	}
	return append(out, worst...)
}

// pathsIn returns the pieces of a word that may be paths: the word, the value attached to an
// option, and what follows = : , ; and @.
func pathsIn(word string) []string {
	if word == "" || word == "-" {
		return nil
	}
	out := []string{word}
	add := func(piece string) {
		if piece != "" && !slices.Contains(out, piece) && len(out) <= maxPieces {
			out = append(out, piece)
		}
	}
	if strings.HasPrefix(word, "-") && len(word) > 2 { // -I/usr/include, -fscript
		if word[1] != '-' {
			add(word[2:])
		}
		for _, start := range []string{"/", "~", ".."} {
			if i := strings.Index(word, start); i > 1 {
				add(word[i:])
			}
		}
	}
	const separators = "=:,@;<"
	for i := 0; i < len(word) && len(out) <= maxPieces; i++ {
		if strings.IndexByte(separators, word[i]) < 0 {
			continue
		}
		rest := word[i+1:]
		add(rest)
		if end := strings.IndexAny(rest, separators); end >= 0 {
			add(rest[:end])
		}
	}
	if end := strings.IndexAny(word, separators); end > 0 {
		add(word[:end])
	}
	return out
}

// path judges a file that a command names. It returns nothing if the file is harmless.
func (b *Rulebook) path(f *Facts, dir, word string, how use) []Verdict {
	v, file, known := b.file(f, dir, word, word, how != reads)
	if how != reads {
		if also, _, _ := b.file(f, dir, word, word, false); also.Effect > max(v.Effect, Allow) {
			v = also
		}
	}
	plain := known && file.Inside && !file.Secret
	switch {
	case v.Effect >= Confirm, v.Effect == Allow && known && (how == writesThis || !plain):
	case plain && how == writesThis:
		v.NoRuleReason = "it would be written: a rule must name the option, or allow edits of the path"
	case plain:
		return nil
	case known && !file.Secret && !strings.ContainsAny(word, "/~") && word != ".." && filepath.Dir(file.Path) == filepath.Clean(dir):
		if b.verdict(f, fileDemand(FileFact{Path: filepath.Dir(file.Path), Write: true, Roots: file.Roots}, true), dir).Effect != Allow {
			return nil // a name in a directory that is not allowed itself
		}
		fallthrough
	default:
		v = b.usual(f, v, file, known)
	}
	return []Verdict{v}
}

// lookUp resolves the file that a word of a command names.
func lookUp(f *Facts, dir, word string, write bool) (FileFact, bool) {
	path := joinDir(dir, word)
	if f.Resolve == nil || path == "" {
		return FileFact{Path: word, Write: write}, false
	}
	if at := ofProcess().FindStringSubmatch(path); at != nil { // of the command's process, not parley's
		if at[2] == "cwd" {
			path = joinDir(dir, "./"+at[3])
		} else {
			path = "/" + at[3]
		}
		if path == "" {
			return FileFact{Path: word, Write: write}, false
		}
		file := f.Resolve(path)
		file.Write = write
		return file, false
	}
	file := f.Resolve(path)
	file.Write = write
	return file, !file.unseen && !f.isMade(path, file.Path)
}

// ofProcess matches paths that begin at the working directory or root of a process.
var ofProcess = lazy.Regexp(`^/+proc/+(self|thread-self|[0-9]+)/+(cwd|root)(/.*)?$`)

// workingDir returns the directory in which a command works according to its options. It also
// judges a bare repository of git: its settings may run programs, and an agent can write them.
func (b *Rulebook) workingDir(f *Facts, rd reading, p part, out *[]Verdict) string {
	dir := p.dir
	for _, d := range rd.dirs {
		*out = append(*out, b.path(f, dir, d, mayWrite)...)
		dir = joinDir(dir, d)
	}
	if program(p.words[0]) != "git" || f.Resolve == nil || dir == "" {
		return dir
	}
	for at := f.Resolve(dir); at.Inside && at.Path != ""; at = f.Resolve(filepath.Dir(at.Path)) {
		if f.Resolve(filepath.Join(at.Path, ".git")).Exists {
			break
		}
		if bareRepository(f, at.Path) {
			*out = append(*out, Verdict{Text: at.Path, NoRuleReason: withoutGit})
			break
		}
		if filepath.Dir(at.Path) == at.Path {
			break
		}
	}
	return dir
}

// hostName matches what every program accepts as the name of a host.
var hostName = lazy.Regexp(`^[A-Za-z0-9._-]+$|^[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*$`)

// scheme matches a URL scheme with ://.
var scheme = lazy.Regexp(`[A-Za-z][A-Za-z0-9+.-]*://`)

// whereverLeads is the verdict on a word that may name any host.
func whereverLeads(word string) []Verdict {
	return []Verdict{{Text: word, NoRuleReason: whyUnresolved, unresolved: wantsHost}}
}

// urls judges a word with URLs in it.
func (b *Rulebook) urls(f *Facts, dir, word string) []Verdict {
	places := scheme().FindAllStringIndex(word, maxPieces)
	if len(places) == 0 || len(places) != strings.Count(word, "://") || places[0][0] > 0 && word[places[0][0]-1] != '=' {
		return whereverLeads(word)
	}
	var out []Verdict
	for _, at := range places {
		u, err := url.Parse(word[at[0]:])
		if err == nil && u.Scheme == "file" {
			if found := b.path(f, dir, u.Path, mayWrite); found != nil && (found[0].Effect >= Confirm || found[0].unresolved != wantsUse) {
				return found
			}
		}
		if err != nil || u.Scheme == "file" || !hostName().MatchString(u.Hostname()) || strings.ContainsAny(word, `\{}`) {
			return whereverLeads(word)
		}
		out = append(out, b.host(f, u.Hostname(), u.Hostname()))
	}
	return out
}

func (b *Rulebook) host(f *Facts, host, text string) Verdict {
	v := b.verdict(f, demand{kind: wantsHost, host: host, beside: true}, text)
	if v.Effect == None {
		v.NoRuleReason = whyNetwork
	}
	v.Marks = Network
	if unknownHost(host) {
		v.unresolved = wantsHost
	}
	return v
}

// unknownHost reports whether rules cannot compare a host: its name is none, or a number in a form of
// its own such as 2130706433 and 0x7f.1.
func unknownHost(host string) bool {
	_, err := netip.ParseAddr(host)
	return !hostName().MatchString(host) || err != nil && numbersOnly().MatchString(host)
}

var numbersOnly = lazy.Regexp(`^(0[xX][0-9A-Fa-f]*|[0-9]+)(\.(0[xX][0-9A-Fa-f]*|[0-9]+))*\.?$`)

// judgeHostWord judges a host that a word names without a scheme: user@host:path, host/path.
func (b *Rulebook) judgeHostWord(f *Facts, word string) []Verdict {
	host := word
	if end := strings.IndexAny(host, `/?#\`); end >= 0 {
		host = host[:end]
	}
	if at := strings.LastIndex(host, "@"); at >= 0 {
		host = host[at+1:]
	}
	if end := strings.Index(host, ":"); end >= 0 {
		host = host[:end]
	}
	return []Verdict{b.host(f, host, word)}
}

// networked reports whether a word that no profile describes is a host.
func (it item) networked(words []string) bool {
	name := program(it.of)
	if strings.HasPrefix(name, "git") { // with a subcommand, too
		name = "git"
	}
	only, hosts := knownPrograms().names["hosts"][name]
	if !hosts || it.class != classOther || strings.Trim(it.text, "0123456789") == "" {
		return false
	}
	before, _, colon := strings.Cut(it.text, ":")
	return len(only) == 0 || colon && !strings.Contains(before, "/") && has(name, "network", words[:it.word]...)
}
