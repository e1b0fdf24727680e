package doctor

import (
	"context"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"parley/acpclient/transport"
	"parley/internal/atomicfile"
	"parley/internal/gitsafe"
	"parley/internal/programs"
	"parley/internal/safetext"
	"parley/internal/sandbox"
	"parley/internal/smallfile"
	"parley/internal/words"
)

// patience is how long a program may take that a check runs.
const patience = 3 * time.Second

// StateDir checks the state directory: that it can be written, and that nobody else can read it.
func StateDir(dir string, err error) Finding {
	const name = "state"
	if err != nil {
		return fail(name, err.Error(), "export HOME=… to your home directory, or PARLEY_STATE=… to another directory")
	}
	shown := safetext.Line(dir, 300)
	there, err := existing(dir)
	if err != nil {
		return fail(name, shown+": "+smallfile.Cause(err).Error(), "export PARLEY_STATE=… to a directory that you can write")
	}
	if err := writable(there); err != nil {
		next := "export PARLEY_STATE=… to a directory that you can write"
		switch {
		case atomicfile.IsDiskFull(err):
			next = "free some space: df -h " + shown
		case errors.Is(err, fs.ErrPermission):
			next = "chmod u+rwx " + safetext.Line(there, 300) + ", or " + next
		}
		return fail(name, shown+" cannot be written: "+smallfile.Cause(err).Error(), next)
	}
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return good(name, "%s, made when it is needed", shown)
	case err != nil || runtime.GOOS == "windows":
	case info.Mode().Perm()&0o022 != 0:
		return fail(name, shown+": others can write it", "chmod 700 "+shown)
	case info.Mode().Perm()&0o055 != 0:
		return warn(name, shown+": others can list it", "chmod 700 "+shown)
	}
	return good(name, "%s", shown)
}

// existing returns the directory, or the closest one above it that exists.
func existing(dir string) (string, error) {
	for {
		info, err := os.Stat(dir)
		switch {
		case err == nil && !info.IsDir():
			return "", &fs.PathError{Op: "open", Path: dir, Err: errors.New("not a directory")}
		case err == nil:
			return dir, nil
		case !errors.Is(err, fs.ErrNotExist) || filepath.Dir(dir) == dir:
			return "", err
		}
		dir = filepath.Dir(dir)
	}
}

// room is how much a full disk must still take.
const room = 1 << 20

// writable writes a file into a directory and removes it.
func writable(dir string) error {
	f, err := os.CreateTemp(dir, ".parley-doctor-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(make([]byte, room))
	return errors.Join(err, f.Close())
}

// Sandbox checks that programs can be confined.
func Sandbox(wanted bool) Finding {
	err := sandbox.Check()
	switch {
	case err == nil && wanted:
		return good("sandbox", "on for agents and their commands")
	case err == nil:
		return good("sandbox", "available: parley --sandbox, or sandbox = true in the configuration")
	case wanted:
		return fail("sandbox", err.Error(), "sandbox = false in the configuration starts agents without it")
	}
	return warn("sandbox", err.Error(), "until then, agents write wherever you can")
}

// Git checks git, and the repository of a directory.
func Git(ctx context.Context, dir string) Finding {
	const name = "git"
	git, err := gitsafe.Program()
	if err != nil {
		text := "not found: no worktrees, no undo of what commands change, no list of files by what git ignores"
		var skipped *programs.InProjectError
		if errors.As(err, &skipped) {
			text = err.Error()
		}
		return warn(name, text, "install git, and check with: git --version")
	}
	ctx, stop := context.WithTimeout(ctx, patience)
	defer stop()
	out, err := programs.Command(ctx, git, "--version").Output()
	if err != nil {
		return fail(name, safetext.Line(git, 300)+" does not run: "+err.Error(), safetext.Line(git, 300)+" --version")
	}
	version := safetext.Line(strings.TrimPrefix(words.FirstLine(string(out)), "git version "), 80)
	top := repository(dir)
	if top == "" {
		return good(name, "%s; not a git repository: %s", version, safetext.Line(dir, 300))
	}
	_, err = gitsafe.Find(ctx, git, dir)
	var failed *gitsafe.Error
	switch {
	case err == nil:
		return good(name, "%s, repository %s", version, safetext.Line(top, 300))
	case errors.As(err, &failed) && strings.Contains(failed.Stderr, "dubious ownership"):
		return fail(name, version+": the repository belongs to somebody else, so git does not use it", "git config --global --add safe.directory "+safetext.Line(top, 300))
	}
	return warn(name, version+": "+safetext.Line(err.Error(), 500), "git -C "+safetext.Line(dir, 300)+" status")
}

// repository returns the closest directory with .git, "" if there is none.
func repository(dir string) string {
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			return at
		}
		if filepath.Dir(at) == at {
			return ""
		}
	}
}

// Proxies checks the proxies of the environment, through which remote agents are reached. Their passwords are
// not shown.
func Proxies(environ func(string) string) (found []Finding) {
	for _, names := range [][]string{{"HTTPS_PROXY", "https_proxy"}, {"HTTP_PROXY", "http_proxy"}} {
		for _, name := range names {
			value := environ(name)
			if value == "" {
				continue
			}
			if !transport.ValidProxy(value) {
				found = append(found, fail("proxy", name+" is not the address of a proxy", "export "+name+"=http://HOST:PORT, or unset "+name))
			} else {
				found = append(found, good("proxy", "%s: %s", name, hostOf(value)))
			}
			break // net/http reads the first
		}
	}
	if except := environ("NO_PROXY"); except != "" && len(found) > 0 {
		found = append(found, good("proxy", "not for %s (NO_PROXY)", safetext.Line(except, 200)))
	}
	return found
}

func hostOf(proxy string) string {
	if !strings.Contains(proxy, "://") {
		proxy = "http://" + proxy
	}
	u, err := url.Parse(proxy)
	if err != nil {
		return "set"
	}
	return safetext.Line(u.Host, 200)
}

// run returns the first line that a program of this machine prints, "" if it fails.
func run(ctx context.Context, program string, args ...string) string {
	ctx, stop := context.WithTimeout(ctx, patience)
	defer stop()
	path, err := programs.Find(program)
	if err != nil {
		return ""
	}
	out, err := programs.Command(ctx, path, args...).Output()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return ""
	}
	return safetext.Line(words.FirstLine(string(out)), 300)
}
