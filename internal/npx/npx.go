// Package npx runs programs of npm packages with npx so that the project cannot interfere.
// npx takes settings, packages and programs from its working directory and those above. So
// it runs in a private one and starts parley again, which changes to the project and
// becomes the program that npx has fetched.
package npx

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"parley/internal/atomicfile"
	"parley/internal/process"
	"parley/internal/programs"
)

// Command is the subcommand of parley that npx starts; Main implements it.
const Command = "npx-exec"

// variable passes to Main what npx must not decide. It is not an argument, since npm passes
// those through a shell.
const variable = "PARLEY_NPX"

// step is the value of variable.
type step struct {
	Dir      string   // working directory of the program
	Projects []string // directories it must not come from
	Path     string   // PATH before npx
	Keep     []string // variables that look like npm's but existed before
}

// Wrap changes a command, whose Path is the name of a program of the package, so that npx
// fetches the package and runs the program. spec is the package with its exact version;
// self is the program that calls Main if its first argument is Command. The private
// directory is made in state. The program still works in cmd.Dir; it must not come from
// there or from projects.
func Wrap(cmd *exec.Cmd, npx, spec, self, state string, projects ...string) error {
	private, err := privateDir(state)
	if err != nil {
		return err
	}
	s := step{Dir: cmd.Dir, Projects: append([]string{cmd.Dir}, projects...)}
	s.Path, _ = process.Getenv(cmd.Env, "PATH")
	for _, v := range cmd.Env {
		if name, _, _ := strings.Cut(v, "="); setByNpm(name) {
			s.Keep = append(s.Keep, name)
		}
	}
	value, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("prepare npx: %w", err)
	}
	cmd.Env = append(programs.OwnEnviron(cmd.Env), variable+"="+string(value), "PWD="+private)
	cmd.Args = append([]string{npx, "--yes", "--package=" + spec, "--", self, Command, cmd.Path}, cmd.Args[1:]...)
	cmd.Path, cmd.Dir = npx, private
	return nil
}

// setByNpm reports whether npm sets a variable for the programs that it runs. The agent must
// not inherit them: npm_config_package, for one, would make every npx that it runs fetch
// the agent instead.
func setByNpm(name string) bool {
	return slices.Contains([]string{"INIT_CWD", "NODE", "COLOR", "EDITOR"}, name) || strings.HasPrefix(strings.ToLower(name), "npm_")
}

// manifest stops npm's search: without it, the nearest parent directory with a package.json
// or node_modules would count.
const manifest = "{\"private\":true}\n"

// privateDir returns the directory to run npx in: owned by the user alone, and containing
// nothing that npm reads except the manifest.
func privateDir(state string) (string, error) {
	dir := filepath.Join(state, "npx")
	if programs.Guarded(dir) {
		return "", fmt.Errorf("fetch the agent: %s lies in the project, which could replace it there: set PARLEY_STATE to a directory elsewhere", state)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("make a directory for npx: %w", err)
	}
	info, err := os.Lstat(dir)
	switch {
	case err != nil:
		return "", fmt.Errorf("make a directory for npx: %w", err)
	case !info.IsDir() || !owned(info):
		return "", fmt.Errorf("run npx in %s: it is not a directory of yours: remove it", dir)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm() != 0o700 {
		if err := os.Chmod(dir, 0o700); err != nil {
			return "", fmt.Errorf("make a directory for npx: %w", err)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", fmt.Errorf("look at the directory for npx: %w", err)
	}
	for _, e := range entries {
		if name := e.Name(); !strings.HasPrefix(name, "package.json") { // another parley may be writing it, under a temporary name
			return "", fmt.Errorf("run npx in %s: %s is not parley's, and npm would use it: remove it", dir, name)
		}
	}
	file := filepath.Join(dir, "package.json")
	text, err := os.ReadFile(file)
	if err == nil && string(text) == manifest {
		return dir, nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("look at the directory for npx: %w", err)
	}
	if err := atomicfile.Write(file, []byte(manifest)); err != nil {
		return "", fmt.Errorf("make a directory for npx: %w", err)
	}
	return dir, nil
}

// Main becomes the program of args, as prepared by Wrap, after npx has fetched it. It
// returns only if it fails, or where a process cannot become another program, with that
// program's exit code.
func Main(args []string) (code int, err error) {
	var s step
	if err := json.Unmarshal([]byte(os.Getenv(variable)), &s); err != nil || len(args) == 0 || !filepath.IsAbs(s.Dir) {
		return 0, errors.New("only npx starts this, for parley")
	}
	programs.Guard(s.Projects...)
	file, err := fetched(args[0])
	if err != nil {
		return 0, err
	}
	if err := os.Chdir(s.Dir); err != nil {
		return 0, fmt.Errorf("start %s in its directory: %w", args[0], err)
	}
	cmd := &exec.Cmd{Path: file, Args: args, Env: s.environ(filepath.Dir(file))}
	// npx runs with the node that PATH means in its own directory. In the project a wrapper
	// of a version manager may mean another one.
	if err := programs.NewPath(cmd.Env).Interpret(cmd, os.Getenv("npm_node_execpath")); err != nil {
		return 0, fmt.Errorf("start %s: %w", args[0], err)
	}
	return become(cmd)
}

// fetched returns the file of a program of the package: npx has put the package's directory
// of programs first into PATH.
func fetched(name string) (string, error) {
	dirs := filepath.SplitList(os.Getenv("PATH"))
	if len(dirs) == 0 || !filepath.IsAbs(dirs[0]) || name != filepath.Base(name) {
		return "", fmt.Errorf("find %s: npx did not say where it is", name)
	}
	file, err := exec.LookPath(filepath.Join(dirs[0], name))
	switch {
	case err != nil:
		return "", fmt.Errorf("find %s in what npx has fetched: %w", name, err)
	case programs.Guarded(file):
		return "", fmt.Errorf("%s lies in the project, which could have replaced it: set npm_config_cache to a directory elsewhere", file)
	}
	return file, nil
}

// environ returns the environment before npx, with the programs of the package first in
// PATH.
func (s step) environ(bin string) []string {
	env := slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.Contains([]string{variable, "PATH", "PWD", "OLDPWD"}, strings.ToUpper(name)) || setByNpm(name) && !slices.Contains(s.Keep, name)
	})
	path := bin
	if s.Path != "" {
		path += string(filepath.ListSeparator) + s.Path
	}
	return append(env, "PATH="+path, "PWD="+s.Dir)
}
