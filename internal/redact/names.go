package redact

import (
	"bytes"
	"slices"
	"strings"

	"parley/internal/lazy"
)

// secrecy is what the name of a value says about it.
type secrecy int

const (
	public     secrecy = iota
	unlessPath         // "pwd", which often means a directory
	texts              // texts are secret, numbers are not: "tokens", "token_count"
	hidden             // numbers too: "token"
)

// secretWords are parts of names of secrets, as secretName normalizes them.
var secretWords = []string{"authorization", "token", "apikey", "password", "passwd", "passphrase", "secret", "cookie", "privatekey", "accesskey", "accountkey", "signingkey", "encryptionkey", "masterkey", "secretkey", "sharedkey", "authkey", "licensekey",
	"sessionkey", "storagekey", "subscriptionkey", "hmackey", "writekey", "recoverycode", "seedphrase", "mysqlpwd", "storepass", "keypass", "userpass", "dbpass", "sshpass"}

// wholeWords are such parts only as whole words of a name: DB_PASS and dbPass, but not bypass.
var wholeWords = []string{"pass", "pwd", "psk"}

// spelled are other spellings of them that occur in texts.
var spelled = []string{"api_key", "api-key", "private_key", "private-key", "access_key", "access-key", "signing_key", "encryption_key", "master_key", "master-key", "secret_key", "secret-key",
	"shared_key", "shared-key", "auth_key", "auth-key", "license_key", "session_key", "storage_key", "subscription_key", "subscription-key", "hmac_key", "write_key",
	"recovery_code", "seed_phrase", "mysql_pwd"}

// harmless are suffixes of names that mention a secret but do not hold it.
var harmless = []string{"file", "path", "dir", "url", "uri", "count", "limit", "type", "ttl", "name", "env", "length", "size", "endpoint"}

const maxName = 64 // bytes of a name

// secretName judges a key, flag or parameter. It ignores case, "_", "-", "." and spaces.
func secretName[text string | []byte](name text) secrecy {
	var buf [maxName]byte
	var starts [maxName + 1]bool // which letters of n begin a word
	n := buf[:0]
	for i := 0; i < len(name) && len(n) < maxName; i++ {
		if c := lower(name[i]); c != '_' && c != '-' && c != '.' && c != ' ' {
			starts[len(n)] = i == 0 || !isWord(name[i-1]) || name[i-1] == '_' || c != name[i] && name[i-1] == lower(name[i-1])
			n = append(n, c)
		}
	}
	starts[len(n)] = true
	found := public
	t := known()
	for at := t.next(n, 0); at >= 0; at = t.next(n, at+1) {
		for _, e := range t.begin(n[at:]) {
			end := at + len(e.word)
			f, is := e.finder.(named)
			if !is || !hasWord(n[at:], e.word) || f.whole && !(starts[at] && starts[end]) {
				continue
			}
			switch {
			case end == len(n) && e.word == "pwd":
				found = max(found, unlessPath)
			case end == len(n):
				return hidden
			case !f.whole:
				found = texts
			}
		}
	}
	if found == texts && slices.ContainsFunc(harmless, func(end string) bool { return bytes.HasSuffix(n, []byte(end)) }) {
		return public
	}
	return found
}

// isSecretFlag reports whether a word is a flag such as --token, whose value is the next
// word.
func isSecretFlag(word string) bool {
	return strings.HasPrefix(word, "-") && !strings.Contains(word, "=") && secretName(word) == hidden
}

// named finds the value after a name.
type named struct{ whole bool }

// suspect looks for a sign of a value after the name. The gap between them is longer if it
// is escaped.
func (named) suspect(s []byte, at, end int) bool {
	start, stop := nameAround(s, at, end)
	if s[start] == '-' {
		return true
	}
	return bytes.ContainsAny(s[stop:min(len(s), stop+32)], "=:>") || hasWord(s[at:], "authorization")
}

