package permissions

import (
	"path/filepath"
	"strings"
	"testing"
)

// treeFacts are the facts of a command in a repository at /w with config/x and src/a.go.
func treeFacts(line string) Facts {
	there := map[string]bool{"/": true, "/w": true, "/w/.git": true, "/w/config": true, "/w/config/x": true, "/w/src": true, "/w/src/a.go": true, "/w/feature": true, "/w/.husky": true, "/w/.husky/pre-commit": true}
	look := func(path string) FileFact {
		path = filepath.Clean(path)
		return FileFact{Path: path, RequestedPath: path, Exists: there[path], Inside: path == "/w" || strings.HasPrefix(path, "/w/"), Secret: strings.HasPrefix(path, "/w/.husky"), Roots: []string{"/w"}}
	}
	f := lineFacts(line)
	f.Resolve = look
	f.Walk = func(dir string, hidden bool, visit func(FileFact) bool) bool {
		for _, path := range []string{"/w/.husky", "/w/.husky/pre-commit", "/w/config", "/w/config/x", "/w/feature", "/w/src", "/w/src/a.go"} {
			if strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/") && (hidden || !strings.Contains(path, "/.")) && !visit(look(path)) {
				return false
			}
		}
		return true
	}
	return f
}

// TestTree covers git commands that work on files the line does not name.
func TestTree(t *testing.T) {
	t.Parallel()
	allow := allowing("git *", "git checkout *", "git restore *", "git reset *", "git reset --hard *", "git stash *", "git clean -fd *", "git merge *", "git pull *", "git rebase *", "git cherry-pick *", "git switch *",
		"git revert *", "git am x", "git rm -r *", "git mv *", "git worktree add *", "git bisect *", "git fetch *", "git add *", "git commit *", "mv *", "git checkout-index -a", "git clone *", "git format-patch *")
	for line, want := range map[string]Effect{
		"git checkout .": None, "git checkout HEAD -- 'conf?g/x'": None, "git checkout -- ':(icase)CONFIG/x'": None, "git checkout -- ':/'": None, "git checkout HEAD -- config": None,
		"git checkout feature":    Allow, // git reads it as the file, or refuses
		"git checkout feature --": None, "git checkout other": None, "git checkout HEAD~1 -- src": Allow, "git checkout -b feat": Allow, "git checkout -b feat other": None,
		"git restore .": None, "git restore src": Allow, "git restore --source=HEAD~1 -- src config": None,
		"git reset --hard": None, "git reset": Allow, "git reset --hard HEAD~1": None,
		"git stash": None, "git stash pop": None, "git stash list": Allow, "git stash list -p": None, "git stash show": Allow, "git stash show -p": None,
		"git clean -fd": None, "git clean -fd src": Allow, "git clean -fd -n": Allow,
		"git merge feature": None, "git merge other": None, "git pull": None, "git rebase other": None, "git cherry-pick abc": None, "git revert abc": None, "git am x": None, "git switch other": None, "git switch -c feat": Allow,
		"git rm -r config": None, "git rm -r src": Allow, "git mv config c": None, "git worktree add x": None, "git bisect good": None, "git checkout-index -a": None,
		"git grep s": None, "git grep s -- src": Allow, "git grep s src": Allow, "git grep s HEAD -- src": Allow, "git grep -e s": None,
		"git log": Allow, "git log --oneline": Allow, "git log --stat": Allow, "git log -p": None, "git log -p -- src": Allow, "git log -U3": None, "git log -p --stat": None,
		"git show": None, "git show --stat": Allow, "git show HEAD -- src": Allow, "git show -s": Allow,
		"git diff": None, "git diff --stat": Allow, "git diff --stat -p": None, "git diff --name-only HEAD~1": Allow, "git diff src": Allow, "git diff HEAD~1 src/a.go": Allow, "git diff --cached": None, "git diff feature --": None,
		"git status": Allow, "git branch": Allow, "git fetch": Allow, "git add .": Allow, "git commit -m text": Allow, "git ls-files": Allow, "git blame src/a.go": Allow,
		"git archive HEAD": None, "git archive HEAD src": Allow, "git format-patch HEAD~1": None, "git -C src diff": None, "cd src && git diff": None, "mv config c": None, "mv src s": Allow,
	} {
		more := "[[allow]]\nhost = \"*\"\n"
		for rule, effect := range map[string]Effect{"config/x": Deny, "config/**": Deny, "**/x": Deny} {
			got := rulebook(t, allow+more+(&Rule{Effect: Deny, Path: rule}).Text()).Judge(treeFacts(line))
			if got.Effect != want && (want != None || got.Effect != Deny) {
				t.Errorf("%q with deny path %s is %v, want %v: %s", line, rule, got.Effect, want, reasons(got))
			}
			if hides := rulebook(t, (&Rule{Effect: effect, Path: rule}).Text()).Judge(treeFacts(line)); want == None && hides.MayHide != effect && hides.Effect != effect {
				t.Errorf("%q with %v path %s hides %v", line, effect, rule, hides.MayHide)
			} else if want == Allow && hides.MayHide != None {
				t.Errorf("%q with %v path %s hides %v, and names no such file", line, effect, rule, hides.MayHide)
			}
		}
		if got := rulebook(t, allow+more).Judge(treeFacts(line)); got.Effect != Allow && !strings.HasPrefix(line, "mv") && !strings.Contains(line, "-- ':") && !strings.Contains(line, "conf?g") {
			t.Errorf("%q is asked without a rule that denies: %s", line, reasons(got))
		}
		if got := rulebook(t, allow+more+"[[deny]]\npath = \"secrets/**\"\n").Judge(treeFacts(line)); got.Effect != Allow && !strings.HasPrefix(line, "mv") && !strings.Contains(line, "-- ':") && !strings.Contains(line, "conf?g") {
			t.Errorf("%q is asked about for a rule that matches no file: %s", line, reasons(got))
		}
	}
}

