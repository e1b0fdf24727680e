// Package template reads prompt templates: Markdown files that become slash commands. The user's own
// are in the directory commands next to the configuration file, a project's in .parley/commands.
//
// A file review.md becomes /review. It may begin with front matter between two lines of "---", with
// description, argument-hint, agent and mode; other members are ignored, so files written for other
// clients work. In the text, $ARGUMENTS is what was typed after the command, and $1 to $9 are its
// words, quoted as in a shell. Mentions such as @file are left to whoever sends the prompt.
//
// A project's templates come with its repository and may be hostile. They are read through os.Root, so
// a link cannot make another file of the machine part of a prompt. Their texts are raw: make them safe
// for the terminal before showing them.
package template

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"parley/fsops"
	"parley/internal/lazy"
	"parley/internal/mention"
	"parley/internal/safetext"
)

// Limits of what is read.
const (
	MaxSize  = 64 << 10 // bytes of a file
	MaxFiles = 200      // files of a directory
)

// projectDir is where a project has its templates, below its root.
const projectDir = ".parley/commands"

// Template is a prompt with places for arguments.
type Template struct {
	Name        string // the command, without the slash
	Description string // "" if the file has none
	Hint        string // what it takes, such as "[file]"
	Agent       string // start a session with this agent; "" for the present one
	Mode        string // set this mode first; "" for the present one
	Body        string
	Path        string // the file
	Project     bool   // it comes with the project
}

// validName is what a command can be called: what the composer completes as one word.
var validName = lazy.Regexp(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// Load reads the templates of the user, then those of the projects. If two have the same name, the
// first wins, so a project cannot replace the user's. It waits for the disk. A file that cannot be used
// is an error of one line, and the others are returned anyway.
func Load(user string, projects []string) ([]Template, []error) {
	var all []Template
	var errs []error
	add := func(dir string, project bool) {
		found, failed := load(dir, project)
		errs = append(errs, failed...)
		for _, t := range found {
			if !slices.ContainsFunc(all, func(o Template) bool { return o.Name == t.Name }) {
				all = append(all, t)
			}
		}
	}
	if user != "" {
		add(user, false)
	}
	for _, dir := range projects {
		add(dir, true)
	}
	return all, errs
}

// load reads the templates of one directory: the user's, or a project's root.
func load(dir string, project bool) (found []Template, errs []error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, fmt.Errorf("read templates: %w", err))
		}
		return nil, errs
	}
	defer root.Close()
	below := "."
	if project {
		below = projectDir
	}
	entries, err := list(root, below)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		errs = append(errs, fmt.Errorf("read templates in %s: %w", filepath.Join(dir, below), err))
	}
	for _, name := range entries {
		file := filepath.Join(dir, filepath.FromSlash(below), name)
		src, err := read(root, path.Join(below, name))
		if err != nil {
			errs = append(errs, fmt.Errorf("read template %s: %w", file, err))
			continue
		}
		t := parse(src)
		t.Name, t.Path, t.Project = strings.TrimSuffix(name, ".md"), file, project
		found = append(found, t)
	}
	return found, errs
}

// list returns the names of the Markdown files of a directory, sorted.
func list(root *os.Root, dir string) ([]string, error) {
	d, err := root.Open(dir)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	entries, err := d.ReadDir(-1)
	var names []string
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ".md"); ok && validName().MatchString(name) {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	if len(names) > MaxFiles {
		return names[:MaxFiles], fmt.Errorf("more than %d files, the rest are ignored", MaxFiles)
	}
	return names, err
}

// read returns the text of a regular file.
func read(root *os.Root, name string) (string, error) {
	info, err := root.Stat(name) // before it is opened: opening a FIFO would wait for a writer
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", errors.New("not a regular file")
	}
	f, err := root.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, MaxSize+1))
	switch {
	case err != nil:
		return "", err
	case len(b) > MaxSize:
		return "", fmt.Errorf("larger than %d KiB", MaxSize>>10)
	case !utf8.Valid(b):
		return "", errors.New("not UTF-8")
	}
	return string(b), nil
}

