package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"parley/internal/keyboard"
	"parley/internal/programs"
	"parley/internal/record"
	"parley/internal/smallfile"
)

// maxEdited limits how many bytes are read back from an editor.
const maxEdited = 16 << 20

// Editing is an editor that is ready to run on a private file.
type Editing struct {
	Command TerminalCommand
	file    string
}

// NewEditing writes text to a private file and prepares $VISUAL or $EDITOR to edit it. The editor
// ends when ctx does. After an error the file is removed.
func NewEditing(ctx context.Context, text, dir string) (Editing, error) {
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n" // editors complain about a missing final newline
	}
	return newEditing(ctx, text, "parley-draft.md", dir)
}

// NewFileEditing is NewEditing for the contents of a file. The text is written unchanged, to a name
// with the extension of path, so that the editor knows the language. Nothing else of path is used,
// because an agent may have chosen it.
func NewFileEditing(ctx context.Context, text, path, dir string) (Editing, error) {
	ext := filepath.Ext(path)
	if len(ext) > 16 || strings.ContainsFunc(strings.TrimPrefix(ext, "."), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9')
	}) {
		ext = ""
	}
	return newEditing(ctx, text, "parley-write"+ext, dir)
}

func newEditing(ctx context.Context, text, name, dir string) (Editing, error) {
	words, err := editor(os.Getenv)
	if err != nil {
		return Editing{}, err
	}
	home, err := record.MakePrivate("edit-")
	if err != nil {
		return Editing{}, fmt.Errorf("make a file for the editor: %w", err)
	}
	e := Editing{file: filepath.Join(home, name)}
	if err := os.WriteFile(e.file, []byte(text), 0o600); err != nil {
		return Editing{}, errors.Join(fmt.Errorf("make a file for the editor: %w", err), os.RemoveAll(home))
	}
	e.Command = editing(ctx, dir, words[0], append(words[1:], e.file)...)
	return e, nil
}

// editing returns a command that runs an editor in dir until ctx ends.
func editing(ctx context.Context, dir, file string, args ...string) TerminalCommand {
	cmd := programs.CommandIn(context.Background(), dir, file, args...)
	if err := programs.NewPath(os.Environ()).Interpret(cmd); err != nil {
		cmd.Err = err
	}
	return atTerminal{cmd, func(cmd *exec.Cmd) error { return keyboard.RunForeground(ctx, cmd) }}
}

// Done returns the edited text and removes the file.
func (e Editing) Done() (string, error) {
	defer os.RemoveAll(filepath.Dir(e.file))
	data, err := smallfile.Read(e.file, maxEdited)
	if err != nil {
		return "", fmt.Errorf("read the edited text: %w", err)
	}
	return string(data), nil
}

// editor returns the command line of the user's editor, starting with the program's path.
func editor(getenv func(string) string) ([]string, error) {
	for _, name := range []string{"VISUAL", "EDITOR"} {
		value := strings.TrimSpace(getenv(name))
		if value == "" {
			continue
		}
		words, err := splitWords(value, runtime.GOOS == "windows")
		if err != nil {
			return nil, fmt.Errorf("$%s: %w", name, err)
		}
		path, err := editorFile(words[0])
		if err != nil {
			return nil, fmt.Errorf("$%s is %s, %w", name, value, err)
		}
		return append([]string{path}, words[1:]...), nil
	}
	return nil, errors.New("no editor: set $VISUAL or $EDITOR to one, for instance EDITOR=vi")
}

// editorFile finds the program of an editor. It rejects relative paths, which would name a
// different program in each project.
func editorFile(name string) (string, error) {
	if !filepath.IsAbs(name) && name != filepath.Base(name) {
		return "", errors.New("which is a different program in each project; set it to a name on PATH or an absolute path")
	}
	file, err := programs.Locate(name)
	var inProject *programs.InProjectError
	switch {
	case errors.As(err, &inProject):
		return "", fmt.Errorf("which PATH finds only in the project, at %s; set it to an editor elsewhere, or to that path", inProject.File)
	case err != nil:
		return "", errors.New("which does not exist; set it to an editor that does")
	}
	return file, nil
}

// splitWords splits a command line as a shell does, but knows only spaces, quotes and backslashes.
// With paths, backslashes are ordinary characters, as in Windows paths.
func splitWords(line string, paths bool) ([]string, error) {
	var words []string
	var word strings.Builder
	in, quote := false, rune(0)
	rs := []rune(line)
	for i := 0; i < len(rs); i++ {
		switch r := rs[i]; {
		case quote == '\'' && r != '\'':
			word.WriteRune(r)
		case r == '\\' && !paths && i+1 < len(rs) && (quote == 0 || strings.ContainsRune("\"\\$`", rs[i+1])):
			i++
			word.WriteRune(rs[i])
			in = true
		case r == quote:
			quote = 0
		case quote == 0 && (r == '"' || r == '\'' && !paths):
			quote, in = r, true
		case quote == 0 && (r == ' ' || r == '\t' || r == '\n'):
			if in {
				words, in = append(words, word.String()), false
				word.Reset()
			}
		default:
			word.WriteRune(r)
			in = true
		}
	}
	if quote != 0 {
		return nil, errors.New("a quote is not closed")
	}
	if in {
		words = append(words, word.String())
	}
	if len(words) == 0 || words[0] == "" {
		return nil, errors.New("no program named")
	}
	return words, nil
}
