//go:build unix

package permissions

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/internal/lazy"
	"parley/internal/must"
	"parley/internal/seeds"
)

// The environment of a recorder: the file it writes to, and its exit code.
const (
	recordTo  = "RECORD_TO"
	recordEnd = "RECORD_END"
	// recordMost bounds what endless loops write; no other line writes a thousand bytes.
	recordMost = 5_000
)

// record is a program that ran, as it saw itself.
type record struct {
	Words []string
	Dir   string
}

// TestMain makes the test binary a recorder if a shell starts it under another name: it records its
// words and directory and does nothing else. As cat without arguments it also copies its input.
func TestMain(m *testing.M) {
	to := os.Getenv(recordTo)
	if to == "" {
		os.Exit(m.Run())
	}
	dir, _ := os.Getwd()
	line, _ := json.Marshal(record{os.Args, dir})
	f, err := os.OpenFile(to, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		os.Exit(99)
	}
	f.Write(append(line, '\n')) // one write, since both sides of a pipe write
	if size, err := f.Seek(0, 2); err != nil || size > recordMost {
		syscall.Kill(0, syscall.SIGKILL) // the process group that the test created
	}
	if filepath.Base(os.Args[0]) == "cat" && len(os.Args) == 1 { // its text is a word of another command
		io.Copy(os.Stdout, os.Stdin)
	}
	if os.Getenv(recordEnd) == "1" {
		os.Exit(1)
	}
	os.Exit(0)
}

// shells are the shells to test. busybox is excluded: it prefers its own programs to those on PATH.
var shells = map[string][]string{
	"bash": {"bash", "--noprofile", "--norc", "-c"},
	"dash": {"dash", "-c"},
	"zsh":  {"zsh", "-f", "-c"},
}

// builtinsOfAny are commands that some shell runs itself, so that no recorder sees them.
var builtinsOfAny = strings.Fields(`: . [ alias bg break builtin cd command continue echo eval exec exit export false fc fg getopts hash jobs kill let local printf pwd read
	return set shift test time times trap true type ulimit umask unset wait which`)

// playground is a directory in which shells run lines as user nobody, with recorders instead of
// programs, and next to files that must not change.
type playground struct {
	base, work, bin, log string
	credential           *syscall.Credential
	shells               map[string][]string // with the full path of each
	watched              []string
	made                 map[string]bool // recorders
}

// newPlayground creates a playground, or skips the test with the reason.
func newPlayground(t *testing.T) *playground {
	t.Helper()
	base, err := os.MkdirTemp("", "shells")
	if err == nil {
		base, err = filepath.EvalSymlinks(base)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(base) })
	p := &playground{base: base, work: filepath.Join(base, "w"), bin: filepath.Join(base, "bin"), log: filepath.Join(base, "log"), shells: map[string][]string{}, made: map[string]bool{}}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	for path, content := range map[string]string{
		"log": "", "recorder": string(program), "w/.env": "SECRET=1", "w/.git/config": "[core]", "w/.git/HEAD": "ref: x", "w/src/a.go": "package a", "w/src/very/deep/x": "", "w/sub/sub/x": "",
		"w/conf/.env": "SECRET=2", "w/docs/x": "", "w/x": "text", "w/a": "text", "w/b": "text", "w/y": "text", "w/README.md": "text", "w/go.mod": "module x",
		"w/conf/a.yaml": "", "w/odd/-l.go": "", "w/odd/--output=x.md": "", "w/odd/x.go": "",
		"outside/secret": "mine", "outside/etc/passwd": "x", "home/.bashrc": "echo no", "home/.zshenv": "echo no", "home/.profile": "echo no", "home/.ssh/id": "key", "home/x": "mine",
	} {
		path = filepath.Join(base, path)
		must.Do(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(content), 0o644)))
	}
	for from, to := range map[string]string{"to-env": ".env", "to-src": "src", "to-etc": "../outside/etc", "to-out.txt": "../outside/secret", "to-deep": "src/very/deep"} {
		must.Do(t, os.Symlink(to, filepath.Join(p.work, from)))
	}
	must.Do(t, errors.Join(os.Chmod(base, 0o755), os.Chmod(filepath.Join(base, "recorder"), 0o555), os.Mkdir(p.bin, 0o755)))
	if os.Getuid() == 0 {
		p.credential = &syscall.Credential{Uid: 65534, Gid: 65534}
		for _, dir := range []string{"w", "outside", "home", "log"} { // writable, so that a violation shows
			err := filepath.WalkDir(filepath.Join(base, dir), func(path string, _ fs.DirEntry, err error) error {
				return errors.Join(err, os.Lchown(path, 65534, 65534))
			})
			if err != nil {
				t.Skipf("the tests run as root, and nobody can be given its own directory: %v", err)
			}
		}
	}
	for name, words := range shells {
		if full, err := exec.LookPath(words[0]); err == nil {
			p.shells[name] = append([]string{full}, words[1:]...)
		}
	}
	for _, name := range []string{".env", ".git", "conf/.env", "to-env", "to-src", "to-etc", "to-out.txt", "to-deep", "../outside", "../home"} {
		p.watched = append(p.watched, filepath.Join(p.work, name))
	}
	// A simple line shows whether all this works here.
	p.recorder(t, "ls")
	for name := range p.shells {
		got, err := p.run(t, name, "ls x", "0")
		if err != nil || len(got) != 1 || !slices.Equal(got[0].Words, []string{"ls", "x"}) {
			t.Logf("%s is left out: it ran %v, %v", name, got, err)
			delete(p.shells, name)
		}
	}
	if len(p.shells) == 0 {
		t.Skip("there is no shell that runs a line here without the rights of root")
	}
	return p
}