// Git prints no untracked file, but what it writes may replace one.
func TestTreeOfTrackedFiles(t *testing.T) {
	for line, want := range map[string]Effect{"git diff": Allow, "git log -p": Allow, "git grep s": Allow, "git show": Allow, "git diff --unheard-of": None, "git checkout .": None, "git stash": None, "git grep --untracked s": None} {
		b := rulebook(t, allowing("git *", "git checkout *", "git stash *", "git diff --unheard-of", "git grep --untracked s")+"[[deny]]\npath = \"config/x\"\n")
		for _, tracked := range []bool{false, true} {
			f := treeFacts(line)
			f.Tracked = func(path string) bool { return tracked || path != "/w/config/x" }
			if got := b.Judge(f); got.Effect != want && (!tracked || got.Effect != None) || tracked && got.Effect == Allow {
				t.Errorf("%q is %v, with the file tracked: %v; %s", line, got.Effect, tracked, reasons(got))
			}
		}
	}
}

// --approve-all rejects a recursive reader that may read what a rule denies, but not one that only
// prints names.
func TestHidesBelow(t *testing.T) {
	for line, want := range map[string]Effect{"grep -r x .": Deny, "grep -r x src": None, "rg x": Deny, "cp -r . /tmp/y": Deny, "rm -r config": Deny, "ls -R": None, "find . -name x": None, "rg --files": None,
		"find . -delete": Deny, "find . -exec cat {} +": Deny, "find -L .": Deny, "rg --files --unheard-of config": Deny, "cat src/a.go": None, "tar cf a.tar config": Deny} {
		if got := rulebook(t, "[[deny]]\npath = \"config/x\"\n").Judge(treeFacts(line)); max(got.MayHide, got.Effect) != max(want, None) && got.Effect != want {
			t.Errorf("%q hides %v, and is %v, want %v", line, got.MayHide, got.Effect, want)
		}
	}
}
