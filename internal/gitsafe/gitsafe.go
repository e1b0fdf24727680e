// Package gitsafe runs git, for all of parley, in repositories that an agent may have written, so that
// git runs nothing that they name and writes nowhere else.
//
// Git does not read the configuration of a repository. Its git directory is found once, and every
// command then gets a common directory of parley's own (GIT_COMMON_DIR), which links to the references
// and logs of the real one and has another configuration: without filters, drivers, hooks, monitors,
// credential helpers and remotes, whatever the files of the repository say meanwhile. The attributes of
// files hold, but can then only ask for what git does by itself, such as converting the ends of lines.
// From the user's and the repository's configuration parley takes the values of some settings
// (harmless), none of which names a program.
package gitsafe

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"parley/internal/programs"
	"parley/internal/record"
)

// Program returns the path of git.
func Program() (string, error) { return programs.Find("git") }

// The reasons for which git is not run.
var (
	ErrNoFiles  = errors.New("a bare repository, the inside of .git, or one with core.worktree elsewhere has no files to work on")
	ErrReplaced = errors.New("its git directory was replaced meanwhile")
)

// Repo is a git repository, with the worktree that a directory is in.
type Repo struct {
	Top    string // the root of the worktree
	Prefix string // the directory relative to Top, "" or ending in a slash
	Dir    string // the git directory of the worktree
	Common string // that of the repository: Dir, unless the worktree is a linked one
	SHA256 bool   // names of objects; else SHA-1

	// Filters are the names of the filters that the user or the repository has configured. None runs.
	Filters []string

	git, cwd string
	found    [2]os.FileInfo // Dir and Common
	reftable bool
	settings []string // arguments
	index    string   // instead of the one in Dir
	places   []string // that commands also write to
	exact    []string // that they write to in the worktree and its repository; nil for all of these
}

// harmless are the settings that git gets as they are: those that decide what git takes for a change,
// and who commits.
var harmless = []string{
	"core.autocrlf", "core.eol", "core.filemode", "core.ignorecase", "core.symlinks", "core.precomposeunicode", "core.longpaths",
	"core.trustctime", "core.checkstat", "core.excludesfile", "core.attributesfile", "core.sharedrepository", "core.logallrefupdates",
	"core.sparsecheckout", "core.sparsecheckoutcone",
	"user.name", "user.email", "author.name", "author.email", "committer.name", "committer.email",
}

// Find finds the repository of a directory, an absolute path. The error is an *Error if there is none
// that git accepts, or ErrNoFiles. git is an absolute path.
func Find(ctx context.Context, git, dir string) (*Repo, error) {
	r := &Repo{git: git, cwd: dir}
	// Neither command runs anything, and what they say is only data.
	words := []string{"--is-inside-work-tree", "--git-dir", "--git-common-dir", "--show-prefix", "--show-toplevel"}
	out, err := ask(ctx, git, dir, nil, append([]string{"rev-parse"}, words...)...)
	if strings.HasPrefix(out, "false\n") {
		return nil, ErrNoFiles
	}
	if err != nil {
		return nil, err
	}
	lines := strings.Split(out, "\n")
	for i, to := range []*string{&r.Dir, &r.Common, &r.Prefix, &r.Top} {
		if *to = lines[1+i]; len(lines) == len(words)+1 {
			continue
		}
		if out, err = ask(ctx, git, dir, nil, "rev-parse", words[1+i]); err != nil { // a path has a line break
			return nil, err
		}
		*to = strings.TrimSuffix(out, "\n")
	}
	r.Top = filepath.FromSlash(r.Top)
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, err
	}
	for i, path := range []*string{&r.Dir, &r.Common} {
		if *path = filepath.FromSlash(*path); !filepath.IsAbs(*path) {
			*path = filepath.Join(dir, *path)
		}
		if r.found[i], err = os.Stat(*path); err != nil {
			return nil, err
		}
	}
	listed, err := ask(ctx, git, dir, []string{"GIT_DIR=" + r.Dir}, "config", "--list", "-z")
	if err != nil {
		return nil, err
	}
	r.configure(listed)
	return r, nil
}

// ask runs a command by the configuration that the repository and the user have.
func ask(ctx context.Context, git, dir string, env []string, words ...string) (string, error) {
	var out bytes.Buffer
	cmd := command(ctx, git, dir, words...)
	cmd.Env = append(cmd.Env, env...)
	cmd.Stdout = &limited{to: &out, left: maxOutput}
	err := confine(cmd, nil)
	if err == nil {
		err = run(ctx, cmd, words[0], "")
	}
	return out.String(), err
}

