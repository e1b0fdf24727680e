// Package redact removes secrets from everything that parley writes down: wire logs, the
// record of questions, crash reports, and standard error of agents where it is printed or
// logged. No other package redacts.
//
// A secret is recognised by one of four signs:
//
//   - its shape: the tokens of about 190 vendors, which have unique prefixes
//     (gitleaks.go, shapes.go), JSON web tokens, private keys in PEM, user and
//     password of a URL;
//   - the name before it: PASSWORD=x, --token x, ?key=x, Authorization: x
//     (names.go);
//   - its place in a command of some 70 programs: docker login -p x (options.go);
//   - its place in a message of the protocol: below a key like "token", in "env",
//     in "headers", after a flag in "args" (json.go).
//
// Each text is examined separately. A secret that an agent streams in pieces, each in its
// own message, is found only if a piece still has the shape. A secret without a shape or a
// name, or one that is encoded (base64 of a token), is not found.
//
// A name counts for less in conversation than in a command, because code is full of lines
// like "token = next()": see Text and Command.
//
// The shapes in gitleaks.go are those rules of gitleaks v8.30.1 (MIT licence, in that file)
// that recognise a secret by its prefix. The module itself is not a dependency: it needs
// 200 others, and compiles every rule when it starts. To update the shapes:
//
//	go run generate.go $(go mod download -json github.com/zricethezav/gitleaks/v8@v8.30.1 | jq -r .Dir)
//
// All functions may be called from any goroutine.
package redact

import (
	"bytes"
	"encoding/json"
	"strings"

	"parley/internal/jsonscan"
)

// Mark replaces a secret.
const Mark = "[redacted]"

// mode is how much a name before a value means.
type mode int

const (
	// prose is conversation, code and output: the value must also look random, unless the
	// name is that of an environment variable, a URL parameter or a long flag.
	prose mode = iota
	// command is a command line or the log of a program: the name is enough.
	command
)

// Text removes the secrets from a text of a conversation.
func Text(s string) string { return clean(s, prose) }

// Command removes the secrets from a command line or from output that a program logs.
func Command(s string) string { return clean(s, command) }

// Words removes from the words of one command the secrets that Command finds, and those
// that are the value of a secret flag. It returns a copy.
func Words(words []string) []string {
	safe := make([]string, len(words))
	before := ""
	for i, w := range words {
		safe[i], before = argument(before, w), w
	}
	markOperands(words, safe)
	return safe
}

// argument returns one word of a command without secrets; before is the word before it.
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

// window bounds how much text after a word is examined to decide whether a secret follows,
// so that a text of many words stays cheap. A secret may be longer.
const window = 512

// appendClean appends s without its secrets. If s has none, it appends nothing and reports
// false.
func appendClean(out, s []byte, m mode) (_ []byte, changed bool) {
	t, done := known(), 0
	for at := t.next(s, 0); at >= 0; at = t.next(s, max(at+1, done)) {
		for {
			from, to := t.first(s, at, done, m)
			if to == 0 {
				break
			}
			out = append(append(out, s[done:max(from, done)]...), Mark...)
			done = to
		}
	}
	if done == 0 {
		return out, false
	}
	return append(out, s[done:]...), true
}

// first returns the first secret that a word at a position leads to and that ends after done; to is 0 if
// there is none.
func (t *table) first(s []byte, at, done int, m mode) (from, to int) {
	for _, e := range t.begin(s[at:]) {
		if !hasWord(s[at:], e.word) {
			continue
		}
		start, end := e.find(s[:min(len(s), at+window)], at, at+len(e.word), m)
		if end == at+window { // it may be longer
			start, end = e.find(s, at, at+len(e.word), m)
		}
		if end > max(done, start) && (to == 0 || start < from) {
			from, to = start, end
		}
	}
	return from, to
}

// suspect cheaply reports whether a JSON string may hold a secret: if it reports false,
// Text would return the string unchanged. raw is the string as it appears in the message,
// without its quotes.
func suspect(raw []byte) bool {
	if len(raw) < len("://a@") { // no secret is shorter
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

// hidesLetters reports whether a raw JSON string writes letters or slashes as escapes.
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

// safeRaw returns a raw JSON string without its secrets, nil if it has none.
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

// AppendString appends s as a JSON string with <, > and & unescaped.
func AppendString(b []byte, s string) []byte {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if enc.Encode(s) != nil {
		return append(b, `""`...)
	}
	return append(b, bytes.TrimSuffix(buf.Bytes(), []byte("\n"))...)
}

// lower returns c in lower case if it is an ASCII letter.
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
