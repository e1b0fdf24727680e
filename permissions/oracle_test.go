package permissions

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/interp"
	"mvdan.cc/sh/v3/syntax"

	"parley/internal/must"
	"parley/internal/seeds"
)

// done is what an interpreter would have done with a line.
type done struct {
	words [][]string
	dirs  []string
	files []string // absolute, after each the letter r or w
}

// nothing is a file that is always empty and discards writes.
type nothing struct{}

func (nothing) Read([]byte) (int, error)    { return 0, io.EOF }
func (nothing) Write(p []byte) (int, error) { return len(p), nil }
func (nothing) Close() error                { return nil }

// builtins change nothing, so they are executed.
var builtins = []string{"true", "false", ":", "cd"}

// watch interprets a line without effects: it only records commands and files. With fails, commands end
// with an error, so that the other branches run.
func watch(line, dir string, fails bool) (done, error) {
	var mu sync.Mutex // both sides of a pipe and background jobs run concurrently
	var d done
	seen := func() done {
		mu.Lock()
		defer mu.Unlock()
		return done{words: slices.Clone(d.words), dirs: slices.Clone(d.dirs), files: slices.Clone(d.files)}
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(line), "")
	if err != nil {
		return d, err
	}
	note := func(hc interp.HandlerContext, args []string) {
		mu.Lock()
		defer mu.Unlock()
		d.words = append(d.words, slices.Clone(args))
		d.dirs = append(d.dirs, hc.Dir)
	}
	result := error(nil)
	if fails {
		result = interp.ExitStatus(1)
	}
	r, err := interp.New(
		interp.Dir(dir), interp.Env(expand.ListEnviron("HOME="+homeDir(), "x=/etc/x", "PATH=/nowhere")), interp.StdIO(nothing{}, io.Discard, io.Discard),
		interp.CallHandler(func(ctx context.Context, args []string) ([]string, error) {
			note(interp.HandlerCtx(ctx), args)
			if !slices.Contains(builtins, args[0]) {
				return []string{"nothing-to-run"}, nil
			}
			return args, nil
		}),
		interp.ExecHandlers(func(interp.ExecHandlerFunc) interp.ExecHandlerFunc {
			return func(context.Context, []string) error { return result }
		}),
		interp.OpenHandler(func(ctx context.Context, path string, flag int, _ os.FileMode) (io.ReadWriteCloser, error) {
			how := "r"
			if flag&(os.O_WRONLY|os.O_RDWR|os.O_CREATE|os.O_APPEND) != 0 {
				how = "w"
			}
			if !filepath.IsAbs(path) {
				path = filepath.Join(interp.HandlerCtx(ctx).Dir, path)
			}
			mu.Lock()
			defer mu.Unlock()
			d.files = append(d.files, path+how)
			return nothing{}, nil
		}),
		interp.ReadDirHandler2(func(_ context.Context, path string) ([]fs.DirEntry, error) { // for patterns
			if path = filepath.Clean(path); path != dir && !strings.HasPrefix(path, dir+"/") {
				return nil, fs.ErrNotExist
			}
			return os.ReadDir(path)
		}),
	)
	if err != nil {
		return d, err
	}
	ctx, stop := context.WithTimeout(context.Background(), time.Second)
	defer stop()
	err = r.Run(ctx, file)
	var status interp.ExitStatus
	if errors.As(err, &status) {
		err = nil
	}
	return seen(), err
}

