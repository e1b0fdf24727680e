package permissions

import (
	"context"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/internal/must"
	"parley/internal/seeds"
)

// canary is a home directory with a project and with files that rules deny. It notices whoever opens,
// changes, moves or removes one of them.
type canary struct {
	home, work string
	denied     []string
	watch      int
	rules      *Rulebook
}

const canaryText = "CANARY\n"

func newCanary(t *testing.T) *canary {
	home := must.Get(filepath.EvalSymlinks(t.TempDir()))(t)
	t.Setenv("HOME", home)
	c := &canary{home: home, work: filepath.Join(home, "w"), denied: []string{filepath.Join(home, ".ssh", "id_rsa"), filepath.Join(home, "w", "secrets", "key")}}
	c.rules = mustBook(t, []Rule{{Effect: Deny, Path: "~/.ssh"}, {Effect: Deny, Path: "secrets/**"}})
	return c
}

// restore puts every file back and watches the denied ones.
func (c *canary) restore(t *testing.T) {
	entries := must.Get(os.ReadDir(c.home))(t)
	for _, e := range entries {
		must.Do(t, os.RemoveAll(filepath.Join(c.home, e.Name())))
	}
	for _, dir := range []string{filepath.Join(c.home, ".ssh"), filepath.Join(c.work, "secrets"), filepath.Join(c.work, "sub")} {
		must.Do(t, os.MkdirAll(dir, 0o755))
	}
	for _, name := range append(slices.Clone(c.denied), filepath.Join(c.work, "a.txt"), filepath.Join(c.work, "sub", "b.txt")) {
		must.Do(t, os.WriteFile(name, []byte(canaryText), 0o600))
	}
	must.Do(t, os.Symlink(filepath.Join(c.home, ".ssh"), filepath.Join(c.work, "keys")))
	c.watch = must.Get(syscall.InotifyInit1(syscall.IN_NONBLOCK | syscall.IN_CLOEXEC))(t)
	for _, name := range c.denied {
		must.Get(syscall.InotifyAddWatch(c.watch, name, syscall.IN_OPEN|syscall.IN_MODIFY|syscall.IN_ATTRIB|syscall.IN_MOVE_SELF|syscall.IN_DELETE_SELF))(t)
	}
}

// touched reports whether a denied file was opened, changed, moved or removed, and ends the watch.
func (c *canary) touched() bool {
	n, _ := syscall.Read(c.watch, make([]byte, 4096))
	_ = syscall.Close(c.watch)
	return n > 0
}

func (c *canary) facts(line string) Facts {
	look := func(path string) FileFact {
		f := FileFact{RequestedPath: filepath.Clean(path), Roots: []string{c.work}}
		real, rest := path, "" // not cleaned: .. after a link leads elsewhere
		for {
			to, err := filepath.EvalSymlinks(real)
			if err == nil {
				f.Path, f.Exists = filepath.Join(to, rest), rest == ""
				break
			}
			if real == "/" || real == "." {
				f.Path = filepath.Clean(path)
				break
			}
			rest = filepath.Join(filepath.Base(real), rest)
			real = filepath.Dir(real)
		}
		f.Inside = f.Path == c.work || strings.HasPrefix(f.Path, c.work+"/")
		return f
	}
	return Facts{Kind: "execute", Commands: []CommandFact{{Line: line, Dir: c.work}}, Resolve: look, ListDir: namesIn,
		Walk: func(dir string, _ bool, visit func(FileFact) bool) bool {
			return filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
				if err == nil && path != dir && !visit(look(path)) {
					return filepath.SkipAll
				}
				return nil
			}) == nil
		}}
}

// approved reports whether --approve-all lets a line run.
func (c *canary) approved(line string) bool {
	b := NewBroker(func(Event) {}, ApproveAll("--approve-all"))
	b.SetRules("s", c.rules)
	p := b.Ask(Question{Session: "s", Kind: "execute", Facts: c.facts(line), Options: []Option{{ID: "y", Kind: AllowOnce}, {ID: "n", Kind: RejectOnce}}})
	return p.Wait(context.Background()).OptionID == "y"
}

