package demo

import (
	"net/url"
	"path"
	"runtime"
	"strings"
	"unicode"
)

const (
	defaultRead    = "README.md"
	defaultEdit    = "notes.txt"
	hunksFile      = "demo.md"
	defaultCommand = "ls"
)

// actions are the words the agent reacts to, in the order in which the actions are carried out.
var actions = []string{"about", "think", "plan", "read", "edit", "hunks", "run", "unasked", "long"}

// words is a prompt split into tokens.
type words struct {
	tokens []token
	text   string // all text blocks
}

// token is one word of a prompt without surrounding punctuation, or an attached file.
type token struct {
	text string // "" if the token is only punctuation
	rest string // the text after it in its block
	file bool
}

// readPrompt splits the blocks of a prompt into tokens. A block that names a local file is one
// token.
func readPrompt(blocks []promptBlock) words {
	var w words
	for _, b := range blocks {
		switch b.Type {
		case "text":
			if strings.TrimSpace(b.Text) != "" {
				w.text = strings.TrimSpace(w.text + " " + b.Text)
			}
			w.tokens = append(w.tokens, tokensOf(b.Text)...)
		case "resource_link", "resource":
			uri := b.URI
			if b.Type == "resource" {
				uri = b.Resource.URI
			}
			w.tokens = append(w.tokens, token{text: filePath(uri), file: filePath(uri) != ""})
		case "":
		default:
			w.tokens = append(w.tokens, token{})
		}
	}
	return w
}

func tokensOf(text string) []token {
	var out []token
	for text != "" {
		text = strings.TrimLeftFunc(text, unicode.IsSpace)
		end := strings.IndexFunc(text, unicode.IsSpace)
		if end < 0 {
			end = len(text)
		}
		if end > 0 {
			word := trimPunctuation(text[:end])
			out = append(out, token{text: word, rest: text[end:], file: looksLikeFile(word)})
			if clause := strings.IndexAny(text[end-1:end], ",;."); clause == 0 && out[len(out)-1].action() == "run" {
				out[len(out)-1].rest = "" // "run, then ...": no command follows
			}
		}
		text = text[end:]
	}
	return out
}

const punctuation = "`\"'()[]{}<>*,;:!?@“”‘’«»。、，！？"

// trimPunctuation keeps a leading dot or slash, which may belong to a path. It removes a slash
// before an action ("/edit").
func trimPunctuation(word string) string {
	word = strings.TrimRight(strings.TrimLeft(word, punctuation), punctuation+".")
	if bare := strings.TrimPrefix(word, "/"); isAction(bare) {
		return bare
	}
	return word
}

func isAction(word string) bool {
	for _, a := range actions {
		if strings.EqualFold(a, word) {
			return true
		}
	}
	return false
}

// action returns the action this token names, in lower case, or "".
func (t token) action() string {
	if isAction(t.text) {
		return strings.ToLower(t.text)
	}
	return ""
}

// looksLikeFile reports whether a word is a file name, such as main.go, ./x, docs/a.txt or
// Makefile.
func looksLikeFile(word string) bool {
	switch word {
	case "Makefile", "Dockerfile", "LICENSE", "README", "CHANGELOG":
		return true
	}
	if strings.Contains(word, "://") || !strings.ContainsFunc(word, unicode.IsLetter) {
		return false
	}
	return strings.ContainsAny(word[1:], "./\\") || len(word) > 1 && strings.ContainsAny(word[:1], "./\\~")
}

// filePath returns the path of a file: URI, or the URI itself if it is already an absolute path, or
// "".
func filePath(uri string) string {
	u, err := url.Parse(uri)
	switch {
	case err != nil:
		return ""
	case u.Scheme == "" && path.IsAbs(uri):
		return uri
	case u.Scheme != "file":
		return ""
	}
	if runtime.GOOS == "windows" {
		return strings.TrimPrefix(u.Path, "/")
	}
	return u.Path
}

// errand is what a prompt asks for.
type errand struct {
	wants   map[string]bool // by action
	read    string
	edit    string
	command string
}

// errandOf finds the actions in a prompt. The words of a command to run are skipped: "run echo
// edit" edits nothing.
func errandOf(w words) errand {
	e := errand{wants: map[string]bool{}, read: defaultRead, edit: defaultEdit, command: defaultCommand}
	for i := 0; i < len(w.tokens); i++ {
		t := w.tokens[i]
		action := t.action()
		if action == "" || e.wants[action] {
			continue
		}
		e.wants[action] = true
		switch action {
		case "read":
			if name, ok := fileAfter(w.tokens[i+1:], true); ok {
				e.read = name
			} else if name, ok := fileAfter(w.tokens, false); ok {
				e.read = name
			}
		case "edit":
			if name, ok := fileAfter(w.tokens[i+1:], true); ok {
				e.edit = name
			}
		case "run":
			if line, used := commandIn(t.rest); line != "" {
				e.command = line
				i += used
			}
		}
	}
	return e
}

// fileAfter returns the first file; with clause, only one before the next action.
func fileAfter(tokens []token, clause bool) (string, bool) {
	for _, t := range tokens {
		if t.file {
			return t.text, true
		}
		if clause && t.action() != "" {
			break
		}
	}
	return "", false
}

// notCommands are words that begin a sentence rather than a command.
var notCommands = map[string]bool{"a": true, "an": true, "the": true, "it": true, "this": true, "that": true, "them": true, "some": true,
	"something": true, "anything": true, "my": true, "your": true, "our": true, "all": true, "please": true, "and": true,
	"then": true, "in": true, "on": true, "for": true, "to": true}

// commandIn extracts a command from the text after "run": the part in backquotes, or everything up
// to " and ", a comma, or the end of the line. used is how many tokens that is. line is "" if
// nothing there looks like a command.
func commandIn(rest string) (line string, used int) {
	lead := strings.TrimLeft(rest, " \t")
	if quoted, ok := strings.CutPrefix(lead, "`"); ok {
		if line, _, ok = strings.Cut(quoted, "`"); ok {
			return strings.TrimSpace(line), len(strings.Fields(line))
		}
		lead = quoted
	}
	line, _, _ = strings.Cut(lead, "\n")
	for _, end := range []string{" and ", ", "} {
		line, _, _ = strings.Cut(line, end)
	}
	line = strings.TrimRight(line, " \t\r")
	if n := len(line); n > 1 && strings.ContainsRune(".,!?;", rune(line[n-1])) && !strings.ContainsRune(" ./", rune(line[n-2])) {
		line = line[:n-1]
	}
	line = strings.TrimSpace(line)
	first, _, _ := strings.Cut(line, " ")
	if first == "" || notCommands[strings.ToLower(first)] || isAction(trimPunctuation(first)) {
		return "", 0
	}
	return line, len(strings.Fields(line))
}
