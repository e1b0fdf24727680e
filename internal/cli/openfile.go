package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// TerminalCommand is a program that gets the user's terminal. It is a tea.ExecCommand.
type TerminalCommand interface {
	Run() error
	SetStdin(io.Reader)
	SetStdout(io.Writer)
	SetStderr(io.Writer)
}

// OpenFile prepares $VISUAL or $EDITOR to open an existing file at a line, 0 if unknown. The editor
// ends with ctx. It gets an absolute path, which cannot be mistaken for a flag.
func OpenFile(ctx context.Context, path string, line int, dir string) (TerminalCommand, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s does not exist", path)
	case err != nil:
		return nil, fmt.Errorf("open %s: %w", path, err)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file", path)
	case !filepath.IsAbs(path):
		return nil, fmt.Errorf("%s is not an absolute path", path)
	}
	words, err := editor(os.Getenv)
	if err != nil {
		return nil, err
	}
	return editing(ctx, dir, words[0], atLine(words, path, line)...), nil
}

// atLine returns the editor's arguments that open the file at a line. An unknown editor gets only
// the path.
func atLine(words []string, path string, line int) []string {
	args := append([]string(nil), words[1:]...)
	if line <= 0 {
		return append(args, path)
	}
	n := strconv.Itoa(line)
	name := strings.TrimSuffix(strings.ToLower(filepath.Base(words[0])), ".exe")
	switch name {
	case "vi", "vim", "nvim", "view", "vim.basic", "vim.tiny", "gvim", "nano", "pico", "rnano", "emacs", "emacsclient", "emacs-nox", "mg", "jove", "joe", "jmacs", "ne",
		"micro", "kak", "ex", "elvis", "nvi", "vile", "less":
		return append(args, "+"+n, path)
	case "hx", "helix", "subl", "sublime_text", "zed", "zeditor":
		return append(args, path+":"+n)
	case "code", "code-insiders", "codium", "vscodium", "cursor", "windsurf":
		return append(args, "-g", path+":"+n)
	case "idea", "goland", "pycharm", "webstorm", "clion", "rustrover", "mate":
		if name == "mate" {
			return append(args, "-l", n, path)
		}
		return append(args, "--line", n, path)
	case "kate", "kwrite", "gedit", "gnome-text-editor":
		if strings.HasPrefix(name, "k") {
			return append(args, "--line", n, path)
		}
		return append(args, "+"+n, path)
	case "notepad++":
		return append(args, "-n"+n, path)
	}
	return append(args, path)
}