// run runs a line as parley does and reports whether it touched a denied file.
func (c *canary) run(t *testing.T, shell, line string) bool {
	c.restore(t)
	ctx, stop := context.WithTimeout(t.Context(), 5*time.Second)
	defer stop()
	cmd := exec.CommandContext(ctx, shell, "-c", line)
	cmd.Dir, cmd.Env = c.work, []string{"HOME=" + c.home, "PATH=/usr/bin:/bin", "TMPDIR=" + c.home, "PWD=" + c.work}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	_ = cmd.Run() // most lines fail: what they touched counts
	return c.touched()
}

// A file below a directory that a rule denies stays unread under --approve-all, however a line gets
// there.
func TestDeniedFilesStayUnread(t *testing.T) {
	c := newCanary(t)
	c.restore(t)
	defer c.touched()
	for _, line := range []string{
		"cd ~ && cat .ssh/id_rsa", "cd && cat .ssh/id_rsa", "cd -- && cat .ssh/id_rsa", "cd -- ~ && cat .ssh/id_rsa", "(cd ~; cat .ssh/id_rsa)", "{ cd; cat .ssh/id_rsa; }",
		"if cd ~; then cat .ssh/id_rsa; fi", "while cd ~; do cat .ssh/id_rsa; break; done", "env -C ~ cat .ssh/id_rsa", "bash -c 'cd ~ && cat .ssh/id_rsa'", "cd; cd .ssh; cat id_rsa",
		"cd ~ && cd .ssh && cat id_rsa", "cd ~; cat < .ssh/id_rsa", "cd ~ && echo x > .ssh/id_rsa", "cd && grep -r CANARY .", "cd && grep -r CANARY", "cd ~ && tar c . | wc -c",
		"cd && cp -r .ssh w/out", "cd .. && cat .ssh/id_rsa", "cd ..; tar cf - .ssh | wc", `cd "$HOME" && cat .ssh/id_rsa`, "cd $HOME; cat .ssh/id_rsa", "pushd ~ && cat .ssh/id_rsa",
		"cd keys && cat id_rsa", "cd -P ~ && cat .ssh/id_rsa", "command cd ~ && cat .ssh/id_rsa", "builtin cd; cat .ssh/id_rsa", "eval cd; cat .ssh/id_rsa", "CDPATH=~ cd .ssh && cat id_rsa",
		"cd sub/../.. && cat .ssh/id_rsa", "cd $(echo ~) && cat .ssh/id_rsa", "x=~; cd $x; cat .ssh/id_rsa", "cd ~ & wait; cat ~/.ssh/id_rsa", "for i in 1; do cd; done; cat .ssh/id_rsa",
		"cd / && cat ${OLDPWD%/w}/.ssh/id_rsa", "cd secrets && cat key", "cd sub; cd ../secrets; cat key", "f() { cd; }; f; cat .ssh/id_rsa", "find ~ -type f | xargs cat", "find . -type f -exec cat {} +",
		"cat keys/id_rsa", "cat s*/key", "cat [s]ecrets/key", "cat secrets/{key,x}", "ln -s ~/.ssh l; cat l/id_rsa", "ln -s .. l && cat l/.ssh/id_rsa", "tar c secrets | wc", "grep -r CANARY", "ls; cd ..; grep -r CANARY .ssh",
		"xargs cat <<< secrets/key", "while read f; do cat $f; done <<< secrets/key", "make -f - <<< $'x:\\n\\tcat secrets/key'", "ed -s <<< 'e secrets/key'", "ed -s a.txt <<< $'r secrets/key\\nq'",
		"BASH_ENV=<(echo 'cat secrets/key') bash -c :", "ENV=<(echo 'cat secrets/key') sh -i </dev/null", "read x < secrets/key", "(cd; tar c .) | wc", "env --chdir=.. cat .ssh/id_rsa", "env -C .. -C .ssh cat id_rsa",
		"cd ~ && { cat < .ssh/id_rsa; }", "cd ~ || true; cat .ssh/id_rsa", "! cd ~; cat .ssh/id_rsa", "cd ~ && (cat .ssh/id_rsa)", "time cd ~; cat .ssh/id_rsa", "cd ~ >/dev/null; cat .ssh/id_rsa",
		"sh -c 'cd; cat .ssh/id_rsa'", "env sh -c 'cd; cat .ssh/id_rsa'", "cd ~ && sh -c 'cat .ssh/id_rsa'", "cd ~ && find . -name id_rsa -exec cat {} +", "cd ~ && cat .s*/id_rsa", "cd; head -c1 .ssh/*",
		"tar c -C ~ .ssh | wc", "tar -C .. -cf - . | wc", "git -C ~ hash-object .ssh/id_rsa", "git hash-object ../.ssh/id_rsa", "make -C .. -f .ssh/id_rsa", "cd \\\n~ && cat .ssh/id_rsa", "cd '' ; cat secrets/key",
		"cd ~/w/.. && cat .ssh/id_rsa", "cd ~+/.. && cat .ssh/id_rsa", "cd ~- ; cat ../.ssh/id_rsa", "cd ..//; mv .ssh/id_rsa x", "cd ~ && rm -r .ssh", "cd ~ && mv .ssh x", "cd .. && ln .ssh/id_rsa x && cat x",
		"zip o.zip -@ <<< secrets/key", "ctags -L - <<< secrets/key", "gcc -E - <<< '#include \"secrets/key\"'", "curl file://localhost/proc/self/cwd/secrets/key", "python3 -m tarfile -c o.tar .", "python3 x.py .",
	} {
		if c.approved(line) {
			t.Errorf("%q would run; it touches a denied file: %v", line, c.run(t, "bash", line))
		}
	}
	for _, line := range []string{"cd sub && cat b.txt", "cd sub; cat b.txt", "cd ~ && cat w/a.txt", "cat a.txt", "grep -r x sub", "cd && ls", "(cd sub; cat b.txt)", "env -C sub cat b.txt", "cat < a.txt", "bash -c 'cd sub && cat b.txt'"} {
		if !c.approved(line) {
			t.Errorf("%q is rejected: %s", line, reasons(c.rules.Judge(c.facts(line))))
		}
	}
}