func (named) find(s []byte, at, end int, m mode) (from, to int) {
	start, stop := nameAround(s, at, end)
	name := s[start:stop]
	secret := secretName(name)
	if secret == public || start > 0 && s[start-1] == '$' || string(name) == "PWD" && !inConnection(s[:start]) {
		return 0, 0
	}
	if start > 0 && stop < len(s) && s[stop] == '>' && (s[start-1] == '<' || s[start-1] == ':') {
		return element(s, name, stop+1, secret)
	}
	i, op := operator(s, stop)
	if flag := name[0] == '-' && i > stop; op == 0 && !flag {
		return 0, 0
	}
	if bearing := endsFold(name, "authorization"); op == ':' && (bearing || endsFold(name, "cookie")) {
		return headerValue(s, i, m, bearing)
	}
	// A name alone is enough in a command, and where only an assignment of a value looks
	// like this.
	tight := op == '=' && i == stop+1
	inURL := tight && afterParameter(s[:start])
	inNpmrc := tight && name[0] == '_' && start > 0 && s[start-1] == ':' // //registry.example.com/:_authToken=
	plain := m == command || inURL || inNpmrc || tight && inConnection(s[:start]) || tight && (isVariable(name) || secret == hidden && bytes.HasPrefix(name, []byte("--")))

	from, to, quote := value(s, i)
	plain = plain || quote != 0 && start > 0 && s[start-1] == quote && isVariable(name) // {"NAME": "value"}
	if !plain && secret == texts {
		return 0, 0
	}
	if inURL {
		to = endOfParameter(s, from, to)
	}
	if tight && quote != 0 && (inURL || start > 0 && s[start-1] == quote) {
		return 0, 0 // the end of a quote, as in "TOKEN=" + x
	}
	v := s[from:to]
	if m == prose && !inURL && len(v) < 3 {
		return 0, 0
	}
	switch {
	case len(v) == 0 || bytes.HasPrefix(v, []byte(Mark)) || isReference(v, quote):
		return 0, 0
	case secret == texts && isNumber(v), secret == unlessPath && isPath(v):
		return 0, 0
	case !plain && !isRandom(v, quote != 0):
		return 0, 0
	}
	return from, to
}

// element returns the content of an XML element up to its end tag.
func element(s, name []byte, from int, secret secrecy) (_, to int) {
	v, end, closed := bytes.Cut(s[from:], []byte("</"))
	if end, _, _ = bytes.Cut(end, []byte(">")); !closed || !bytes.HasSuffix(end, name) || isReference(v, 0) || bytes.HasPrefix(v, []byte(Mark)) || secret == texts && isNumber(v) || bytes.ContainsAny(v, "<>\n") {
		return 0, 0
	}
	return from, from + len(v)
}

// isPath reports whether a value is the path of a directory.
func isPath(v []byte) bool {
	return bytes.IndexByte([]byte("/~."), v[0]) >= 0 || len(v) > 1 && v[1] == ':'
}

// inConnection reports whether s ends within a connection string, of the form key=value;key=value or
// with spaces.
func inConnection(s []byte) bool {
	if len(s) == 0 || s[len(s)-1] != ';' && s[len(s)-1] != ' ' {
		return false
	}
	line := s[max(0, len(s)-window/2):]
	return connectionKey().Match(line[bytes.LastIndexByte(line, '\n')+1:])
}

// nameAround returns the name that contains s[at:end].
func nameAround(s []byte, at, end int) (start, stop int) {
	for start = at; start > 0 && end-start < maxName && isNameByte(s[start-1]); start-- {
	}
	for stop = end; stop < len(s) && stop-start < maxName && isNameByte(s[stop]); stop++ {
	}
	return min(start+escape(s, start), at), stop
}

// escape returns the length of an escape that looks like part of a name except for its
// beginning: \n, \u0026, a terminal colour.
func escape(s []byte, start int) int {
	if start == 0 || start == len(s) {
		return 0
	}
	name := s[start:min(len(s), start+8)]
	switch before := s[start-1]; {
	case before == '\\' && bytes.IndexByte([]byte("nrtbf"), name[0]) >= 0:
		return 1
	case before == '\\' && name[0] == 'u' && len(name) > 5 && isHex(name[1:5]):
		return 5
	case before == '%' && len(name) > 2 && isHex(name[:2]):
		return 2
	case before == '[' || before == ';':
		if i := bytes.IndexByte(name, 'm'); i >= 0 && isNumber(name[:i]) {
			return i + 1
		}
	}
	return 0
}

func isNameByte(c byte) bool { return isWord(c) || c == '-' || c == '.' }

