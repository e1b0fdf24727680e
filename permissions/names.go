package permissions

import (
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// maxLooks bounds the paths of one question that are looked up, maxPieces the pieces
// of a word that may be paths.
const (
	maxLooks  = 400
	maxPieces = 24
	maxName   = 4096 // bytes of a word
)

// bounded looks each path up once, and not more than maxLooks of them: what is left
// out counts as outside.
func bounded(look func(string) FileFact) func(string) FileFact {
	if look == nil {
		return nil
	}
	seen := map[string]FileFact{}
	return func(path string) FileFact {
		file, ok := seen[path]
		if !ok && len(seen) < maxLooks {
			file = look(path)
			seen[path] = file
		} else if !ok {
			file = FileFact{Path: path}
		}
		return file
	}
}

// readers are programs that only read the files they name.
var readers = strings.Fields("cat head tail ls grep egrep fgrep rg wc nl stat file du diff cmp comm cut tr uniq od hexdump md5sum sha1sum sha256sum tree basename dirname realpath readlink bat test [")

// names judges what the words of a command name, where that is not harmless.
func (b *Rulebook) names(f *Facts, p part) []Verdict {
	var out []Verdict
	reads := slices.Contains(readers, program(p.words[0]))
	for i, w := range p.words[1:] {
		if strings.Contains(w, "://") {
			out = append(out, b.urls(f, w)...)
			continue
		}
		if host, ok := bareHost(p.words, i+1); ok {
			out = append(out, b.host(f, host, w))
			continue
		}
		if len(w) > maxName && strings.ContainsAny(w, "/~") {
			out = append(out, Verdict{Text: w, Why: "a word of it is longer than a path may be"})
			continue
		}
		pieces := pathsIn(w)
		if len(pieces) > maxPieces {
			out = append(out, Verdict{Text: w, Why: "a word of it may name more files than parley looks at"})
			pieces = pieces[:maxPieces]
		}
		var worst *Verdict
		for _, piece := range pieces {
			if v, found := b.path(f, p.dir, piece, reads); found && (worst == nil || sum(worst.Effect, v) != worst.Effect) {
				worst = &v
			}
		}
		if worst != nil {
			out = append(out, *worst)
		}
	}
	return out
}

// pathsIn are the pieces of a word that may be paths: the word, the value of an
// option that stands in one piece with it, and what comes behind = : , and @.
func pathsIn(word string) []string {
	if word == "" || word == "-" {
		return nil
	}
	out := []string{word}
	add := func(piece string) {
		if (strings.Contains(piece, "/") || strings.HasPrefix(piece, "~") || piece == "..") && !slices.Contains(out, piece) && len(out) <= maxPieces {
			out = append(out, piece)
		}
	}
	if strings.HasPrefix(word, "-") && len(word) > 2 { // -I/usr/include
		if word[1] != '-' {
			add(word[2:])
		}
		for _, start := range []string{"/", "~", ".."} {
			if i := strings.Index(word, start); i > 1 {
				add(word[i:])
			}
		}
	}
	const separators = "=:,@;"
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

// path judges a file that a command names; false where that is harmless. What is
// not known to read only is taken to write.
func (b *Rulebook) path(f *Facts, dir, word string, reads bool) (Verdict, bool) {
	file, known := lookUp(f, dir, word, !reads)
	v := b.verdict(f, fileDemand(file, true), word)
	if !reads {
		file.Write = false
		if also := b.verdict(f, fileDemand(file, true), word); also.Effect > max(v.Effect, Allow) {
			v = also
		}
		file.Write = true
	}
	switch {
	case v.Effect >= Confirm:
		return v, true
	case known && file.Inside && !file.Secret:
		return v, false
	case v.Effect == Allow && known:
		return v, true
	case known && !file.Secret && !strings.ContainsAny(word, "/~") && word != ".." && filepath.Dir(file.Path) == filepath.Clean(dir):
		if b.verdict(f, fileDemand(FileFact{Path: filepath.Dir(file.Path), Write: true, Roots: file.Roots}, true), dir).Effect != Allow {
			return v, false // a name in a directory that is not allowed itself
		}
	}
	return b.usual(v, file, known), true
}

// lookUp finds the file that a word of a command names.
func lookUp(f *Facts, dir, word string, write bool) (FileFact, bool) {
	path := word
	if strings.HasPrefix(word, "~/") || word == "~" {
		path = homeDir() + word[1:]
	}
	if path != "" || dir != "" {
		path = joinDir(dir, path)
	}
	if f.Look == nil || path == "" {
		return FileFact{Path: word, Write: write}, false
	}
	file := f.Look(path)
	file.Write = write
	return file, true
}

// searched tells whether cd looks for a directory in more than one place.
func searched(dir string) bool {
	return os.Getenv("CDPATH") != "" && !filepath.IsAbs(dir) && !strings.HasPrefix(dir, "./") && !strings.HasPrefix(dir, "../") && dir != "." && dir != ".."
}

// hostName is what the name of a host looks like to everybody.
var hostName = late(`^[A-Za-z0-9._-]+$|^[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*$`)

// scheme is what stands before ://.
var scheme = late(`[A-Za-z][A-Za-z0-9+.-]*://`)

// urls judges a word with URLs in it.
func (b *Rulebook) urls(f *Facts, word string) []Verdict {
	places := scheme().FindAllStringIndex(word, maxPieces)
	if len(places) != strings.Count(word, "://") || places[0][0] > 0 && word[places[0][0]-1] != '=' {
		return []Verdict{{Text: word, Why: "where it leads is not known"}}
	}
	var out []Verdict
	for _, at := range places {
		u, err := url.Parse(word[at[0]:])
		if err != nil || u.Scheme == "file" || !hostName().MatchString(u.Hostname()) || strings.ContainsAny(word, `\{}`) {
			return []Verdict{{Text: word, Why: "where it leads is not known"}}
		}
		out = append(out, b.host(f, u.Hostname(), u.Hostname()))
	}
	return out
}

func (b *Rulebook) host(f *Facts, host, text string) Verdict {
	v := b.verdict(f, demand{kind: wantsHost, host: host, beside: true}, text)
	if v.Effect == None {
		v.Why = "network"
	}
	return v
}

// fetchers are programs whose words are hosts, with options behind which none comes.
var fetchers = map[string]string{
	"curl": "-X -H -d -A -e -u -b -m -w --max-time --request --header --data --data-raw --user-agent --write-out --retry", "wget": "-U -T -t", "http": "", "https": "", "xh": "",
	"ping": "-c -i -W", "nc": "-w", "ncat": "-w", "telnet": "", "ftp": "", "dig": "", "host": "", "nslookup": "", "whois": "", "traceroute": "", "nmap": "-p", "openssl": "",
}

// bareHost is the host that a word names without saying http://.
func bareHost(words []string, i int) (string, bool) {
	w, name := words[i], program(words[0])
	values, fetches := fetchers[name]
	switch {
	case strings.HasPrefix(w, "-") || w == "":
		return "", false
	case fetches:
		if slices.Contains(strings.Fields(values), words[i-1]) {
			return "", false
		}
		if slices.Contains([]string{"nc", "ncat", "telnet", "openssl", "nmap", "ping"}, name) && strings.Trim(w, "0123456789-") == "" {
			return "", false // a port
		}
	case name == "git":
		if !gitRepository(words, i) {
			return "", false
		}
		fallthrough
	case slices.Contains([]string{"scp", "sftp", "rsync"}, name):
		before, _, found := strings.Cut(w, ":")
		if !found || strings.Contains(before, "/") {
			return "", false
		}
		w = before
	default:
		return "", false
	}
	if at := strings.LastIndex(strings.SplitN(w, "/", 2)[0], "@"); at >= 0 {
		w = w[at+1:]
	}
	host := w
	if end := strings.IndexAny(host, "/:?#"); end >= 0 {
		host = host[:end]
	}
	if !hostName().MatchString(host) {
		host = "?" // of which no rule speaks
	}
	return host, true
}

// gitRepository tells whether a word of git may be where a repository is.
func gitRepository(words []string, i int) bool {
	for k := 1; k < i; k++ {
		switch words[k] {
		case "clone", "ls-remote", "remote", "submodule", "archive":
			return true
		case "fetch", "pull", "push": // the first that is no option; behind it names of branches
			for _, w := range words[k+1 : i] {
				if !strings.HasPrefix(w, "-") {
					return false
				}
			}
			return true
		}
	}
	return false
}
