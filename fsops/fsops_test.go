package fsops

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"parley/internal/must"
)

// tree is a session "s" with one root, and a directory outside it.
type tree struct {
	*Service
	t       *testing.T
	root    string
	outside string
}

func newTree(t *testing.T, opts Options) tree {
	t.Helper()
	top := must.Get(filepath.EvalSymlinks(t.TempDir()))(t)
	tr := tree{Service: New(opts), t: t, root: filepath.Join(top, "root"), outside: filepath.Join(top, "outside")}
	for _, dir := range []string{tr.root, tr.outside} {
		must.Do(t, os.Mkdir(dir, 0o755))
	}
	must.Do(t, tr.OpenSession("s", []string{tr.root}))
	t.Cleanup(tr.Close)
	return tr
}

// in returns a path below the root; out one below the outside directory.
func (tr tree) in(name string) string  { return filepath.Join(tr.root, filepath.FromSlash(name)) }
func (tr tree) out(name string) string { return filepath.Join(tr.outside, filepath.FromSlash(name)) }

func (tr tree) put(path, content string) string {
	tr.t.Helper()
	must.Do(tr.t, os.MkdirAll(filepath.Dir(path), 0o755))
	must.Do(tr.t, os.WriteFile(path, []byte(content), 0o644))
	return path
}

func (tr tree) link(target, path string) string {
	tr.t.Helper()
	if err := os.Symlink(target, path); err != nil {
		if runtime.GOOS == "windows" {
			tr.t.Skip("no right to make symbolic links: ", err)
		}
		tr.t.Fatal(err)
	}
	return path
}

func (tr tree) wantFile(path, content string) {
	tr.t.Helper()
	got, err := os.ReadFile(path)
	if err != nil {
		tr.t.Error(err)
	} else if string(got) != content {
		tr.t.Errorf("%s holds %q, want %q", path, got, content)
	}
}

func (tr tree) wantAbsent(path string) {
	tr.t.Helper()
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		tr.t.Errorf("%s exists (%v)", path, err)
	}
}

// wantNoTemp checks that no temporary file was left in a directory.
func (tr tree) wantNoTemp(dir string) {
	tr.t.Helper()
	entries := must.Get(os.ReadDir(dir))(tr.t)
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".tmp") {
			tr.t.Errorf("%s was not removed", e.Name())
		}
	}
}

func wantErr(t *testing.T, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("error is %v, want %v", err, want)
	}
}

func lines(line, limit int) Window { return Window{Line: &line, Limit: &limit} }

func TestSessions(t *testing.T) {
	tr := newTree(t, Options{})
	file := tr.put(tr.in("a"), "x")

	_, err := tr.Read("other", file, Window{}, false)
	wantErr(t, err, ErrUnknownSession)
	wantErr(t, tr.OpenSession("s", []string{"relative"}), ErrRelative)
	wantErr(t, tr.OpenSession("s", []string{tr.in("missing")}), fs.ErrNotExist)
	if err := tr.OpenSession("s", []string{file}); err == nil {
		t.Error("a file was taken as a root")
	}
	if _, err := tr.Read("s", file, Window{}, false); err != nil {
		t.Errorf("a refused OpenSession changed the session: %v", err)
	}

	must.Do(t, tr.OpenSession("s", []string{tr.outside}))
	_, err = tr.Read("s", file, Window{}, false)
	wantErr(t, err, ErrOutsideRoot)

	must.Do(t, tr.OpenSession("s", nil))
	_, err = tr.Read("s", tr.out("a"), Window{}, false)
	wantErr(t, err, ErrOutsideRoot)

	tr.CloseSession("s")
	_, err = tr.Write("s", file, "y", false)
	wantErr(t, err, ErrUnknownSession)
	tr.wantFile(file, "x")
}

// The roots of a running operation stay open when the session is replaced.
func TestReplacedRootsStayOpen(t *testing.T) {
	tr := newTree(t, Options{})
	tr.put(tr.in("a"), "x")
	sess, release, err := tr.use("s")
	if err != nil {
		t.Fatal(err)
	}
	tr.CloseSession("s")
	if _, err := sess.roots[0].dir.Stat("a"); err != nil {
		t.Errorf("closed under a running operation: %v", err)
	}
	release()
	if _, err := sess.roots[0].dir.Stat("a"); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("still open after the last operation: %v", err)
	}
}

