package record

import (
	"bytes"
	"regexp"
	"strings"

	"parley/internal/late"
)

// secrecy is what the name of a value says of it.
type secrecy int

const (
	public secrecy = iota
	texts          // texts are secret, numbers are not: "tokens", "token_count"
	hidden         // numbers too: "token"
)

var secretWords = []string{"authorization", "token", "apikey", "password", "passwd", "passphrase", "secret", "cookie", "privatekey"}

// secretName judges a key, flag or parameter; case, "_", "-", "." and blanks in
// it do not matter.
func secretName[text string | []byte](name text) secrecy {
	var buf [64]byte
	n := buf[:0]
	for i := 0; i < len(name); i++ {
		c := name[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != '_' && c != '-' && c != '.' && c != ' ' {
			n = append(n, c)
		}
	}
	found := public
	for _, word := range secretWords {
		if len(word) > len(n) {
			continue
		}
		if bytes.HasSuffix(n, []byte(word)) {
			return hidden
		}
		if bytes.Contains(n, []byte(word)) {
			found = texts
		}
	}
	return found
}

// mayHide tells, at little cost, whether redactText might change a raw JSON text.
func mayHide(raw []byte) bool {
	if bytes.Contains(raw, []byte(`\u`)) || bytes.Contains(raw, []byte(pemBegin)) {
		return true
	}
	if bytes.IndexByte(raw, '@') >= 0 && (bytes.Contains(raw, []byte("://")) || bytes.Contains(raw, []byte(`:\/`))) {
		return true
	}
	return bytes.IndexByte(raw, '=') >= 0 && bytes.ContainsAny(raw, "?#")
}

// redactText replaces what looks secret wherever it stands.
func redactText(s string) string {
	return redactQueries(redactUserinfo(redactPEM(s)))
}

const pemBegin, pemEnd, pemDashes = "-----BEGIN ", "-----END ", "-----"

// redactPEM replaces private keys, to the end of the text where a block has none.
func redactPEM(s string) string {
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(s, pemBegin)
		if !found {
			break
		}
		out.WriteString(before)
		label, _, found := strings.Cut(rest[:min(len(rest), 80)], pemDashes)
		if !found || !strings.Contains(label, "PRIVATE KEY") {
			out.WriteString(pemBegin)
			s = rest
			continue
		}
		out.WriteString(redacted)
		_, s, _ = strings.Cut(rest, pemEnd)
		_, s, _ = strings.Cut(s, pemDashes)
	}
	if out.Len() == 0 {
		return s
	}
	return out.String() + s
}

// redactUserinfo replaces user and password of URLs.
func redactUserinfo(s string) string {
	var out strings.Builder
	for {
		i := strings.Index(s, "://")
		if i < 0 {
			break
		}
		i += len("://")
		end := strings.IndexAny(s[i:], "/?# \t\r\n<>\"`")
		if end < 0 {
			end = len(s) - i
		}
		out.WriteString(s[:i])
		if at := strings.LastIndexByte(s[i:i+end], '@'); at > 0 {
			out.WriteString(redacted)
			i += at
			end -= at
		}
		out.WriteString(s[i : i+end])
		s = s[i+end:]
	}
	if out.Len() == 0 {
		return s
	}
	return out.String() + s
}

const queryEnds = " \t\r\n<>\"'`\\"

// redactQueries replaces the values of parameters with a secret name, or "key",
// behind a "?" or a "#".
func redactQueries(s string) string {
	var out strings.Builder
	for {
		i := strings.IndexAny(s, "?#")
		if i < 0 {
			break
		}
		out.WriteString(s[:i+1])
		s = s[i+1:]
		for more := true; more; {
			end := strings.IndexAny(s, "&;?#"+queryEnds)
			if end < 0 {
				end = len(s)
			}
			more = end < len(s) && strings.IndexByte("&;?#", s[end]) >= 0
			out.WriteString(redactParameter(s[:end]))
			s = s[end:]
			if more {
				out.WriteByte(s[0])
				s = s[1:]
			}
		}
	}
	if out.Len() == 0 {
		return s
	}
	return out.String() + s
}

func redactParameter(pair string) string {
	name, value, found := strings.Cut(pair, "=")
	if !found || len(name) > 64 || strings.HasPrefix(value, "=") { // a comparison in code
		return pair
	}
	value = strings.TrimRight(value, ").,]}") // of the sentence around it
	secret := secretName(name)
	if strings.EqualFold(name, "key") {
		secret = hidden
	}
	if done, ok := strings.CutPrefix(pair[len(name)+1:], redacted); ok && strings.Trim(done, ").,]}") == "" {
		return pair
	}
	if value == "" || secret == public || secret == texts && isNumber(value) {
		return pair
	}
	return name + "=" + redacted + pair[len(name)+1+len(value):]
}

func isNumber(s string) bool { return strings.Trim(s, "0123456789.") == "" }

const (
	secretPattern = `[\w.-]*(?:authorization|token|api[_-]?key|password|passwd|passphrase|secret|cookie|private[_-]?key)[\w.-]*`
	valuePattern  = `("(?:[^"\\]|\\.)*"|'[^']*'|[^\s"',;&]+)`
)

var (
	assignment = late.Regexp(`(?i)(` + secretPattern + `)(\\?["']?\s*[:=]\s*\\?)` + valuePattern)
	flagged    = late.Regexp(`(?i)(\B--?` + secretPattern + `)(\s+)` + valuePattern)
	headerLine = late.Regexp(`(?i)((?:authorization|cookie)\s*:\s*)([^\r\n"']+)`)
	bearer     = late.Regexp(`(?i)\b(bearer\s+)([\w.~+/=-]{8,})`)
)

// Redact takes the secrets out of a command line or what a program logs.
func Redact(s string) string { return redactLoose(s) }

// redactLoose is redactText for texts that are no content of a conversation:
// command lines and what a program logs. There "token=x", "--token x" and
// "Cookie: x" are secrets too.
func redactLoose(s string) string {
	s = redactText(s)
	s = headerLine().ReplaceAllString(s, "${1}"+redacted)
	s = bearer().ReplaceAllString(s, "${1}"+redacted)
	s = replaceValues(flagged(), s)
	return replaceValues(assignment(), s)
}

// replaceValues replaces the third group of each match, within its quotes.
func replaceValues(pattern *regexp.Regexp, s string) string {
	return pattern.ReplaceAllStringFunc(s, func(m string) string {
		g := pattern.FindStringSubmatch(m)
		name, between, value := g[1], g[2], g[3]
		if strings.HasPrefix(value, redacted) || secretName(name) != hidden && isNumber(strings.Trim(value, `"'\}`)) {
			return m
		}
		quote := ""
		if q := value[:1]; q == `"` || q == "'" {
			quote = q
		}
		return name + between + quote + redacted + quote
	})
}
