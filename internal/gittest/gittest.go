// Package gittest makes git repositories and runs git in them, without the configuration of whoever
// runs the tests. Only tests use it. A test is skipped where git is not installed.
package gittest

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Isolate lets the code under test run git as Command does, and gives it an empty home directory. The
// test cannot be parallel.
func Isolate(t testing.TB) {
	t.Helper()
	for _, v := range environ(t.TempDir()) {
		name, value, _ := strings.Cut(v, "=")
		t.Setenv(name, value)
	}
}

// environ returns the variables that keep git from all configuration but that of a repository, and
// from a repository around the directories of the tests. Git looks for the user's ignore rules in
// home, where there are none. Nothing of git's template is in a new repository: its dozen files would
// cost more than a commit.
func environ(home string) []string {
	return []string{
		"HOME=" + home, "XDG_CONFIG_HOME=" + home,
		"GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_CEILING_DIRECTORIES=" + os.TempDir(), "GIT_TEMPLATE_DIR=",
	}
}

// Program returns the path of git.
func Program(t testing.TB) string {
	t.Helper()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed")
	}
	return git
}

// Command returns git to be run in a directory.
func Command(t testing.TB, dir string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(Program(t), args...)
	cmd.Dir = dir
	// In a hook of git, its variables name the repository that is being worked on.
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "GIT_") })
	cmd.Env = append(cmd.Env, environ(os.DevNull)...)
	return cmd
}

// Run runs git in a directory and returns what it printed. The test ends if git fails.
func Run(t testing.TB, dir string, args ...string) string {
	t.Helper()
	out, err := Command(t, dir, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("git %q in %s: %v\n%s", args, dir, err, out)
	}
	return string(out)
}

// Write writes a file below a directory. The name has slashes.
func Write(t testing.TB, dir, name, text string) {
	t.Helper()
	name = filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Repository isolates the test and returns the directory of a new repository, without symbolic links,
// in which the files are committed as Init does it.
func Repository(t testing.TB, files map[string]string) string {
	t.Helper()
	Isolate(t)
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		Write(t, dir, name, text)
	}
	Init(t, dir)
	return dir
}

// Init makes a directory a repository on the branch main, with an author, and commits everything in
// it.
func Init(t testing.TB, dir string) {
	t.Helper()
	Run(t, dir, "init", "-q", "-b", "main")
	config, err := os.OpenFile(filepath.Join(dir, ".git", "config"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer config.Close()
	// Maintenance could outlive the test.
	if _, err := config.WriteString("[user]\n\tname = Ada\n\temail = ada@example.org\n[maintenance]\n\tauto = false\n"); err != nil {
		t.Fatal(err)
	}
	Run(t, dir, "add", "-A")
	Run(t, dir, "commit", "-q", "--allow-empty", "-m", "first")
}