func TestSensitivePaths(t *testing.T) {
	for why, paths := range map[string][]string{
		"private key":                      {"/p/deploy/server.pem", "/p/id_ed25519", "/p/tls.KEY", "/p/app.keystore", "/etc/ssl/private/x"},
		"SSH keys and settings":            {"/home/u/.ssh/config", "/home/u/.SSH", "/p/authorized_keys", "/etc/ssh/sshd_config"},
		"keys and passwords":               {"/home/u/.gnupg/x", "/etc/shadow", "/etc/shadow-", "/Users/u/Library/Keychains/login.keychain-db"},
		"environment file":                 {"/p/.env", "/p/.ENV.local", "/p/.env.production.example.bak", "/p/.envrc"},
		"credentials":                      {"/home/u/.netrc", "/home/u/.config/gh/hosts.yml", "/home/u/.kube/config", "/home/u/.docker/config.json", "/p/infra/terraform.tfstate", "/p/terraform.tfstate.backup", "/p/x.tfstate.1700000000.backup", "/home/u/.terraformrc", "/home/u/.boto", "/home/u/.s3cfg", "/home/u/.rclone.conf", "/home/u/.aws/credentials", "/home/u/.config/gcloud"},
		"package registry settings":        {"/p/.npmrc", "/home/u/.pypirc", "/home/u/.cargo/credentials", "/home/u/.cargo/credentials.toml", "/p/.cargo/config.toml", "/home/u/.gem/credentials", "/home/u/.m2/settings.xml"},
		"wallet":                           {"/home/u/.bitcoin/wallet.dat"},
		"browser profile":                  {"/home/u/.mozilla/firefox/x.default/logins.json", "/home/u/.config/google-chrome/Default/Cookies", "/Users/u/Library/Application Support/Google/Chrome/Default/Login Data", "/x/cookies.sqlite", "/x/key4.db", "/x/Login Data"},
		"shell history":                    {"/home/u/.bash_history", "/home/u/.zsh_history", "/home/u/.python_history", "/home/u/.psql_history", "/home/u/.mysql_history", "/home/u/.node_repl_history", "/home/u/.local/share/fish/fish_history"},
		"shell start-up file":              {"/home/u/.bashrc", "/home/u/.zshenv", "/home/u/.config/fish/functions/x.fish", "/etc/profile", "/etc/profile.d/x.sh"},
		"runs at start-up":                 {"/etc/cron.d/x", "/etc/crontab", "/var/spool/cron/crontabs/u", "/home/u/.config/systemd/user/x.service", "/Users/u/Library/LaunchAgents/x.plist", "/etc/ld.so.preload"},
		"who may become root":              {"/etc/sudoers", "/etc/sudoers.d/x"},
		"git hook":                         {"/p/.git/hooks/pre-commit", "/p/.GIT/Hooks/pre-commit", "/p/.g\u200cit/hooks/x", "/p/.hu\u017fky/pre-push", "/p/git~1/hooks/x", "/p/.husky/pre-push", "/p/.pre-commit-config.yaml"},
		"git settings":                     {"/p/.git/config", "/p/.git/HEAD", "/p/.git./config", "/p/.git", "/home/u/.gitconfig", "/home/u/.config/git/config"},
		"runs commands in an editor":       {"/p/.vscode/tasks.json", "/p/.VSCode/settings.json", "/p/.zed/tasks.json", "/p/.devcontainer/devcontainer.json"},
		"runs in CI":                       {"/p/.github/workflows/x.yml", "/p/.gitlab-ci.yml", "/p/.circleci/config.yml", "/p/Jenkinsfile", "/p/.forgejo/workflows/x.yml"},
		"settings of parley":               {"/p/.parley/rules.toml", "/home/u/.config/parley/config.toml"},
		"settings of an agent":             {"/p/.claude/settings.json", "/p/.claude/settings.local.json", "/p/.claude/hooks/x.sh", "/home/u/.codex/config.toml", "/p/.gemini/settings.json", "/p/opencode.json", "/p/.qwen/settings.json", "/home/u/.config/goose/config.yaml", "/p/.cursor/hooks.json", "/p/.aider.conf.yml", "/p/.continue/config.yaml", "/p/crush.json", "/home/u/.kimi/config.toml", "/home/u/.config/amp/settings.json"},
		"credentials of an agent":          {"/home/u/.claude/.credentials.json", "/home/u/.codex/auth.json", "/home/u/.gemini/oauth_creds.json", "/home/u/.local/share/opencode/auth.json"},
		"MCP servers that an agent starts": {"/p/.mcp.json", "/p/.cursor/mcp.json", "/p/.vscode/mcp.json"},
		"inside of a process":              {"/proc/self/environ", "/proc/1/mem", "/proc/self/fd/3", "/proc/self/fd", "/proc/1/task/1/environ", "/proc/self/cwd/x"},
		"secrets of a container":           {"/run/secrets/db", "/var/run/secrets/kubernetes.io/serviceaccount/token"},
		"socket of a service":              {"/var/run/docker.sock", "/run/docker.sock", "/home/u/.docker/run/docker.sock", "/run/user/1000/bus", "/tmp/ssh-XXXX/agent.7"},
		"": {"/", "/p/main.go", "/p/package.json", "/p/Makefile", "/p/environment", "/p/env/x", "/p/.env.example", "/p/.env.sample", "/p/env.d.ts", "/p/.gitignore", "/p/.gitattributes",
			"/p/git/hooks/x", "/p/.github/ISSUE_TEMPLATE.md", "/p/.github/dependabot.yml", "/p/github/workflows/x.yml", "/p/workflows/x.yml", "/p/.claude/commands/x.md", "/p/CLAUDE.md", "/p/AGENTS.md",
			"/p/settings.json", "/p/locales/en/auth.json", "/p/src/config.toml", "/p/history", "/p/docker/config.json", "/p/docker-compose.yml", "/p/keys.go", "/p/monkey", "/p/pkg/kubeconfig/load.go",
			"/p/src/login-data/x.ts", "/p/main.tf", "/p/tfstate.go", "/p/.vscode/extensions.json", "/p/proc/1/environ", "/proc/cpuinfo", "/proc/self/status", "/p/run/secrets/x", "/run/user/1000/x", "/etc/hosts",
			"/p/ssh/config", "/p/cron.go", "/p/etc/crontab", "/p/bashrc", "/p/Cargo.toml", "/p/pom.xml", "/p/cookies/x"},
	} {
		for _, name := range paths {
			if got := secret(filepath.FromSlash(name)); got != why {
				t.Errorf("secret(%q) = %q, want %q", name, got, why)
			}
		}
	}
}

// Names are compared folded: a pattern in capitals, an invalid one or a duplicate would have no effect.
func TestSensitivePatterns(t *testing.T) {
	seen := map[string]bool{}
	for _, row := range sensitive {
		for p := range strings.FieldsSeq(row.patterns) {
			if _, err := path.Match(p, ""); err != nil || p != strings.ToLower(p) || path.Clean(p) != p || seen[p] {
				t.Errorf("%q of %q: %v", p, row.why, err)
			}
			seen[p] = true
		}
	}
}
