package elicit

import (
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"parley/internal/safetext"
	"parley/internal/words"
)

// maxLink bounds a URL in bytes: the user has to read all of it.
const maxLink = 8 << 10

// Link is a URL that an agent wants opened, judged but not fetched.
type Link struct {
	// URL is safe to show. If OK it is also the URL to open, and contains no spaces, quotes
	// or backslashes; non-ASCII outside the host is escaped.
	URL string
	// Host is the part of URL to highlight, at byte HostAt: name and port.
	Host   string
	HostAt int
	// Warnings are short sentences for the user.
	Warnings []string
	// OK means that the URL may be opened if the user agrees: http or https with a host.
	OK bool
}

// ParseLink judges the url of a request in URL mode.
func ParseLink(raw string) Link {
	refused := func(why string) Link {
		shown := safetext.Visible(words.Clip(raw, maxLink))
		if len(raw) > maxLink {
			shown += "…"
		}
		return Link{URL: strings.ReplaceAll(shown, "\n", `<\n>`), Warnings: []string{why}}
	}
	switch {
	case len(raw) > maxLink:
		return refused("the address is too long")
	case strings.ContainsFunc(raw, notInURL) || safetext.HasSuspicious(raw):
		return refused("the address holds control characters, blanks or invisible characters")
	}
	u, err := url.Parse(raw)
	if err != nil {
		return refused("not a valid address")
	}
	if u.Scheme != "http" && u.Scheme != "https" {
		return refused("only http and https addresses are opened")
	}
	if u.Hostname() == "" {
		return refused("the address names no host")
	}
	// Only here escapes in the host are decoded.
	if strings.ContainsFunc(u.Host, notInHost) || safetext.HasSuspicious(u.Host) {
		return refused("the host is not a valid one")
	}
	if p := u.Port(); p != "" {
		if n, err := strconv.Atoi(p); err != nil || n < 1 || n > 65535 {
			return refused("the port is not one")
		}
	}
	l := Link{Host: strings.ToLower(u.Host), OK: true}
	head := u.Scheme + "://"
	if u.User != nil {
		head += u.User.String() + "@"
	}
	l.HostAt = len(head)
	l.URL = head + l.Host + escape(afterHost(raw))
	l.Warnings = warnings(u, raw)
	return l
}

// notInURL reports runes that no URL contains.
func notInURL(r rune) bool {
	return r <= ' ' || r == 0x7f || unicode.IsSpace(r) || unicode.IsControl(r)
}

// notInHost reports runes that no name, address or port contains.
func notInHost(r rune) bool {
	if r >= 0x80 {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && r != '。' && r != '·' && r != '・'
	}
	return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-._:[]", r))
}

// afterHost returns what follows the authority of a URL.
func afterHost(raw string) string {
	_, rest, _ := strings.Cut(raw, "//")
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		return rest[i:]
	}
	return ""
}

// escape leaves only characters that openers and shells of a desktop treat literally.
func escape(s string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(s) {
		if c := s[i]; c > ' ' && c < 0x7f && !strings.ContainsRune("\"<>\\^`{|}", rune(c)) {
			b.WriteByte(c)
		} else {
			b.Write([]byte{'%', hex[c>>4], hex[c&15]})
		}
	}
	return b.String()
}

func warnings(u *url.URL, raw string) (out []string) {
	host := strings.ToLower(u.Hostname())
	warn := func(when bool, text string) {
		if when {
			out = append(out, text)
		}
	}
	warn(u.Scheme != "https", "not encrypted: the address is not https")
	warn(u.User != nil, "the address has a user name: what is before the @ is not the site")
	punycode := slices.ContainsFunc(strings.Split(host, "."), func(l string) bool { return strings.HasPrefix(l, "xn--") })
	warn(punycode, "the host is written in Punycode (xn--) and may imitate another")
	if strings.ContainsFunc(host, func(r rune) bool { return r >= 0x80 }) {
		if names := scripts(host); len(names) > 1 {
			warn(true, "the host mixes scripts ("+strings.Join(names, ", ")+") and may imitate another")
		} else {
			warn(true, "the host has letters that are not ASCII and may imitate another")
		}
	}
	warn(address(host), "the host is an IP address")
	port := u.Port()
	usual := port == "" || u.Scheme == "https" && port == "443" || u.Scheme == "http" && port == "80"
	warn(!usual, "unusual port "+port)
	warn(strings.Contains(raw, `\`), "backslashes in the address")
	return out
}

// address reports whether browsers take the host for an IP address, including numbers such
// as 2130706433 and 0x7f.1.
func address(host string) bool {
	if _, err := netip.ParseAddr(host); err == nil {
		return true
	}
	host = strings.TrimSuffix(host, ".")
	last := host[strings.LastIndexByte(host, '.')+1:]
	if hex, ok := strings.CutPrefix(last, "0x"); ok {
		return strings.Trim(hex, "0123456789abcdef") == ""
	}
	return last != "" && strings.Trim(last, "0123456789") == ""
}

// scripts names the scripts of the letters, in order of appearance.
func scripts(host string) (names []string) {
	for _, r := range host {
		if !unicode.IsLetter(r) {
			continue
		}
		if name := script(r); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

func script(r rune) string {
	if r < 0x80 {
		return "Latin"
	}
	for _, name := range []string{"Latin", "Cyrillic", "Greek", "Han", "Hiragana", "Katakana", "Hangul", "Arabic", "Hebrew"} {
		if unicode.Is(unicode.Scripts[name], r) {
			return name
		}
	}
	for name, table := range unicode.Scripts {
		if name != "Common" && name != "Inherited" && unicode.Is(table, r) {
			return name
		}
	}
	return ""
}