// recorder installs a recorder as a program.
func (p *playground) recorder(t *testing.T, name string) {
	at := filepath.Join(p.bin, name)
	if strings.Contains(name, "/") {
		at = filepath.Join(p.work, name)
	}
	if _, err := os.Lstat(at); err == nil || p.made[at] || name == "." || name == ".." || name == "" || len(name) > 100 {
		return
	}
	p.made[at] = true
	if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o755), os.Link(filepath.Join(p.base, "recorder"), at)); err != nil {
		t.Fatalf("a recorder for %q: %v", name, err)
	}
}

// run makes a shell run a line, and returns what ran.
func (p *playground) run(t *testing.T, shell, line, end string) ([]record, error) {
	t.Helper()
	must.Do(t, os.Truncate(p.log, 0))
	ctx, stop := context.WithTimeout(context.Background(), 5*time.Second)
	defer stop()
	words := append(slices.Clip(p.shells[shell]), line)
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Dir = p.work
	cmd.Env = []string{"PATH=" + p.bin, "HOME=" + filepath.Join(p.base, "home"), "PWD=" + p.work, recordTo + "=" + p.log, recordEnd + "=" + end}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Credential: p.credential}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out // inherited by everything the line starts, so Wait waits for it
	err := cmd.Run()
	if cmd.Process != nil {
		syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	}
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && ctx.Err() == nil {
		err = nil // the exit code of the line itself
	}
	text, readErr := os.ReadFile(p.log)
	if readErr != nil {
		t.Fatal(readErr)
	}
	var all []record
	for line := range bytes.Lines(text) {
		var r record
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatalf("%q: got %v", line, err)
		}
		all = append(all, r)
	}
	return all, err
}

// state summarises what must not change.
func (p *playground) state(t *testing.T) uint64 {
	t.Helper()
	sum := fnv.New64()
	for _, name := range p.watched {
		err := filepath.WalkDir(name, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			text := ""
			if info.Mode().IsRegular() {
				all, err := os.ReadFile(path)
				if err != nil {
					return err
				}
				text = string(all)
			} else if d.Type() == fs.ModeSymlink {
				text, _ = os.Readlink(path)
			}
			fmt.Fprintln(sum, path, info.Mode(), info.ModTime().UnixNano(), text)
			return nil
		})
		fmt.Fprintln(sum, name, err)
	}
	return sum.Sum64()
}

// facts are those of a session whose only directory is the playground, in which everything that lines
// name exists.
func (p *playground) facts(line string) Facts {
	look := func(path string) FileFact {
		asked := filepath.Clean(path)
		real, err := filepath.EvalSymlinks(asked)
		if err != nil {
			real = asked
			if dir, err := filepath.EvalSymlinks(filepath.Dir(asked)); err == nil {
				real = filepath.Join(dir, filepath.Base(asked))
			}
		}
		return FileFact{Path: real, RequestedPath: asked, Exists: filepath.Base(real) != "HEAD", Inside: real == p.work || strings.HasPrefix(real, p.work+"/"),
			Secret: filepath.Base(real) == ".env", Roots: []string{p.work}}
	}
	return Facts{Agent: "a", Kind: "execute", Commands: []CommandFact{{Line: line, Dir: p.work}}, Resolve: look, Walk: nothingBelow, ListDir: namesIn}
}