// Own returns a repository of parley's own in a directory that no agent can write to. It has no files.
func Own(git, dir string, sha256 bool) (*Repo, error) {
	info, err := os.Stat(dir)
	return &Repo{Top: dir, Dir: dir, Common: dir, SHA256: sha256, git: git, cwd: dir, found: [2]os.FileInfo{info, info}}, err
}

// configure makes the configuration from the one that git has listed.
func (r *Repo) configure(listed string) {
	values := map[string]string{}
	for entry := range strings.SplitSeq(listed, "\x00") {
		key, value, assigned := strings.Cut(entry, "\n")
		if !assigned {
			value = "true"
		}
		values[key] = value // the last one applies
		if name, ok := strings.CutPrefix(key, "filter."); ok && strings.Contains(name, ".") {
			r.Filters = append(r.Filters, name[:strings.LastIndexByte(name, '.')])
		}
	}
	slices.Sort(r.Filters)
	r.Filters = slices.Compact(r.Filters)
	for _, key := range harmless {
		if value, ok := values[key]; ok {
			r.settings = append(r.settings, "-c", key+"="+value)
		}
	}
	r.SHA256, r.reftable = values["extensions.objectformat"] == "sha256", values["extensions.refstorage"] == "reftable"
}

// config is the configuration that git reads.
func (r *Repo) config() string {
	text := "[core]\n\trepositoryformatversion = 1\n[extensions]\n"
	if r.SHA256 {
		text += "\tobjectFormat = sha256\n"
	}
	if r.reftable {
		text += "\trefStorage = reftable\n"
	}
	return text
}

// EmptyBlob names the content of an empty file.
func (r *Repo) EmptyBlob() string {
	if r.SHA256 {
		return "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813"
	}
	return "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
}

// AtTop returns the repository for commands that run in the root of the worktree.
func (r *Repo) AtTop() *Repo {
	other := *r
	other.cwd, other.Prefix = r.Top, ""
	return &other
}

// Writing returns the repository for commands that also write to other places.
func (r *Repo) Writing(places ...string) *Repo {
	other := *r
	other.places = places
	return &other
}

// Only returns the repository for commands that write, of the worktree and its repository, to these places
// alone: where an agent may have left links that lead to the rest of it.
func (r *Repo) Only(places ...string) *Repo {
	other := *r
	other.exact = append([]string{}, places...)
	if r.reftable {
		other.exact = append(other.exact, filepath.Join(r.Common, "reftable"))
	}
	return &other
}

// WithIndex returns the repository for commands that use a copy of the index, which remove removes. The copy has
// the time of the original: git compares contents of files that are no older than the index, since their size
// and time may be the same as before a change.
func (r *Repo) WithIndex() (other *Repo, remove func(), err error) {
	dir, err := private()
	if err != nil {
		return nil, nil, err
	}
	from := filepath.Join(r.Dir, "index")
	other = r.Writing(dir)
	other.index = filepath.Join(dir, "index")
	info, err := os.Stat(from)
	var index []byte
	if err == nil {
		index, err = os.ReadFile(from)
	}
	if err == nil {
		err = os.WriteFile(other.index, index, 0o600)
	}
	if err == nil {
		err = os.Chtimes(other.index, info.ModTime(), info.ModTime())
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		os.RemoveAll(dir)
		return nil, nil, err
	}
	return other, func() { os.RemoveAll(dir) }, nil
}

// private makes a directory for one command or index.
func private() (string, error) {
	dir, err := record.MakePrivate("git-")
	if err != nil {
		return "", fmt.Errorf("make a directory for git: %w", err)
	}
	return dir, nil
}

// shared is what the common directory has of the real one. The attributes and ignore rules in info say
// nothing of programs.
var shared = []string{"refs", "packed-refs", "reftable", "logs", "worktrees", "shallow", "info"}

// common makes the common directory of one command.
func (r *Repo) common() (string, error) {
	dir, err := private()
	if err != nil {
		return "", err
	}
	err = os.WriteFile(filepath.Join(dir, "config"), []byte(r.config()), 0o600)
	for _, name := range shared {
		if _, missing := os.Lstat(filepath.Join(r.Common, name)); missing == nil && err == nil {
			err = os.Symlink(filepath.Join(r.Common, name), filepath.Join(dir, name))
		}
	}
	if err != nil {
		os.RemoveAll(dir)
		if runtime.GOOS == "windows" {
			err = fmt.Errorf("git needs symbolic links (turn on the developer mode of Windows): %w", err)
		}
		return "", err
	}
	return dir, nil
}

// same returns ErrReplaced if another directory is where the repository was found.
func (r *Repo) same() error {
	for i, path := range []string{r.Dir, r.Common} {
		if now, err := os.Stat(path); err != nil || !os.SameFile(now, r.found[i]) {
			return fmt.Errorf("%w (%s)", ErrReplaced, path)
		}
	}
	return nil
}

