// Package programs finds and starts the programs that parley runs on its own: git, npx,
// agents, an editor, desktop programs. Until the user has allowed something, a project may
// be hostile. So no program is looked up in a project, whatever PATH says, and children get
// a PATH without relative directories.
//
// Guard declares, for the whole process, which directories are projects; the current
// directory always is one. All functions may be called from any goroutine.
package programs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"parley/internal/process"
)

// InProjectError means that a program was found only in a project.
type InProjectError struct{ File string }

func (e *InProjectError) Error() string {
	return fmt.Sprintf("%s lies in the project, and parley starts no program from there by its name: give its path to use it", e.File)
}

// Path is a PATH without the directories of projects.
type Path struct {
	folders  []folder
	projects []os.FileInfo
}

// folder is a directory of PATH.
type folder struct {
	path      string
	inProject bool // it is in a project, or depends on the current directory
}

// NewPath returns the Path of PATH in env.
func NewPath(env []string) Path {
	p := Path{projects: projects()}
	value, _ := process.Getenv(env, "PATH")
	for _, dir := range filepath.SplitList(value) {
		relative := !filepath.IsAbs(dir)
		if relative {
			abs, err := filepath.Abs(dir)
			if err != nil {
				continue
			}
			dir = abs
		}
		p.folders = append(p.folders, folder{dir, relative || within(dir, p.projects)})
	}
	return p
}

// Find returns the absolute path of the first program of that name, without looking into
// projects. The error wraps exec.ErrNotFound, fs.ErrNotExist or fs.ErrPermission; it is an
// *InProjectError if only a project has the program. Skipped programs are reported, see
// OnSkipped.
func (p Path) Find(name string) (string, error) {
	found, _, err := p.find(name)
	return found, err
}

// find is Find, and also returns the first skipped program.
func (p Path) find(name string) (found, passed string, err error) {
	if name == "" || name != filepath.Base(name) || strings.ContainsAny(name, ":\x00") {
		return "", "", fmt.Errorf("find program %q: %w", name, exec.ErrNotFound)
	}
	var denied error
	for _, f := range p.folders {
		found, err := exec.LookPath(filepath.Join(f.path, name))
		switch {
		case err != nil:
			if denied == nil && errors.Is(err, os.ErrPermission) {
				denied = err
			}
		case f.inProject || within(found, p.projects):
			if passed == "" {
				passed = found
				recordSkipped(found)
			}
		default:
			return found, passed, nil
		}
	}
	switch {
	case passed != "":
		return "", passed, &InProjectError{passed}
	case denied != nil:
		return "", "", fmt.Errorf("find program: %w", denied)
	}
	return "", "", fmt.Errorf("find program %q: %w", name, exec.ErrNotFound)
}

// Find is Path.Find with the PATH of this process.
func Find(name string) (string, error) { return NewPath(os.Environ()).Find(name) }

// Locate is Find, and an absolute path is the program at it: whoever has written it knows which one that is.
func Locate(program string) (string, error) {
	if !filepath.IsAbs(program) {
		return Find(program)
	}
	return process.LookPath(program, "", nil)
}

// Command returns a command that parley runs for itself, by its absolute path, with
// OwnEnviron. It runs outside of all projects, because wrappers of version managers read
// files of the project that they are started in.
func Command(ctx context.Context, file string, args ...string) *exec.Cmd {
	return command(ctx, neutralDir(), OwnEnviron(os.Environ()), file, args)
}

// CommandIn returns a command that works for the user in a directory, by its absolute path,
// with Environ.
func CommandIn(ctx context.Context, dir, file string, args ...string) *exec.Cmd {
	return command(ctx, dir, Environ(os.Environ()), file, args)
}

func command(ctx context.Context, dir string, env []string, file string, args []string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, file, args...)
	if !filepath.IsAbs(file) {
		cmd.Err = fmt.Errorf("start %s: not an absolute path", file)
	}
	cmd.Dir, cmd.Env = dir, append(env, "PWD="+dir)
	return cmd
}

// neutralDir returns a directory that is not in a project: the user's home, or else the root.
func neutralDir() string {
	if home, err := os.UserHomeDir(); err == nil && filepath.IsAbs(home) && !Guarded(home) {
		if info, err := os.Stat(home); err == nil && info.IsDir() {
			return home
		}
	}
	here, _ := os.Getwd()
	return filepath.VolumeName(here) + string(filepath.Separator)
}