// follows checks that if a line is allowed, everything it does is allowed, too.
func follows(t testing.TB, line, dir string, seed uint64) (allowed bool) {
	l := lines{rand.New(rand.NewPCG(seed, 3))}
	rules := l.someRules(1+l.IntN(6), Allow)
	rules = slices.DeleteFunc(rules, func(r Rule) bool { return r.Kind != "" })
	if len(rules) == 0 {
		return false
	}
	b := mustBook(t, rules)
	look := func(p string) FileFact {
		real, err := filepath.EvalSymlinks(p)
		if err != nil {
			real = filepath.Clean(p)
		}
		return FileFact{Path: real, Inside: real == dir || strings.HasPrefix(real, dir+"/"), Secret: filepath.Base(real) == ".env", Roots: []string{dir}}
	}
	f := Facts{Kind: "execute", Commands: []CommandFact{{Line: line, Dir: dir}}, Resolve: look, Walk: nothingBelow, ListDir: namesIn}
	if b.Judge(f).Effect != Allow {
		return false
	}
	for _, fails := range []bool{false, true} {
		d, err := watch(line, dir, fails)
		if errors.Is(err, context.DeadlineExceeded) {
			continue // while true
		}
		for i, words := range d.words {
			if words[0] == "cd" && len(words) == 2 {
				if to := look(filepath.Join(d.dirs[i], words[1])); to.Inside && !to.Secret {
					continue
				}
			}
			run := CommandFact{Words: words, Dir: d.dirs[i]}
			if slices.ContainsFunc(words[1:], operator) { // words with operators are asked, since an agent may join them
				run = CommandFact{Line: shellLine(t, words), Dir: d.dirs[i]}
			}
			if j := b.Judge(Facts{Kind: "execute", Commands: []CommandFact{run}, Resolve: look, Walk: nothingBelow}); j.Effect != Allow && !onlyAside(j) {
				t.Errorf("%q is allowed, and runs %q in %s, which is not; %+v", line, words, d.dirs[i], rules)
			}
		}
		for _, file := range d.files {
			path, write := file[:len(file)-1], file[len(file)-1] == 'w'
			if path == "/dev/null" {
				continue
			}
			fact := look(path)
			if fact.Write = write; !write && fact.Inside && !fact.Secret {
				continue
			}
			if b.Judge(Facts{Kind: "execute", Files: []FileFact{fact}}).Effect != Allow {
				t.Errorf("%q is allowed, and opens %s, which is not; %+v", line, file, rules)
			}
		}
	}
	return true
}

// onlyAside reports whether everything that is not allowed is a filter next to an allowed command.
func onlyAside(j Judgement) bool {
	return !slices.ContainsFunc(j.Verdicts, func(v Verdict) bool { return v.Effect != Allow && !v.filter })
}

// namesIn lists a directory.
func namesIn(dir string) (names []string, all bool) {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names, err == nil || !errors.Is(err, fs.ErrPermission)
}

// shellLine returns a command line of exactly these words.
func shellLine(t testing.TB, words []string) string {
	out := make([]string, len(words))
	for i, word := range words {
		var err error
		if out[i], err = syntax.Quote(word, syntax.LangBash); err != nil {
			t.Fatal(err)
		}
	}
	return strings.Join(out, " ")
}

// oracleDir creates a directory with the names that lines use.
func oracleDir(t testing.TB) string {
	dir := must.Get(filepath.EvalSymlinks(t.TempDir()))(t)
	must.Do(t, os.MkdirAll(filepath.Join(dir, "sub", "sub"), 0o755))
	return dir
}

func TestOracle(t *testing.T) {
	t.Parallel()
	dir, allowed := oracleDir(t), 0
	for seed := range uint64(seeds.Of(60_000)) {
		l := lines{rand.New(rand.NewPCG(seed, 4))}
		if follows(t, l.line(l.IntN(4)), dir, seed) {
			allowed++
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	if allowed < seeds.Of(1000) {
		t.Errorf("only %d lines were allowed: the test says little", allowed)
	}
	t.Logf("%d lines allowed", allowed)
}

func FuzzRules(f *testing.F) {
	for i, a := range attacks {
		f.Add(a.line, uint64(i))
	}
	f.Add("ls '&'", uint64(108))
	dir := oracleDir(f)
	f.Fuzz(func(t *testing.T, line string, seed uint64) { follows(t, line, dir, seed) })
}
