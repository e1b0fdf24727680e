// Package sandbox has programs write only below some directories, by Landlock, a part of the Linux kernel. Reading,
// running programs, the network and sockets stay as they are: it keeps mistakes away from the rest of the machine, and
// is no jail for a program that wants out. What it binds are contents and names of files; their modes, owners and times
// it does not.
//
// Landlock binds the process that asks for it, for good and with all it starts. So a program is started by way of
// another one: Wrap puts `parley sandbox-exec` in front of it, which is Main, and that becomes the program once it is
// bound. It is strict: a program starts bound in full, or not at all.
package sandbox

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
)

// Command is the subcommand of parley that Wrap starts programs with; Main is what it does.
const Command = "sandbox-exec"

// minABI is the version of Landlock that guards against cutting files off; before it, a file that may not be written
// can still be emptied.
const minABI = 3

// UnsupportedError says why this machine cannot do it, and what to do, in one line for the user.
type UnsupportedError struct{ What string }

func (e *UnsupportedError) Error() string { return e.What }

func unsupported(format string, args ...any) error {
	return &UnsupportedError{fmt.Sprintf(format, args...)}
}

// Check returns an *UnsupportedError where programs cannot be bound.
func Check() error { return check(runtime.GOOS, version) }

func check(system string, version func() (int, error)) error {
	if system != "linux" {
		return unsupported("it needs Landlock, which only Linux has: start without it, or run parley in a container")
	}
	switch abi, err := version(); {
	case err != nil:
		return unsupported("this kernel has no Landlock (%v): start without it, or on Linux 6.2 or later with landlock in lsm=", err)
	case abi < minABI:
		return unsupported("the Landlock of this kernel is too old, it does not keep files from being emptied (version %d, want %d): start without it, or on Linux 6.2 or later", abi, minABI)
	}
	return nil
}

// Sandbox starts programs bound.
type Sandbox struct {
	self  []string // the command that is Main
	extra []string // what all may write besides
	tmp   string   // where temporary files go
}

// New returns a Sandbox whose programs may also write below the directories extra, or the files extra, all absolute
// and there: what is missing is an error. self is the program that does Main when its first argument is Command.
func New(self string, extra []string) (*Sandbox, error) {
	for _, path := range extra {
		if _, err := os.Stat(path); err != nil {
			return nil, fmt.Errorf("%s: %w", path, errors.Unwrap(err))
		}
	}
	return &Sandbox{self: []string{self, Command}, extra: extra, tmp: os.TempDir()}, nil
}

// Wrap changes a command so that it can write below roots, to what programs of all kinds need, and to own: paths that
// need not be there. cmd.Path must be what is to be run.
func (s *Sandbox) Wrap(cmd *exec.Cmd, roots, own []string) error {
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
	args = append(args, "--", cmd.Path)
	cmd.Path, cmd.Args = s.self[0], append(args, cmd.Args...)
	return nil
}

// places are the paths that may be written, and all below them; those of try need not be there.
func (s *Sandbox) places(roots, own []string) (must, try []string) {
	return slices.Concat(roots, s.extra), slices.Concat([]string{s.tmp}, devices, own)
}

// Writable tells whether a program that Wrap has changed with these roots and own could write a file: for those who
// write in its place and are not bound. path is absolute and free of links; it need not exist.
func (s *Sandbox) Writable(path string, roots, own []string) bool {
	must, try := s.places(roots, own)
	return slices.ContainsFunc(append(must, try...), func(place string) bool {
		real, err := filepath.EvalSymlinks(place)
		if err != nil { // what is not there is not bound to
			return false
		}
		rel, err := filepath.Rel(real, path)
		return err == nil && filepath.IsLocal(rel)
	})
}

// Main binds this process and becomes the program of args, as Wrap has put them together. It returns only when it
// cannot.
func Main(args []string) error {
	var must, try []string
	for len(args) > 1 && args[0] != "--" {
		if !filepath.IsAbs(args[1]) {
			return fmt.Errorf("%s %s: want an absolute path", args[0], args[1])
		}
		switch args[0] {
		case "--write":
			must = append(must, args[1])
		case "--try":
			try = append(try, args[1])
		default:
			return fmt.Errorf("unknown argument %q", args[0])
		}
		args = args[2:]
	}
	if len(args) < 3 || args[0] != "--" {
		return errors.New("want [--write PATH]… [--try PATH]… -- PROGRAM NAME [ARG]…")
	}
	return become(must, try, args[1], args[2:])
}
