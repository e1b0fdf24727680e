package terminal

import (
	"runtime"
	"testing"
)

// Two commands have the same form only if the same program gets the same words, in every shell.
func TestForm(t *testing.T) {
	line := func(s string) Command { return Command{Command: s} }
	words := func(w ...string) Command { return Command{Command: w[0], Args: w[1:]} }
	with := func(c Command, env ...EnvVar) Command { c.Env = env; return c }
	at := func(c Command, dir string) Command { c.Dir = dir; return c }
	a, b := EnvVar{"A", "1"}, EnvVar{"B", "2"}
	for _, tc := range []struct {
		one, other Command
		same       bool
	}{
		{line("go test ./..."), words("go", "test", "./..."), true},
		{line("  go\ttest  ./... "), words("go", "test", "./..."), true},
		{line("ls"), words("ls"), true},
		{words("a", "b"), words("a", "b"), true},
		{words("a", "b c"), words("a", "b", "c"), false},
		{words("a", "b"), words("a", "b", ""), false},
		{words("a b", "c"), words("a", "b c"), false},
		{line("go test | tee x"), line("go test | tee x"), true},
		{line("go test | tee x"), line("go test | tee  x"), false},

		// Special characters differ from the same characters in a word.
		{line("rm *"), words("rm", "*"), false},
		{line("rm a?"), words("rm", "a?"), false},
		{line("rm [ab]"), words("rm", "[ab]"), false},
		{line("rm {a,b}"), words("rm", "{a,b}"), false},
		{line("rm $HOME"), words("rm", "$HOME"), false},
		{line(`rm "$HOME"`), words("rm", "$HOME"), false},
		{line("rm `x`"), words("rm", "`x`"), false},
		{line("rm ~"), words("rm", "~"), false},
		{line("rm a=~/b"), words("rm", "a=~/b"), false},
		{line("rm =ls"), words("rm", "=ls"), false},
		{line(`rm ""=ls`), words("rm", "=ls"), false},
		{line("rm a;b"), words("rm", "a;b"), false},
		{line("rm a ; b"), words("rm", "a", ";", "b"), false},
		{line("rm a & b"), words("rm", "a", "&", "b"), false},
		{line("rm a > b"), words("rm", "a", ">", "b"), false},
		{line("rm a #b"), words("rm", "a", "#b"), false},
		{line("! rm a"), words("!", "rm", "a"), false},
		{line("rm !x"), words("rm", "!x"), false},
		{line("rm a\nb"), words("rm", "a", "b"), false},
		{line("rm a\nb"), words("rm", "a\nb"), false},
		{line("rm a\r"), words("rm", "a"), false},
		{line("rm a\u00a0b"), words("rm", "a\u00a0b"), false},
		{line("rm a\\"), words("rm", "a\\"), false},
		{line("rm 'a"), words("rm", "'a"), false},
		{line(`rm "a`), words("rm", `"a`), false},
		{line("rm a^b"), words("rm", "a^b"), false},
		{line(`rm $'a'`), words("rm", "a"), false},
		{line("eval 'rm a'"), words("eval", "rm a"), false},
		{line("exec rm"), words("exec", "rm"), false},
		{line("command rm"), words("command", "rm"), false},
		{line("time rm"), words("time", "rm"), false},

		// Variables and the directory.
		{with(line("go test"), a), words("go", "test"), false},
		{with(line("go test"), a), with(words("go", "test"), a), false}, // a shell gets it, too
		{with(words("go", "test"), a, b), with(words("go", "test"), b, a), true},
		{with(line("go test"), a, EnvVar{"A", "2"}), with(line("go test"), EnvVar{"A", "2"}, a), false},
		{line("A=1 go test"), with(words("go", "test"), a), runtime.GOOS != "windows"},
		{line("A=1 B=2 go test"), with(words("go", "test"), b, a), runtime.GOOS != "windows"},
		{line("A= go test"), with(words("go", "test"), EnvVar{"A", ""}), runtime.GOOS != "windows"},
		{line("BASH_ENV=x go test"), with(line("go test"), EnvVar{"BASH_ENV", "x"}), false},
		{line("A=1 go test"), words("A=1", "go", "test"), false},
		{line("go A=1"), with(words("go"), a), false},
		{line("go A=1"), words("go", "A=1"), true},
		{line("A=1 a && b"), with(line("a && b"), a), false},
		{line("A=$B go"), with(words("go"), EnvVar{"A", "$B"}), false},
		{line("A+=1 go"), with(words("go"), EnvVar{"A+", "1"}), false},
		{line("PATH=. go"), with(words("go"), EnvVar{"PATH", "."}), false},
		{line("A=1"), with(words("true"), a), false},
		{at(line("ls"), "/a"), at(line("ls"), "/b"), false},
		{at(line("ls"), "/a"), at(words("ls"), "/a"), true},

		// Quotes of a POSIX shell.
		{line("echo 'a b'"), words("echo", "a b"), runtime.GOOS != "windows"},
		{line(`echo "a b" c`), words("echo", "a b", "c"), runtime.GOOS != "windows"},
		{line(`echo 'it'\''s'`), words("echo", "it's"), runtime.GOOS != "windows"},
		{line(`echo 'a;b' "*" '$x' '~'`), words("echo", "a;b", "*", "$x", "~"), runtime.GOOS != "windows"},
		{line(`echo a'b'"c"d`), words("echo", "abcd"), runtime.GOOS != "windows"},
		{line(`echo "" ''`), words("echo", "", ""), runtime.GOOS != "windows"},
		{line(`'A=1' x`), words("A=1", "x"), runtime.GOOS != "windows"},
		{line(`A'=1' x`), words("A=1", "x"), runtime.GOOS != "windows"},
		{line(`'A'=1 x`), with(words("x"), a), false},
		{line(`"a\"b" x`), words(`a"b`, "x"), false},
		{line(`echo "a\b"`), words("echo", `a\b`), false},
		{line("echo 'a b'"), words("echo", "a", "b"), false},
		{line("echo 'a b'"), words("echo", "'a", "b'"), false},
		{line("echo %PATH%"), words("echo", "%PATH%"), runtime.GOOS != "windows"},
	} {
		if got := tc.one.Form() == tc.other.Form(); got != tc.same {
			t.Errorf("%+v and %+v: same %v", tc.one, tc.other, got)
		}
	}
}

// Words have the form of the line that is shown for them, or one that asks again; never that of another
// line.
func FuzzForm(f *testing.F) {
	f.Add("go test ./...", "go", "test", "./...")
	f.Add(`a 'b c' "d" e\'f`, "a", "b c", "de'f")
	f.Add("A=1 b c", "A=1", "b", "c")
	f.Fuzz(func(t *testing.T, line, name, first, second string) {
		words := Command{Command: name, Args: []string{first, second}}
		form := words.Form()
		if set, split, ok := split(line); ok && len(set) == 0 && (Command{Command: line}).Form() == form {
			if len(split) != 3 || split[0] != name || split[1] != first || split[2] != second {
				t.Errorf("%q is taken for %q", line, []string{name, first, second})
			}
		}
		if set, split, ok := split(WordsLine(words)); ok && (len(set) != 0 || len(split) != 3 || split[0] != name || split[1] != first || split[2] != second) {
			t.Errorf("%q is read as %q %q", WordsLine(words), set, split)
		}
	})
}
