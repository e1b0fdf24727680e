// Package sandbox restricts where programs can write: with Landlock, a part of the Linux kernel, or
// with the sandbox-exec of macOS. Reading, running programs, the network and sockets are not restricted:
// it protects the rest of the machine from mistakes, and does not contain a program that wants to escape.
// It covers the contents and names of files; on macOS, but not on Linux, also their modes, owners and times.
//
// Both restrict a process permanently, with everything it starts. So Wrap puts `parley sandbox-exec`,
// which is Main, in front of a command: Main restricts itself and then executes the program. A program
// starts fully restricted, or not at all, and nothing that its variables say happens before.
package sandbox

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// Command is the subcommand of parley that Wrap puts in front of programs; Main implements it.
const Command = "sandbox-exec"

// minABI is the first version of Landlock that covers truncation; before it, a file that may not be
// written can still be emptied.
const minABI = 3

// UnsupportedError says why this machine has no sandbox, and what to do, in one line for the user.
type UnsupportedError struct{ What string }

func (e *UnsupportedError) Error() string { return e.What }

func unsupported(format string, args ...any) error {
	return &UnsupportedError{fmt.Sprintf(format, args...)}
}

// Check returns an *UnsupportedError if programs cannot be restricted.
func Check() error { return check(runtime.GOOS, version) }

func check(system string, version func() (int, error)) error {
	switch abi, err := version(); {
	case system != "linux" && system != "darwin":
		return unsupported("it needs Linux or macOS: start without it, or run parley in a container")
	case err != nil && system == "darwin":
		return unsupported("%v: start without it", err)
	case err != nil:
		return unsupported("this kernel has no Landlock (%v): start without it, or on Linux 6.2 or later with landlock in lsm=", err)
	case abi < minABI:
		return unsupported("the Landlock of this kernel is too old, it does not keep files from being emptied (version %d, want %d): start without it, or on Linux 6.2 or later", abi, minABI)
	}
	return nil
}

// Sandbox starts restricted programs.
type Sandbox struct {
	self  []string // the command that runs Main
	extra []string // writable for all programs
	tmp   string   // directory for temporary files
}

// New returns a Sandbox whose programs may also write to the files and directories extra, which
// must be absolute and exist. self is the program that calls Main if its first argument is Command.
func New(self string, extra []string) (*Sandbox, error) {
	for _, path := range extra {
		if _, err := os.Stat(path); err != nil {
			return nil, fmt.Errorf("%s: %w", path, errors.Unwrap(err))
		}
	}
	return &Sandbox{self: []string{self, Command}, extra: extra, tmp: os.TempDir()}, nil
}

// Wrap changes a command so that it can only write below roots, to what programs of all kinds need,
// and to own: paths that may be missing. A link that is inside of one of these is not followed. The paths
// of exact may be missing, too, and grant nothing if a symbolic link is part of them. cmd.Path must be the
// program to run. What is added to cmd.Env afterwards reaches Main's own environment, too.
func (s *Sandbox) Wrap(cmd *exec.Cmd, roots, own []string, exact ...string) error {
	if !filepath.IsAbs(cmd.Path) {
		return fmt.Errorf("start %s in the sandbox: not an absolute path", cmd.Path)
	}
	must, try := s.places(roots, own)
	args := slices.Clone(s.self)
	for _, path := range must {
		args = append(args, "--write", path)
	}
	for _, path := range try {
		args = append(args, "--try", path)
	}
	for _, path := range exact {
		args = append(args, "--exact", path)
	}
	args = append(args, "--", cmd.Path)
	cmd.Path, cmd.Args, cmd.Env = s.self[0], append(args, cmd.Args...), packed(cmd.Environ())
	return nil
}

// prefix precedes the variables of a program in the environment of Main. The loader and the runtime of
// parley's own binary, which start before Main confines it, obey variables such as LD_PRELOAD and
// GODEBUG, and an agent chooses those of its commands.
const prefix = "sandboxed:"

// packed returns the environment of Main for a program with this environment. An argument would show
// the values to other users.
func packed(env []string) []string {
	out := make([]string, len(env))
	for i, v := range env {
		out[i] = prefix + v
	}
	return out
}

// unpacked is the inverse of packed. Variables without the prefix were added after Wrap, by parley, and
// replace those of the same name.
func unpacked(env []string) []string {
	var program, added []string
	names := map[string]bool{}
	for _, v := range env {
		if rest, ok := strings.CutPrefix(v, prefix); ok {
			program = append(program, rest)
			continue
		}
		name, _, _ := strings.Cut(v, "=")
		added, names[name] = append(added, v), true
	}
	return append(slices.DeleteFunc(program, func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return names[name]
	}), added...)
}

// places returns the paths that may be written, with everything below them; those of try may be
// missing.
func (s *Sandbox) places(roots, own []string) (must, try []string) {
	return slices.Concat(roots, s.extra), slices.Concat([]string{s.tmp, userCache(runtime.GOOS, s.tmp)}, devices, own)
}

// userCache returns the directory for caches of compilers that macOS has beside that for temporary files.
func userCache(system, tmp string) string {
	if system != "darwin" || filepath.Base(tmp) != "T" {
		return tmp
	}
	return filepath.Join(filepath.Dir(tmp), "C")
}

// Writable reports whether a program wrapped with these roots and own could write a file, for
// callers that write on its behalf without being restricted. path is absolute and free of links; it
// may be missing.
func (s *Sandbox) Writable(path string, roots, own []string) bool {
	places, err := resolve(s.places(roots, own))
	return err == nil && below(path, places)
}

// Self returns the program that runs, for New. The file that it was started from may be one that an agent
// can write to, so on Linux it is not named by its path.
func Self() (string, error) {
	if runtime.GOOS == "linux" {
		return "/proc/self/exe", nil
	}
	return os.Executable()
}

// Main restricts this process and becomes the program of args, as built by Wrap. It returns only on
// an error.
func Main(args []string) error {
	var must, try, exact []string
	for len(args) > 1 && args[0] != "--" {
		if !filepath.IsAbs(args[1]) {
			return fmt.Errorf("%s %s: want an absolute path", args[0], args[1])
		}
		switch args[0] {
		case "--write":
			must = append(must, args[1])
		case "--try":
			try = append(try, args[1])
		case "--exact":
			exact = append(exact, args[1])
		default:
			return fmt.Errorf("unknown argument %q", args[0])
		}
		args = args[2:]
	}
	if len(args) < 3 || args[0] != "--" {
		return errors.New("want [--write PATH]… [--try PATH]… [--exact PATH]… -- PROGRAM NAME [ARG]…")
	}
	places, err := resolve(must, try)
	if err != nil {
		return fmt.Errorf("let it write: %w", err)
	}
	return become(append(places, exact...), args[1], args[2:], unpacked(os.Environ()))
}
