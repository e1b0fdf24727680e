// Package redact takes secrets out of what parley writes down: wire logs, the
// record of questions, reports of crashes, and what agents say on standard error
// where that is printed or logged. Nothing else in the project redacts.
//
// A secret is known by one of three signs:
//
//   - its shape: the tokens of some 150 vendors, which begin like nothing else
//     (gitleaks.go, shapes.go), JSON web tokens, private keys in PEM, user and
//     password of a URL;
//   - the name before it: PASSWORD=x, --token x, ?key=x, Authorization: x
//     (names.go);
//   - its place in a message of the protocol: below a key like "token", in "env",
//     in "headers", after a flag in "args" (json.go).
//
// Each text is looked at by itself. A secret that an agent streams in pieces, each
// a message of its own, is found only if a piece still has the shape. A secret
// without a shape or a name, or one that is encoded (base64 of a token), is not
// found.
//
// A name is taken less seriously in conversation than in a command, because code
// is full of lines like "token = next()": see Text and Command.
//
// The shapes in gitleaks.go are those rules of gitleaks v8.30.1 (MIT licence, in
// that file) that know a secret by how it begins. The module itself is not a
// dependency: it brings 200 others, and compiles every rule when it starts. To
// renew them:
//
//	go run generate.go $(go mod download -json github.com/zricethezav/gitleaks/v8@v8.30.1 | jq -r .Dir)
//
// Functions may be called from any goroutine.
package redact

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"parley/internal/jsonscan"
)

// Mark stands in the place of a secret.
const Mark = "[redacted]"

// mode says how much a name before a value tells.
type mode int

const (
	// prose is conversation, code and output: the value must look random too,
	// unless the name is that of an environment variable, a parameter of a URL or
	// a long flag.
	prose mode = iota
	// command is a command line or what a program logs: the name is enough.
	command
)

// Text takes the secrets out of a text of a conversation.
func Text(s string) string { return clean(s, prose) }

// Command takes the secrets out of a command line or of what a program logs.
func Command(s string) string { return clean(s, command) }

// Words takes the secrets out of the words of one command, as Command does, and
// out of those that a flag before them makes secret. The words stay as they are;
// what is returned is a copy.
func Words(words []string) []string {
	words = slices.Clone(words)
	before := ""
	for i, w := range words {
		words[i], before = argument(before, w), w
	}
	return words
}

// argument is one word of a command, without secrets; before is the one before it.
func argument(before, word string) string {
	switch {
	case word == "":
		return word
	case isSecretFlag(before) && !isReference([]byte(word), 0):
		return Mark
	case (before == "-u" || before == "--user") && hasPassword([]byte(word)):
		return Mark
	}
	return Command(word)
}

func clean(s string, m mode) string {
	in := []byte(s)
	out, changed := appendClean(nil, in, m)
	if !changed {
		return s
	}
	return string(out)
}

// window is how much after a word is looked at to tell whether there is a secret: a
// text of many words must not cost more than that for each. A secret may be longer.
const window = 512

// appendClean appends s without its secrets. Where it has none, it appends nothing
// and says so.
func appendClean(out, s []byte, m mode) (_ []byte, changed bool) {
	t, done := known(), 0
	for at := t.next(s, 0); at >= 0; at = t.next(s, max(at+1, done)) {
		for _, e := range t.begin(s[at:]) {
			if !hasWord(s[at:], e.word) {
				continue
			}
			from, to := e.find(s[:min(len(s), at+window)], at, at+len(e.word), m)
			if to == at+window { // it may be longer than that
				from, to = e.find(s, at, at+len(e.word), m)
			}
			if to > max(done, from) {
				out = append(append(out, s[done:max(from, done)]...), Mark...)
				done = to
				break
			}
		}
	}
	if done == 0 {
		return out, false
	}
	return append(out, s[done:]...), true
}

// suspect tells, at little cost, whether a JSON string may hold a secret: where it
// says no, Text would leave the string as it is. raw is the string as it stands in
// the message, without its quotes.
func suspect(raw []byte) bool {
	if len(raw) < len("://a@") { // nothing is shorter
		return false
	}
	t := known()
	for at := t.next(raw, 0); at >= 0; at = t.next(raw, at+1) {
		for _, e := range t.begin(raw[at:]) {
			if hasWord(raw[at:], e.word) && e.suspect(raw, at, at+len(e.word)) {
				return true
			}
		}
	}
	return hidesLetters(raw)
}

// hidesLetters tells whether a raw JSON string spells letters or slashes as
// escapes.
func hidesLetters(raw []byte) bool {
	for {
		i := bytes.IndexByte(raw, '\\')
		if i < 0 || i+1 == len(raw) {
			return false
		}
		if raw[i+1] == 'u' || raw[i+1] == '/' {
			return true
		}
		raw = raw[i+2:]
	}
}

// safeRaw returns a raw JSON string without its secrets, nil where it has none.
func safeRaw(raw []byte, m mode) []byte {
	if m == prose && !suspect(raw[1:len(raw)-1]) {
		return nil
	}
	text, _ := jsonscan.Text(raw)
	safe := clean(text, m)
	if safe == text {
		return nil
	}
	return AppendString(nil, safe)
}

// AppendString appends s as a JSON string in which <, > and & stay as they are.
func AppendString(b []byte, s string) []byte {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if enc.Encode(s) != nil {
		return append(b, `""`...)
	}
	return append(b, bytes.TrimSuffix(buf.Bytes(), []byte("\n"))...)
}

// lower is c in lower case, if it is a letter of ASCII.
func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}

func isWord(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_'
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

func isNumber(s []byte) bool { return strings.Trim(string(s), "0123456789.") == "" }