// places generates lines that go somewhere and touch something there.
type places struct{ lines }

// plainly says whether to write what parley is able to resolve, so that many lines run.
func (l places) plainly() bool { return l.IntN(8) > 0 }

func (l places) dir() string {
	if l.plainly() {
		return l.one("~", "", "~/", "~/.", "..", "../", "../.", "~/w/..", "sub", "sub", "sub", "sub/..", "sub/../..", "secrets", ".", "./sub", "~/w", "~/w/sub", "..//w/../.ssh", "'..'", "-- ~", "-P ..", "-L ~", "-- sub", "other", "~/other")
	}
	return l.one(`"$HOME"`, "$HOME", "~/.ssh", "-", "keys", "keys/..", "./secrets", "${HOME}", "$(echo ~)", "../.ssh", "$OLDPWD", "~+", `"../.ssh"`, "~/w/keys", "+1", "sub/$x")
}

func (l places) file() string {
	if l.plainly() {
		return l.one("a.txt", "sub/b.txt", "b.txt", "./b.txt", "../a.txt", "w/a.txt", "../w/a.txt", "../../a.txt", ".", "sub", "*.txt", "*", "sub/*", "../sub", "~/w/a.txt", "w", "out", "../out", "id_rsa", "key", "../key", ".ssh/id_rsa")
	}
	return l.one(".ssh/id_rsa", "./.ssh/id_rsa", ".ssh/*", ".ss?/id*", "id_rsa", "./id_rsa", "i*", "../.ssh/id_rsa", "~/.ssh/id_rsa", "keys/id_rsa", "secrets/key", "s*/key", "key", "../secrets/key", "$HOME/.ssh/id_rsa", "w/secrets/key", "sub/../secrets/key", "keys/../.ssh/id_rsa", `"secrets"/key`, "secrets/{key,x}", "[s]ecrets/key", "~/w/secrets/key", ".ssh", "secrets", ".*", "$f", `"$f"`)
}