// isVariable reports whether a name is that of an environment variable.
func isVariable(name []byte) bool {
	return len(bytes.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789")) == 0
}

// operator skips what is between a name and its value: the quote after the name, spaces,
// and = or : or := or =>, or the name of another member, as in "key": NAME, "value": VALUE. op is '=' or ':', or 0 if there is none.
func operator(s []byte, i int) (next int, op byte) {
	i = skipQuote(s, i)
	if pair := valueMember().FindIndex(s[i:min(len(s), i+32)]); pair != nil {
		return i + pair[1], ':'
	}
	if i < len(s) && s[i] == ']' {
		i++
	}
	i = skipBlanks(s, i)
	if i == len(s) || s[i] != '=' && s[i] != ':' {
		return i, 0
	}
	op = s[i]
	i++
	if i < len(s) {
		switch pair := s[i-1 : i+1]; string(pair) {
		case "==", "=~", "::":
			return i, 0
		case ":=", "=>":
			op = '='
			i++
		}
	}
	return skipBlanks(s, i), op
}

func skipBlanks(s []byte, i int) int {
	for n := 0; n < 8 && i < len(s) && (s[i] == ' ' || s[i] == '\t'); n++ {
		i++
	}
	return i
}

func skipQuote(s []byte, i int) int {
	quote := i
	for quote < len(s) && s[quote] == '\\' {
		quote++
	}
	if quote > i && quote < len(s) && (s[quote] == '"' || s[quote] == '\'') {
		return quote + 1
	}
	if i < len(s) && (s[i] == '"' || s[i] == '\'' || s[i] == '`') {
		return i + 1
	}
	return i
}

// value returns the value at a position, without its quotes.
func value(s []byte, i int) (from, to int, quote byte) {
	from = skipQuote(s, i)
	if from == i {
		for to = i; to < len(s) && !endsValue(s, to); to++ {
		}
		return i, to, 0
	}
	quote = s[from-1]
	escapes, run := from-i-1, 0 // backslashes before the quote, and before s[to]
	for to = from; to < len(s) && s[to] != '\n'; to++ {
		switch {
		case s[to] == '\\':
			run++
		case s[to] == quote && (run <= escapes || escapes == 0 && run%2 == 0):
			return from, to - min(run, escapes), quote
		default:
			run = 0
		}
	}
	return from, to, quote
}

// afterParameter reports whether the text after s is the name of a parameter, if s is part
// of a URL.
func afterParameter(s []byte) bool {
	if len(s) == 0 {
		return false
	}
	return bytes.IndexByte([]byte("?&#"), s[len(s)-1]) >= 0 || bytes.HasSuffix(s, []byte(`\u0026`)) || bytes.HasSuffix(s, []byte("&amp;"))
}

// endOfParameter returns the end of a value that is part of a URL.
func endOfParameter(s []byte, from, to int) int {
	if i := bytes.IndexAny(s[from:to], "?#"); i >= 0 {
		return from + i
	}
	return to
}

// endsValue reports whether a value without quotes ends at a position.
func endsValue(s []byte, i int) bool {
	switch s[i] {
	case ' ', '\t', '\n', '\r', '"', '\'', '`', ',', ';', '&', '<', '>', '|':
		return true
	case ')', ']', '}', '.': // part of the surrounding text
		if bytes.HasSuffix(s[:i+1], []byte(Mark)) {
			return false
		}
		rest := bytes.TrimLeft(s[i:min(len(s), i+8)], ").]}")
		return len(rest) == 0 || isBlank(rest[0]) || rest[0] == ',' || rest[0] == ';' || rest[0] == '"' || rest[0] == '\''
	case '\\':
		return i+1 < len(s) && bytes.IndexByte([]byte(`nrt"'`), s[i+1]) >= 0
	}
	return false
}

// headerValue returns the rest of a header. In prose it must look like the value of a
// header: a scheme with a token, or, unless bearing is set, name=value.
func headerValue(s []byte, i int, m mode, bearing bool) (from, to int) {
	from = skipQuote(s, i)
	for to = from; to < len(s) && s[to] != '\n' && s[to] != '\r' && s[to] != '"' && s[to] != '\'' && s[to] != '`' && !(s[to] == '\\' && endsValue(s, to)); to++ {
	}
	v := bytes.TrimRight(s[from:to], " \t")
	to = from + len(v)
	if scheme, rest, found := bytes.Cut(v, []byte(" ")); found && authScheme().Match(scheme) {
		v = bytes.TrimSpace(rest)
	} else if first, _, _ := bytes.Cut(v, []byte(" ")); m == prose && (bytes.IndexByte(first, '=') < 0 || bearing) && !isRandom(v, true) {
		return 0, 0
	}
	if len(v) == 0 || bytes.HasPrefix(v, []byte(Mark)) || isReference(v, 0) || m == prose && len(v) < 6 {
		return 0, 0
	}
	return from, to
}

// isReference reports whether a value only refers to a secret: $TOKEN, ${TOKEN}, $(cat
// file), {{ token }}, <your token>, null.
func isReference(v []byte, quote byte) bool {
	switch {
	case len(v) == 0:
		return true
	case v[0] == '$' && quote != '\'':
		return len(v) == 1 || v[1] == '{' || v[1] == '(' || isWord(v[1]) && (v[1] < '0' || v[1] > '9')
	case v[0] == '<', bytes.HasPrefix(v, []byte("{{")), bytes.HasPrefix(v, []byte("...")), bytes.HasPrefix(v, []byte("…")):
		return true
	case v[0] == '*':
		return len(bytes.Trim(v, "*")) == 0
	case v[0] == '%' && len(v) > 1:
		return v[1] == '(' || len(v) == 2 && !isHex(v[1:]) || v[len(v)-1] == '%' // %s, %(token)s, %TOKEN%
	}
	return slices.Contains([]string{"null", "nil", "None", "true", "false", "undefined"}, string(v))
}

// isRandom tells a secret from a word, an expression or a path in conversation: it has no
// spaces, and its letters and digits alternate.
func isRandom(v []byte, quoted bool) bool {
	const most = 512 // bytes examined
	v = v[:min(len(v), most)]
	if len(v) < 6 || len(v) < 8 && !quoted || bytes.HasPrefix(v, []byte("0x")) || v[0] == '/' || v[0] == '.' || v[0] == '~' || urlLike().Match(v) {
		return false
	}
	letters, groups, digit := 0, 0, false
	for _, c := range v {
		if isBlank(c) || !quoted && bytes.IndexByte([]byte("()[]{}"), c) >= 0 {
			return false
		}
		was := digit
		if digit = '0' <= c && c <= '9'; digit && !was {
			groups++
		}
		if !digit && c != '_' && isWord(c) {
			letters++
		}
	}
	return letters > 0 && (groups >= 2 || quoted && groups == 1)
}

// parameter finds the value of a URL parameter whose name means a secret only in a URL.
type parameter struct{}

func (parameter) suspect([]byte, int, int) bool { return true }

func (parameter) find(s []byte, at, end int, _ mode) (from, to int) {
	if start, _ := nameAround(s, at, end); isWord(s[at]) && !afterParameter(s[:start]) { // X-Amz-Signature=
		return 0, 0
	}
	if end < len(s) && s[end] == '=' {
		return 0, 0
	}
	from, to, quote := value(s, end)
	to = endOfParameter(s, from, to)
	if quote != 0 || bytes.HasPrefix(s[from:to], []byte(Mark)) || isReference(s[from:to], 0) {
		return 0, 0
	}
	return from, to
}

// scheme finds what follows "Bearer" without the name of a header before it.
type scheme struct{}

var (
	authScheme    = lazy.Regexp(`(?i)^(?:bearer|basic|token|digest|apikey|negotiate|aws4-hmac-sha256|bot|key)$`)
	urlLike       = lazy.Regexp(`^[a-z]+:`)
	valueMember   = lazy.Regexp(`(?i)^\s*,?\s*\\*["']?value\\*["']?\s*[:=]\s*`)
	connectionKey = lazy.Regexp(`(?i)(?:^|[\s;"'])(?:server|data source|host|user id|uid|user|dbname|port)=[^\s;]`)
	bearerToken   = lazy.Regexp(`^[\w.~+/=-]+`)
)

func (scheme) suspect([]byte, int, int) bool { return true }

func (scheme) find(s []byte, at, end int, m mode) (from, to int) {
	token := bearerToken().Find(s[end:])
	switch {
	case !beginsWord(s, at) || len(token) < 8:
		return 0, 0
	case m == prose && len(token) < 20 && !bytes.ContainsAny(token, "0123456789"):
		return 0, 0
	}
	return end, end + len(token)
}

// curlUser finds the user and password of curl and similar programs.
type curlUser struct{}

var fetchers = [][]byte{[]byte("curl"), []byte("wget"), []byte("http"), []byte("lftp")}

func (curlUser) suspect([]byte, int, int) bool { return true }

func (curlUser) find(s []byte, at, end int, _ mode) (from, to int) {
	line := s[max(0, at-window):at]
	line = line[bytes.LastIndexAny(line, "\n|;&")+1:]
	if !slices.ContainsFunc(fetchers, func(name []byte) bool { return bytes.Contains(line, name) }) {
		return 0, 0
	}
	i := end
	if i < len(s) && s[i] == '=' {
		i++
	}
	from, to, _ = value(s, skipBlanks(s, i))
	if !hasPassword(s[from:to]) {
		return 0, 0
	}
	return from, to
}

// hasPassword reports whether a word is user:password: not the numbers of a user and a
// group, and not a variable.
func hasPassword(word []byte) bool {
	name, password, found := bytes.Cut(word, []byte(":"))
	return found && len(password) > 0 && !isReference(password, 0) && !(isNumber(name) && isNumber(password)) && !bytes.HasPrefix(word, []byte("//"))
}

// endsFold reports whether name ends in the lower-case word, ignoring case.
func endsFold(name []byte, word string) bool {
	return len(name) >= len(word) && strings.EqualFold(string(name[len(name)-len(word):]), word)
}
