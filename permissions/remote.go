package permissions

import (
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// nowhere are values of options that name an output file but create none.
var nowhere = []string{"-", "/dev/null", "/dev/stdout", "/dev/stderr"}

// webSchemes are the schemes of URLs that contact only the host they name.
var webSchemes = strings.Fields("http https ftp ftps ws wss socks4 socks4a socks5 socks5h")

// gitSchemes are the schemes that git handles itself. It runs git-remote-NAME for all others.
var gitSchemes = strings.Fields("http https ssh git git+ssh ssh+git")

// url judges a URL, or a host without its scheme: host:port/path.
func (b *Rulebook) url(f *Facts, dir, word string) []Verdict {
	if strings.Contains(word, "://") {
		return b.within(f, dir, word, webSchemes)
	}
	authority := word
	if end := strings.IndexAny(authority, `/?#\`); end >= 0 {
		authority = authority[:end]
	}
	_, port, colon := strings.Cut(authority[strings.LastIndex(authority, "@")+1:], ":")
	if colon && port == "" || strings.Trim(port, "0123456789") != "" || strings.ContainsAny(word, `\{}`) || strings.HasPrefix(word, "@") {
		return whereverLeads(word)
	}
	return b.judgeHostWord(f, word)
}

// within judges a word that is one URL of certain schemes.
func (b *Rulebook) within(f *Facts, dir, word string, schemes []string) []Verdict {
	name, _, _ := strings.Cut(word, "://")
	if name = strings.ToLower(name); name != "file" && !slices.Contains(schemes, name) {
		return whereverLeads(word)
	}
	return b.urls(f, dir, word)
}

// remote judges what git accepts as another repository. A bare repository, or one that a file
// refers to, can run programs: its hooks and settings are not protected.
func (b *Rulebook) remote(f *Facts, dir string, it item) []Verdict {
	word := it.text
	before, _, colon := strings.Cut(word, ":")
	switch {
	case strings.HasPrefix(word, "-"), strings.Contains(word, "::"):
		return whereverLeads(word)
	case strings.Contains(word, "://"):
		return b.within(f, dir, word, gitSchemes)
	case colon && !strings.Contains(before, "/"):
		_, host, user := strings.Cut(before, "@")
		if !user {
			host = before
		}
		return b.judgeHostWord(f, strings.ReplaceAll(host, "@", "?@")+":")
	}
	if strings.HasPrefix(it.of, "git") {
		for _, end := range []string{"", ".git"} {
			if file, known := lookUp(f, dir, word+end, false); known && file.Exists && !f.Resolve(filepath.Join(file.Path, ".git")).Exists {
				return []Verdict{{Text: word, NoRuleReason: withoutGit}}
			}
		}
	}
	return b.pieces(f, dir, word, reads)
}

const withoutGit = "a repository without .git: its settings can run programs"

// bareRepository reports whether git accepts a directory as a repository by its files alone. It
// may name another repository for the files it lacks.
func bareRepository(f *Facts, dir string) bool {
	exists := func(name string) bool { return f.Resolve(filepath.Join(dir, name)).Exists }
	return exists("HEAD") && (exists("objects") && exists("refs") || exists("commondir"))
}

// download judges a URL that wget fetches. It becomes a file with the last name of the URL,
// unless an option says otherwise.
func (b *Rulebook) download(f *Facts, p part, word string) []Verdict {
	out := b.url(f, p.dir, word)
	if strings.HasPrefix(strings.ToLower(word), "ftp") && strings.Contains(word, "://") { // * in it are names
		return whereverLeads(word)
	}
	if slices.ContainsFunc(read(p.words).items, func(it item) bool {
		return slices.Contains([]string{"-O", "--output-document", "--spider"}, it.option)
	}) {
		return out
	}
	_, rest, found := strings.Cut(word, "://")
	if !found {
		rest = word
	}
	rest, _, _ = strings.Cut(rest, "#")
	place, query, asks := strings.Cut(rest, "?")
	_, place, _ = strings.Cut(place, "/")
	name, err := url.PathUnescape(path.Base("/" + place))
	if err != nil || name == "/" || strings.HasSuffix(place, "/") {
		name = "index.html"
	}
	if asks {
		name += "?" + strings.ReplaceAll(query, "/", "%2F")
	}
	return append(out, b.path(f, p.dir, strings.ReplaceAll(name, "/", "%2F"), writesThis)...)
}

// query judges an operand of dig: a setting, a type, a name to look up, or the server to ask.
func (b *Rulebook) query(f *Facts, word string) []Verdict {
	if strings.HasPrefix(word, "+") || slices.Contains(recordTypes, strings.ToUpper(word)) {
		return nil
	}
	return b.judgeHostWord(f, strings.TrimPrefix(word, "@"))
}

var recordTypes = strings.Fields("A AAAA ANY CAA CNAME DNSKEY DS HTTPS IN MX NAPTR NS PTR SOA SRV SVCB TLSA TXT")
