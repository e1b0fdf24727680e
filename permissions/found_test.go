package permissions

import "testing"

// Lines that are asked without need, if they are.
func TestNeedlessQuestions(t *testing.T) {
	b := rulebook(t, allowing("npm run test *", "npm test *", "npm run build *", "find *", "grep *", "cat *", "jq *", "echo *", "rm x", "git add *"))
	for line, want := range map[string]Effect{
		"npm run test -- --watch=false": Allow, "npm test -- --run x": Allow, "npm test -- --coverage --reporter=dot src": Allow, "npm run build -- --watch=false": None, "npm test -- --config=x": None, "npm test -- -u": None,
		"find . -name '*.go' -exec grep -l x {} +": Allow, "find src -type f -exec grep -n x {} \\;": Allow, "find . -exec cat {} ';'": Allow, "find . -name x | xargs grep -l x": Allow, "find . -print0 | xargs -0 grep x": Allow, "find . -print0 | xargs -0 -r -n 1 grep x": Allow,
		"find . -exec rm {} +": None, "find . -exec grep x {} + -delete": None, "find / -exec cat {} +": None, "find . -exec cat {} + -exec rm {} +": None, "find . -exec sh -c 'cat {}' \\;": None, "find . -exec grep -f {} x \\;": None, "find . -exec {} \\;": None, "find -L . -exec cat {} +": None,
		"find . -printf /etc/passwd | xargs cat": None, "find . -print0 | xargs cat": None, "find . | xargs -0 cat": None, "find . | xargs -I x cat x": None, "find . | xargs -a y cat": None, "find . | xargs rm": None, "find . | xargs cat /etc/passwd": None, "cat x | xargs cat": None, "find . | cat | xargs cat": None,
		"ln -s /etc l; find . -exec cat {} +": None, "find . -exec cat {} + > /etc/x": None, "find / | xargs cat": None, "find . | xargs grep -r x": Allow, "find -name -x -exec cat {} +": None, "find . -exec cat .env {} +": None,
		`for f in a b; do cat "$f"; done`: Allow, "for f in a b; do cat $f; done": Allow, "for file in a.go b.go; do grep -n x ${file}; done": Allow, "for f in a; do echo $f; done; cat x": Allow, "for f in a b; do git add $f && cat x/$f; done": Allow,
		"for f in .env; do cat $f; done": None, "for f in /etc/passwd; do cat $f; done": None, "for f in a b; do cat ../$f; done": None, "for f in a b; do $f; done": None, "for f in -x; do cat $f; done": None, "for f in 'a b'; do cat $f; done": None, "for f in a; do :; done; cat $f": None, "for path in a; do cat $path; done": None,
		"for f in a; do for f in /etc/x; do cat $f; done; done": None, "for f in a; do f=/etc/x; cat $f; done": None, "for f in a; do read f; cat $f; done": None, "for f in a; do cat ${f%a}/etc/x; done": None, "for f in a; do cat $f[1]; done": None, "for f in a; do cat $f:h; done": None, "for f in x y; do rm $f; done": None, "for f in x; do rm $f; done": Allow,
		"for f in rm; do $f y; done": None, "for f in $(cat x); do cat $f; done": None, "for f in a; do bash -c \"cat $f\"; done": Allow, "for f in a; do bash -c 'cat $f'; done": None, "for f in a; do cat ${f}nv; done": Allow, "for f in .e; do cat ${f}nv; done": None, "for f in .; do cat $f.; done": None,
		"cat package.json | jq .name": Allow, "cat package.json | jq env": None,
	} {
		if got := b.Judge(lineFacts(line)); got.Effect != want {
			t.Errorf("%q is %v, want %v: %s", line, got.Effect, want, reasons(got))
		}
	}
	for line, denied := range map[string]Rule{
		"find . -name '*.go' -exec grep -l x {} +": {Effect: Deny, Command: "find -exec *"}, "find . -exec grep x {} +": {Effect: Deny, Command: "grep *"}, "find . -type f -exec grep x {} +": {Effect: Deny, Path: "config/**"},
		"find . | xargs grep x": {Effect: Deny, Command: "xargs *"}, "find . | xargs grep -l x": {Effect: Deny, Command: "grep *"}, "find . | xargs grep -n x": {Effect: Deny, Path: "config/**"},
	} {
		if got := mustBook(t, append(b.Rules(), denied)).Judge(treeFacts(line)); got.Effect == Allow {
			t.Errorf("%q with %s is allowed", line, denied.Name())
		}
	}
	// Names that xargs takes apart, and what is sensitive below.
	names := func(line, name string) Facts {
		f := lineFacts(line)
		f.Walk = func(dir string, _ bool, visit func(FileFact) bool) bool { return visit(project(dir + "/" + name)) }
		return f
	}
	for _, c := range []struct {
		line, name string
		want       Effect
	}{
		{"find . | xargs grep x", "a b", None}, {"find . -print0 | xargs -0 grep x", "a b", Allow}, {"find . -exec grep x {} +", "a b", Allow}, {"find . -exec grep x {} +", ".env", None}, {"find . | xargs grep x", "a'b", None},
		{"find . -name '*.go' -exec grep x {} +", ".env", Allow}, {"find . ! -name '*.go' -exec grep x {} +", ".env", None}, {"find . -name '*.go' -o -name '.e*' | xargs grep x", ".env", None},
	} {
		if got := b.Judge(names(c.line, c.name)); got.Effect != c.want {
			t.Errorf("%q with %q below is %v, want %v: %s", c.line, c.name, got.Effect, c.want, reasons(got))
		}
	}
}