// Shares reports whether another worktree is one of the same repository.
func (r *Repo) Shares(other *Repo) bool { return os.SameFile(r.found[1], other.found[1]) }

// Busy reports whether a merge, rebase, cherry-pick or revert is in progress in the worktree.
func (r *Repo) Busy() bool {
	return slices.ContainsFunc([]string{"MERGE_HEAD", "rebase-merge", "rebase-apply", "CHERRY_PICK_HEAD", "REVERT_HEAD"}, func(name string) bool {
		_, err := os.Lstat(filepath.Join(r.Dir, name))
		return err == nil
	})
}

// Owned reports whether the repository belongs to the worktree: its .git is the git directory, or leads
// to that of a linked worktree which leads back. Who writes a .git file that leads elsewhere, or makes
// a file that git changes a link, must not have another repository or file changed.
func (r *Repo) Owned() bool {
	for name, kind := range map[string]os.FileMode{"index": 0, "logs": os.ModeDir, "logs/HEAD": 0} {
		if info, err := os.Lstat(filepath.Join(r.Dir, name)); err == nil && info.Mode().Type() != kind {
			return false
		}
	}
	file := filepath.Join(r.Top, ".git")
	link, err := os.Lstat(file)
	if err != nil || link.IsDir() {
		return err == nil && os.SameFile(link, r.found[0])
	}
	back := r.named("gitdir")
	if !link.Mode().IsRegular() || !sameFile(back, file) || !sameFile(filepath.Dir(back), r.Top) {
		return false
	}
	all := filepath.Dir(r.Dir) // the linked worktrees of the repository
	common, err := os.Lstat(filepath.Dir(all))
	return err == nil && filepath.Base(all) == "worktrees" && os.SameFile(common, r.found[1]) && sameFile(r.named("commondir"), filepath.Dir(all))
}

// named returns the path that a file of the git directory holds, "" if none.
func (r *Repo) named(file string) string {
	file = filepath.Join(r.Dir, file)
	if info, err := os.Lstat(file); err != nil || !info.Mode().IsRegular() || info.Size() > 8<<10 {
		return ""
	}
	text, err := os.ReadFile(file)
	path := filepath.FromSlash(strings.TrimRight(string(text), "\r\n"))
	if err == nil && path != "" && !filepath.IsAbs(path) {
		path = filepath.Join(r.Dir, path)
	}
	return path
}

// sameFile reports whether two paths lead to one file, of which the last part is no link.
func sameFile(a, b string) bool {
	first, err := os.Lstat(a)
	second, failed := os.Lstat(b)
	return err == nil && failed == nil && os.SameFile(first, second)
}

// args precede every command. The repository's configuration is not read, and the user's only for
// Find; they guard against what git does by default, and against future versions. An empty fsmonitor is
// off in every version, while "false" is the name of a program in old ones. A directory that only looks
// like the inside of a repository is rejected: anybody could have written its configuration.
var args = []string{
	"--no-pager", "--no-optional-locks", "--literal-pathspecs",
	"-c", "core.fsmonitor=", "-c", "core.hooksPath=" + os.DevNull, "-c", "protocol.allow=never",
	"-c", "safe.bareRepository=explicit", "-c", "submodule.recurse=false", "-c", "diff.ignoreSubmodules=all",
	"-c", "gc.auto=0", "-c", "maintenance.auto=false",
}

// command returns a git command in dir. Git is started in a directory of programs', so dir must be
// absolute.
func command(ctx context.Context, git, dir string, words ...string) *exec.Cmd {
	cmd := programs.Command(ctx, git, slices.Concat([]string{"-C", dir}, args, words)...)
	cmd.Env = environ(cmd.Env)
	cmd.WaitDelay = time.Second
	if !filepath.IsAbs(dir) && cmd.Err == nil {
		cmd.Err = fmt.Errorf("run git in %q: not an absolute path", dir)
	}
	return cmd
}

// keptVariables are the variables of git that locate the user's own configuration, for Find. All other
// variables of git are removed, since some name another repository.
var keptVariables = []string{"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_CEILING_DIRECTORIES", "GIT_EXEC_PATH"}

// environ returns env without variables that name another repository, and with those that keep git
// from prompting and fetching.
func environ(env []string) []string {
	env = slices.DeleteFunc(env, func(v string) bool {
		name, _, _ := strings.Cut(strings.ToUpper(v), "=")
		return strings.HasPrefix(name, "GIT_") && !slices.Contains(keptVariables, name) || name == "LC_ALL" || name == "LANGUAGE"
	})
	return append(env, "LC_ALL=C", "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none")
}