// play runs an allowed line in each shell. It reports whether the line was allowed and ran.
func (p *playground) play(t *testing.T, where, line string, b *Rulebook) bool {
	t.Helper()
	j := b.Judge(p.facts(line))
	if j.Effect != Allow || slices.ContainsFunc(b.rules, func(r Rule) bool { return strings.HasPrefix(r.Path, "/") || strings.HasPrefix(r.Path, "~") }) {
		return false
	}
	named := map[string]bool{}
	for _, v := range j.Verdicts {
		if v.demand.kind != wantsRun || v.demand.words == nil {
			continue
		}
		if v.Effect != Allow {
			t.Errorf("%s: %q is allowed, and %q of it is not", where, line, v.demand.words)
		}
		name := v.demand.words[0]
		if filepath.IsAbs(name) {
			return false // it would run the real program
		}
		p.recorder(t, name)
		named[strings.Join(v.demand.words, "\x00")] = true
		if slices.Contains([]string{"command", "exec"}, name) { // which shells run themselves
			rest := slices.DeleteFunc(slices.Clone(v.demand.words[1:]), func(w string) bool { return w == "-p" })
			named[strings.Join(rest, "\x00")] = true
			p.recorder(t, rest[0])
		}
		named["time\x00"+strings.Join(v.demand.words, "\x00")] = true // dash knows no such word
		for _, w := range v.demand.words {                            // which a shell may run as a program
			if !strings.Contains(w, "/") {
				p.recorder(t, w)
			}
		}
	}
	for w := range strings.FieldsSeq(line) {
		if !strings.Contains(w, "/") {
			p.recorder(t, w)
		}
	}
	before := p.state(t)
	for _, end := range []string{"0", "1"} {
		if end == "1" && len(named) == 1 && !strings.ContainsAny(line, "|&!") {
			continue // there are no branches
		}
		var first, firstName string
		for _, shell := range sortedKeys(p.shells) {
			all, err := p.run(t, shell, line, end)
			if err != nil && !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, exec.ErrWaitDelay) {
				continue // a loop that was stopped
			}
			var seen []string
			for _, r := range all {
				if !named[strings.Join(r.Words, "\x00")] && !p.homely(named, r.Words) {
					t.Errorf("%s: %s runs %q for %q, which is no part of it that was judged", where, shell, r.Words, line)
				}
				if rel, err := filepath.Rel(p.work, r.Dir); err != nil || strings.HasPrefix(rel, "..") {
					t.Errorf("%s: %s runs %q of %q in %s", where, shell, r.Words, line, r.Dir)
				}
				if !slices.Contains(builtinsOfAny, r.Words[0]) {
					seen = append(seen, fmt.Sprintf("%q in %s", r.Words, r.Dir))
				}
			}
			slices.Sort(seen)
			got := strings.Join(seen, "\n")
			if first == "" { // nothing runs if a shell rejects the line
				first, firstName = got, shell
			} else if got != first && got != "" && !ofBash().MatchString(line) {
				t.Errorf("%s: for %q, %s runs\n%s\nand %s\n%s", where, line, firstName, first, shell, got)
			}
			if p.state(t) != before {
				t.Fatalf("%s: %s has changed something that %q may not", where, shell, line)
			}
		}
	}
	return true
}

// homely reports whether the words were judged, up to the expansion of ~.
func (p *playground) homely(named map[string]bool, words []string) bool {
	words = slices.Clone(words)
	for i, w := range words {
		if rest, ok := strings.CutPrefix(w, filepath.Join(p.base, "home")); ok {
			words[i] = "~" + rest
		}
	}
	return named[strings.Join(words, "\x00")]
}

// ofBash matches lines that dash reads differently, and endless loops.
var ofBash = lazy.Regexp(`[<>|]&[^0-9-]|&>|<<<|while|until|time`)

func sortedKeys(m map[string][]string) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// TestShells lets real shells run each allowed line of the corpus, and random allowed lines: they run
// only what was judged, and agree about it.
func TestShells(t *testing.T) {
	if seeds.Raced {
		t.Skip("the programs of the shells are this one, which takes long to begin under the race detector; nothing here runs at once")
	}
	t.Run("corpus", func(t *testing.T) {
		t.Parallel()
		p := newPlayground(t)
		ran := 0
		for i, c := range corpus(t) {
			if c.want != Allow || !seeds.All() && i%10 != 0 {
				continue
			}
			rules := must.Get(corpusRules(c.rules))(t)
			if p.play(t, c.where, c.line, mustBook(t, rules)) {
				ran++
			}
		}
		p.enough(t, ran)
	})
	const parts = 2
	for part := range uint64(parts) {
		t.Run(fmt.Sprintf("random lines, part %d of %d", part+1, parts), func(t *testing.T) {
			t.Parallel()
			p := newPlayground(t)
			ran := 0
			for seed := part; seed < uint64(seeds.Of(20_000)); seed += parts {
				l := lines{rand.New(rand.NewPCG(seed, 5))}
				line := l.line(l.IntN(4))
				rules := slices.DeleteFunc(l.someRules(1+l.IntN(6), Allow), func(r Rule) bool { return r.Kind != "" })
				if len(rules) == 0 || strings.Contains(line, "/etc/") && strings.Contains(line, ">") {
					continue
				}
				if p.play(t, fmt.Sprintf("seed %d", seed), line, mustBook(t, rules)) {
					ran++
				}
			}
			p.enough(t, ran)
		})
	}
}

// enough checks that enough lines ran for the test to be meaningful.
func (p *playground) enough(t *testing.T, ran int) {
	t.Helper()
	t.Logf("%d lines, in %v", ran, sortedKeys(p.shells))
	if ran < 10 {
		t.Error("the test says little")
	}
}