// parse splits a file into its front matter and its text.
func parse(src string) Template {
	src = strings.ReplaceAll(strings.TrimPrefix(src, "\ufeff"), "\r\n", "\n")
	var t Template
	if head, body, ok := cutFrontMatter(src); ok {
		src = body
		for line := range strings.SplitSeq(head, "\n") {
			key, value, _ := strings.Cut(line, ":")
			value = unquote(strings.TrimSpace(value))
			switch key {
			case "description":
				t.Description = value
			case "argument-hint":
				t.Hint = value
			case "agent":
				t.Agent = value
			case "mode":
				t.Mode = value
			}
		}
	}
	t.Body = strings.TrimSpace(src)
	return t
}

// cutFrontMatter splits a text that begins with a line "---" at the next such line.
func cutFrontMatter(src string) (head, body string, ok bool) {
	rest, ok := strings.CutPrefix(src, "---\n")
	if !ok {
		return "", src, false
	}
	rest = "\n" + rest
	if head, body, ok = strings.Cut(rest, "\n---\n"); ok {
		return head, body, true
	}
	if head, ok = strings.CutSuffix(rest, "\n---"); ok {
		return head, "", true
	}
	return "", src, false
}

func unquote(s string) string {
	if len(s) >= 2 && (s[0] == '"' || s[0] == '\'') && s[len(s)-1] == s[0] {
		return s[1 : len(s)-1]
	}
	return s
}

// placeholder is $ARGUMENTS or $1 to $9, not followed by what would make it another name: $10 and
// $ARGUMENTS_X are left as they are.
var placeholder = lazy.Regexp(`\$(ARGUMENTS|[1-9])\b`)

// Expand returns the prompt for what was typed after the command. Arguments that the text does not ask
// for are appended, so nothing that was typed is lost. Placeholders within arguments are not expanded.
func (t Template) Expand(args string) string {
	args = strings.TrimSpace(args)
	words := Words(args)
	used := args == ""
	out := placeholder().ReplaceAllStringFunc(t.Body, func(p string) string {
		used = true
		if p == "$ARGUMENTS" {
			return args
		}
		if i := int(p[1] - '1'); i < len(words) {
			return words[i]
		}
		return ""
	})
	if !used {
		out += "\n\n" + args
	}
	return strings.TrimSpace(out)
}

// Words splits arguments at spaces. Quotes and backslashes keep a word together as in a shell; a quote
// that is not closed reaches to the end.
func Words(args string) []string {
	var words []string
	var word strings.Builder
	var quote rune
	in, escaped := false, false
	for _, r := range args {
		switch {
		case escaped:
			word.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'':
			escaped, in = true, true
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '"' || r == '\'':
			quote, in = r, true
		case r == ' ' || r == '\t' || r == '\n':
			if in {
				words = append(words, word.String())
				word.Reset()
				in = false
			}
		default:
			word.WriteRune(r)
			in = true
		}
	}
	if in {
		words = append(words, word.String())
	}
	return words
}

// Digest identifies what a template says, so that a confirmation holds for that text alone.
func (t Template) Digest() string {
	sum := sha256.Sum256([]byte(strings.Join([]string{t.Name, t.Agent, t.Mode, t.Body}, "\x00")))
	return hex.EncodeToString(sum[:])
}

// FilesIn names the files that a prompt sends by mentioning them: the sensitive ones first, as such.
func FilesIn(prompt string) (files []string, sensitive bool) {
	var others []string
	for _, m := range mention.Find(prompt) {
		if name := safetext.Line(m.Path, 200); fsops.Sensitive(m.Path) {
			files = append(files, name+" (sensitive)")
		} else {
			others = append(others, name)
		}
	}
	return append(files, others...), len(files) > 0
}
