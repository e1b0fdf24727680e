package terminal

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/internal/process"
)

// shellWords are the characters that make a Command without Args read like a command line.
const shellWords = " \t\r\n|&;<>()$`\\\"'*?[]{}#~=%!"

// command builds the command to start. Nothing the agent sent is replaced by a default: an invalid
// value is an error.
func (s *Service) command(c Command) (*exec.Cmd, error) {
	if strings.TrimSpace(c.Command) == "" {
		return nil, fmt.Errorf("%w: no command", ErrInvalid)
	}
	if !filepath.IsAbs(c.Dir) {
		return nil, fmt.Errorf("%w: %q", ErrRelativeDir, c.Dir)
	}
	if _, err := os.Stat(c.Dir); err != nil { // a failed chdir would read like a missing program
		return nil, fmt.Errorf("working directory: %w", err)
	}
	env := append([]string(nil), s.o.Environ...)
	if c.Attended {
		env = append([]string(nil), s.o.Attended...)
	}
	for _, v := range c.Env {
		if v.Name == "" || strings.ContainsAny(v.Name, "=\x00") || strings.Contains(v.Value, "\x00") {
			return nil, fmt.Errorf("%w: environment variable %q", ErrInvalid, v.Name)
		}
		env = append(env, v.Name+"="+v.Value)
	}
	if c.readByShell() {
		cmd, err := s.shell(c.Command, c.Dir, env, c.Shell)
		if err != nil {
			return nil, fmt.Errorf("find a shell for %s: %w", Line(c), err)
		}
		cmd.Env, cmd.Dir = env, c.Dir
		return cmd, nil
	}
	path, err := process.LookPath(c.Command, c.Dir, env)
	if err != nil {
		return nil, fmt.Errorf("run %s: %w", Line(c), err)
	}
	return &exec.Cmd{Path: path, Args: append([]string{c.Command}, c.Args...), Env: env, Dir: c.Dir}, nil
}

// readByShell reports whether Command is a line for a shell. It does not look for a file of that
// name: rules judged the line.
func (c Command) readByShell() bool {
	return c.Shell || len(c.Args) == 0 && strings.ContainsAny(c.Command, shellWords)
}

// Line returns a command as a person would type it in a shell, with the variables it sets in front.
// It is complete, for questions, and also serves as a title. A command line without arguments is
// returned unchanged.
func Line(c Command) string {
	if len(c.Args) > 0 || c.Command == "" {
		return WordsLine(c)
	}
	return strings.Join(append(assignments(c), c.Command), " ")
}

// WordsLine is like Line for a command that runs without a shell: its name is one word even without
// arguments.
func WordsLine(c Command) string {
	words, name := assignments(c), quote(c.Command)
	if name == c.Command && strings.Contains(name, "=") { // unquoted, it would set a variable
		name = "'" + name + "'"
	}
	words = append(words, name)
	for _, arg := range c.Args {
		words = append(words, quote(arg))
	}
	return strings.Join(words, " ")
}

// assignments returns the variables that a command sets, as words of a shell.
func assignments(c Command) []string {
	words := make([]string, 0, len(c.Env)+1+len(c.Args))
	for _, v := range c.Env {
		words = append(words, quote(v.Name)+"="+quote(v.Value))
	}
	return words
}

// quote quotes a word for a POSIX shell if necessary.
func quote(word string) string {
	plain, hidden := word != "", false
	for _, c := range word {
		switch {
		case c == '%', isPlain(c):
		case !unicode.IsPrint(c):
			hidden = true
		case c < utf8.RuneSelf:
			plain = false
		}
	}
	switch {
	case hidden:
		return quoteHidden(word)
	case plain:
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// quoteHidden writes a word with invisible characters as $'...', so that they show.
func quoteHidden(word string) string {
	var b strings.Builder
	b.WriteString("$'")
	for _, c := range word {
		switch {
		case c == '\n':
			b.WriteString(`\n`)
		case c == '\t':
			b.WriteString(`\t`)
		case c == '\r':
			b.WriteString(`\r`)
		case c == '\'' || c == '\\':
			b.WriteByte('\\')
			b.WriteRune(c)
		case unicode.IsPrint(c):
			b.WriteRune(c)
		case c < utf8.RuneSelf:
			fmt.Fprintf(&b, `\x%02x`, c)
		case c <= 0xffff:
			fmt.Fprintf(&b, `\u%04x`, c)
		default:
			fmt.Fprintf(&b, `\U%08x`, c)
		}
	}
	return b.String() + "'"
}
