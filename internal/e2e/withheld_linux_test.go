package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"parley/internal/must"
	"parley/internal/sandbox"
)

// keptBack must not be found by any process that parley starts. notKept proves that the process
// could read the environment.
const (
	keptBack = "kept-back-value"
	notKept  = "READABLE=by-everything"
)

// pry writes the environments of all processes that it may read to a file, its parent's first.
const pry = `cat /proc/$PPID/environ /proc/[0-9]*/environ >"$1" 2>/dev/null; true`

const nobody = 65534

// flagAuth is the variable that --header-env X=FLAG_AUTH names.
const flagAuth = "FLAG_AUTH=" + keptBack

// secretive returns a directory to start parley in, whose configuration and environment name
// variables that only parley may use. If asNobody is set it belongs to the user nobody, who must
// not read what root may.
func secretive(t *testing.T, asNobody bool) (dir string, env []string) {
	t.Helper()
	dir = workDir(t)
	root := filepath.Dir(dir)
	write(t, filepath.Join(dir, "pry.sh"), pry+"\n")
	must.Do(t, os.Mkdir(filepath.Join(root, "home", ".config", "parley"), 0o755))
	write(t, filepath.Join(root, "home", ".config", "parley", "config.toml"), "[agents.far]\nurl = \"https://127.0.0.1\"\nheader_env = { Authorization = \"FAR_AUTH\" }\n")
	if asNobody {
		admit(t, root)
		filepath.WalkDir(root, func(path string, _ os.DirEntry, err error) error {
			if err == nil {
				err = os.Chown(path, nobody, nobody)
			}
			return err
		})
	}
	return dir, []string{"FAR_AUTH=" + keptBack, "PARLEY_OTHER=" + keptBack, notKept}
}

// admit makes a path below the directory for temporary files accessible to all users.
func admit(t *testing.T, path string) {
	t.Helper()
	for ; filepath.Dir(path) != path && path != filepath.Clean(os.TempDir()); path = filepath.Dir(path) {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o011 != 0o011 {
			if err == nil {
				err = os.Chmod(path, 0o755)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}

// started runs a command, optionally as the user nobody, and waits for its end.
func started(t *testing.T, cmd *exec.Cmd, env []string, asNobody bool) result {
	t.Helper()
	cmd.Env = append(cmd.Env, env...)
	drop(cmd, asNobody)
	return finished(t, cmd)
}

func drop(cmd *exec.Cmd, asNobody bool) {
	if asNobody {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}
}

// keeps checks what a process has found.
func keeps(t *testing.T, who, file string, readable bool) {
	t.Helper()
	seen := read(t, file)
	if strings.Contains(seen, keptBack) {
		t.Errorf("%s finds what parley keeps back", who)
	}
	if readable && strings.Count(seen, notKept) < 2 { // its own and parley's
		t.Errorf("%s reads no environment but its own", who)
	}
}

// Variables meant only for parley cannot be read from /proc either: not by an agent, not by its
// commands, and not from the environment of any parley or of a process that it has started. The cases are not
// parallel to each other: for a moment after its start, parley has them.
func TestWithheldVariables(t *testing.T) {
	t.Parallel()
	for name, asNobody := range map[string]bool{"as you": false, "as nobody": true} {
		t.Run(name, func(t *testing.T) {
			if asNobody && os.Geteuid() != 0 {
				t.Skip("only root can become another user")
			}
			if asNobody {
				admit(t, toolbox)
			}
			prying := func(dir, file string) []string {
				return []string{"--", "sh", "-c", pry + `; exec parley agent demo`, "sh", filepath.Join(dir, file)}
			}
			t.Run("run", func(t *testing.T) {
				dir, env := secretive(t, asNobody)
				r := started(t, command(dir, append([]string{"run", "--header-env", "X=FLAG_AUTH", "--approve-all", "run sh pry.sh command"}, prying(dir, "agent")...)...), append(env, flagAuth), asNobody)
				if r.code != 0 {
					t.Fatalf("got %+v", r)
				}
				keeps(t, "the agent", filepath.Join(dir, "agent"), true)
				keeps(t, "a command", filepath.Join(dir, "command"), true)
			})
			t.Run("sandbox", func(t *testing.T) {
				if err := sandbox.Check(); err != nil {
					t.Skip(err)
				}
				dir, env := secretive(t, asNobody)
				r := started(t, command(dir, append([]string{"run", "--sandbox", "--header-env", "X=FLAG_AUTH", "--approve-all", "run sh pry.sh command"}, prying(dir, "agent")...)...), append(env, flagAuth), asNobody)
				if r.code != 0 {
					t.Fatalf("got %+v", r)
				}
				keeps(t, "the agent", filepath.Join(dir, "agent"), false)
				keeps(t, "a command", filepath.Join(dir, "command"), false)
			})
			t.Run("serve", func(t *testing.T) {
				dir, env := secretive(t, asNobody)
				cmd := command(dir, append([]string{"serve", "--listen", "127.0.0.1:0", "--no-token"}, prying(dir, "agent")...)...)
				cmd.Env = append(cmd.Env, env...)
				drop(cmd, asNobody)
				s := startServer(t, cmd)
				if r := run(t, workDir(t), "", "run", "--agent", s.URL("ws"), "hello"); r.code != 0 {
					t.Fatalf("got %+v", r)
				}
				keeps(t, "the agent", filepath.Join(dir, "agent"), true)
			})
			t.Run("mcp", func(t *testing.T) {
				dir, env := secretive(t, asNobody)
				self := tooledAgent(t)
				if asNobody { // that user cannot access the test binary
					copied := filepath.Join(dir, "tooled")
					must.Do(t, os.WriteFile(copied, []byte(read(t, self[3])), 0o755))
					self[3] = copied
				}
				r := started(t, command(dir, append([]string{"run", "--offer-tools", "--approve-all", `run_command {"command":"sh pry.sh command"}`}, self...)...), env, asNobody)
				if r.code != 0 {
					t.Fatalf("got %+v", r)
				}
				keeps(t, "a command", filepath.Join(dir, "command"), true)
				if _, _, token := handedOver(t, dir); strings.Contains(read(t, filepath.Join(dir, "command")), token) {
					t.Error("a command finds the token of parley mcp")
				}
			})
		})
	}
	t.Run("screen", func(t *testing.T) {
		dir, env := secretive(t, false)
		s := startIn(t, 80, 24, dir, append(env, flagAuth), []string{parley, "demo", "--header-env", "X=FLAG_AUTH"})
		s.WaitFor("Ask the agent")
		s.Prompt("!sh pry.sh line; echo pried-$((1+1))")
		s.WaitFor("pried-2")
		keeps(t, "a line of your own", filepath.Join(dir, "line"), true)
	})
}