func (l places) use() string {
	var use string
	if l.plainly() {
		use = l.one("cat F", "cat F F", "cat < F", "cat <F >/dev/null", "cp F out", "cp -r F out", "grep -r CANARY F", "grep -r CANARY", "grep CANARY F", "head -1 F", "echo x > F", "echo x >> F", "touch F", "rm -f F", "rm -rf F", "mv F out", "mv F ..", "dd if=F of=out", "sed -n p F", "sed -i s/x/y/ F", "sort F", "sort -o F a.txt", "base64 F",
			"find . -name id_rsa -exec cat {} +", "diff F F", "tee F </dev/null", "ln F out; cat out", "ln -s F out; cat out", "ls -R F", "git hash-object F", "cat F | wc", "(cat F)", "{ cat F; }", "env cat F", "timeout 1 cat F", "sh -c 'cat F'", "bash -c \"cat F\"", "cat -- F", "chmod 600 F", "cmp F a.txt", "od F", "for f in F F; do cat \"$f\"; done", "mkdir -p other; cd other; cat F", "install F out", "tar cf o.tar F", "tar c F | wc")
	} else {
		use = l.one("<F cat", "grep -r CANARY .", "tar c . | wc -c", "dd of=F if=/dev/null", "awk 1 F", "while read l; do echo $l; done < F", "cat $(echo F)", "xargs cat <<< F", "echo F | xargs cat", "find . -type f | xargs cat", "find . -name key -delete", "read x < F", "mapfile x < F", "source F", ". F", "python3 -c \"open('secrets/key').read()\"",
			"ln -s .. out; cat out/.ssh/id_rsa", "git diff --no-index F /dev/null", "bash F", `cat <<< "$(<F)"`, "exec 3<F; cat <&3", "for f in F; do cat $f; done", "truncate -s 0 F", "ed -s F <<< ,p", "ed -s a.txt <<< 'r F'", "make -f - <<< $'x:\\n\\tcat F'", "make -f F", "xargs -a F echo", "f=F; cat $f", "f=F cat a.txt", "file F", "split F out", "mv ../sub ../../sub; cat ../w/F")
	}
	for strings.Contains(use, "F") {
		use = strings.Replace(use, "F", strings.ReplaceAll(l.file(), "F", ""), 1)
	}
	return use
}

func (l places) line() string {
	d, use := l.dir(), l.use()
	if l.IntN(4) == 0 {
		use = l.line()
	}
	form := "cd D && X"
	if l.plainly() {
		form = l.one("X", "cd D && X", "cd D; X", "(cd D; X)", "(cd D && X)", "{ cd D; X; }", "if cd D; then X; fi", "while cd D; do X; break; done", "cd D || true; X", "env -C D sh -c 'X'", "bash -c 'cd D && X'", "sh -c 'cd D; X'", "pushd D; X", "time cd D; X", "! cd D; X", "cd D & wait; X", "for i in 1; do cd D; done; X", "for i in 1 2; do X; cd D; done",
			"cd sub && cd D && X", "cd sub; cd D; X", "echo | (cd D; X)", "X || cd D && X", "cd D\nX", "cd D 2>/dev/null; X", "cd D >/dev/null && X", "cd D && { X; }", "cd D && bash -c 'X'", "cd D; sh -c 'X'", "test -d D && cd D && X", "true && cd D; X", "false || cd D; X", "pushd D && X; popd; X")
	} else {
		form = l.one("command cd D && X", "builtin cd D; X", "eval cd D; X", "CDPATH=~ cd D; X", "f() { cd D; }; f; X", "x=D; cd $x; X", "git -C D status; X", "tar -C D -cf - . | wc; X", "exec 2>/dev/null; cd D; X")
	}
	return strings.NewReplacer("D", d, "X", use).Replace(form)
}

// TestCanary runs what --approve-all lets run. Nothing of it may touch a denied file.
func TestCanary(t *testing.T) {
	c := newCanary(t)
	ran, rejected := 0, 0
	end := time.Now().Add(4 * time.Minute)
	c.restore(t)
	c.touched()
	for seed := range uint64(seeds.Of(2000)) {
		l := places{lines{rand.New(rand.NewPCG(seed, 5))}}
		line := l.line()
		if !c.approved(line) {
			rejected++
			continue
		}
		if ran++; time.Now().After(end) {
			t.Fatalf("out of time after %d lines", seed)
		}
		for _, shell := range []string{"bash", "sh"} {
			if c.run(t, shell, line) {
				t.Errorf("seed %d: %s: %q touched a denied file: %+v", seed, shell, line, c.rules.Judge(c.facts(line)))
			}
		}
		c.restore(t)
		c.touched()
	}
	if t.Logf("%d ran, %d were rejected", ran, rejected); ran < seeds.Of(400) {
		t.Error("too few lines ran: the test says little")
	}
}
