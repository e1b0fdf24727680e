package permissions

import "testing"

func TestFileProfiles(t *testing.T) {
	checkCovered(t, []covered{
		{"ls *", "ls", Allow, "alone"},
		{"ls *", "ls -la src", Allow, "every day"},
		{"ls *", "ls -lahtr --color=auto src/x", Allow, "a cluster"},
		{"ls *", "ls -w80", None, "on macOS -w has no value"},
		{"ls *", "ls -I /etc", None, "on macOS it lists /etc"},
		{"ls *", "ls -D x", None, "has a value on macOS"},
		{"ls *", "ls -L src", None, "follows links"},
		{"ls *", "ls -- -la", Allow, "a file that is called like an option"},
		{"ls *", "ls -R src", Allow, "all below"},
		{"ls *", "ls -lR /etc", None, "outside"},
		{"ls *", "ls src /etc", None, "the second"},
		{"ls *", "ls ~", None, "home"},

		{"du *", "du -sh src", Allow, "every day"},
		{"du *", "du -h -d1 .", Allow, "a number in the same word"},
		{"du *", "du -ah --max-depth=2 src", Allow, "long"},
		{"du *", "du --files0-from=x", None, "a list"},
		{"du *", "du -X .env src", None, "a sensitive file"},
		{"du *", "du -X/etc/x src", None, "a file outside"},
		{"du *", "du -L src", None, "follows links"},
		{"du *", "du -sh /etc", None, "outside"},
		{"df *", "df -h", Allow, "every day"},
		{"df *", "df -h /", Allow, "any place"},
		{"df *", "df -T", None, "has a value on macOS"},

		{"stat *", "stat -c %s src/x", Allow, "every day"},
		{"stat *", "stat -f %z src/x", None, "a format on macOS only"},
		{"stat *", "stat /etc/shadow", None, "outside"},
		{"file *", "file -b src/x", Allow, "every day"},
		{"file *", "file -f x", None, "a list"},
		{"file *", "file --files-from=x", None, "a list"},
		{"file *", "file -C -m x", None, "writes"},
		{"file *", "file -m .env x", None, "reads rules"},
		{"realpath *", "realpath --relative-to=. src/x", Allow, "every day"},
		{"realpath *", "realpath --relative-to=/etc src/x", None, "outside"},
		{"readlink *", "readlink -f src/x", Allow, "every day"},
		{"basename *", "basename /a/b/c.go .go", Allow, "text alone"},
		{"dirname *", "dirname /a/b/c.go", Allow, "text alone"},
		{"pwd *", "pwd -P", Allow, "every day"},

		{"find *", "find . -name '*.go' -type f", Allow, "every day"},
		{"find *", "find src -maxdepth 2 -not -path '*/node_modules/*'", Allow, "every day"},
		{"find *", `find . \( -name a -o -name b \) -print`, Allow, "brackets"},
		{"find *", `find . '!' -name a -print0`, Allow, "an operator"},
		{"find *", "find . -size +10k -mtime -7 -perm -644", Allow, "values that look like options"},
		{"find *", "find . -newer src/x", Allow, "a file inside"},
		{"find *", "find . -newer /etc/passwd", None, "a file outside"},
		{"find *", "find . -newermt '2 days ago'", Allow, "a date"},
		{"find *", "find . -newerma x", None, "a file that may be anywhere"},
		{"find *", "find . -samefile .env", None, "a sensitive file"},
		{"find *", "find /etc -name x", None, "outside"},
		{"find *", "find -L . -name x", None, "follows links"},
		{"find *", "find -H . -name x", None, "follows links"},
		{"find *", "find . -follow", None, "follows links"},
		{"find *", "find . -delete", None, "deletes"},
		{"find *", "find . -name x -exec rm {} +", None, "runs"},
		{"find *", "find . -execdir rm {} +", None, "runs"},
		{"find *", "find . -ok rm {} +", None, "runs"},
		{"find *", "find . -okdir rm {} +", None, "runs"},
		{"find *", "find . -fprint x", None, "writes"},
		{"find *", "find . -fprint0 x", None, "writes"},
		{"find *", "find . -fprintf x y", None, "writes"},
		{"find *", "find . -fls x", None, "writes"},
		{"find *", "find -files0-from x", None, "a list"},
		{"find *", "find -f /etc", None, "a place on macOS"},
		{"find *", "find . -- -delete", None, "nothing ends the options"},
		{"find . -name *", "find . -name x -delete", None, "after what the rule names"},

		{"fd *", "fd -e go x src", Allow, "every day"},
		{"fd *", "fd -H -t f -d3 x", Allow, "every day"},
		{"fdfind *", "fdfind --type f --max-depth 3", Allow, "the name in Debian"},
		{"fd *", "fd x -x rm", None, "runs"},
		{"fd *", "fd x -Hxrm", None, "runs, in a cluster"},
		{"fd *", "fd x --exec rm", None, "runs"},
		{"fd *", "fd x -X rm", None, "runs"},
		{"fd *", "fd x --exec-batch=rm", None, "runs"},
		{"fd *", "fd -L x", None, "follows links"},
		{"fd *", "fd -l x", None, "runs ls"},
		{"fd *", "fd x /etc", None, "outside"},
		{"fd *", "fd --base-directory=/etc x", None, "outside"},
		{"fd *", "fd --base-directory /etc x", None, "outside"},
		{"fd *", "fd -C=/etc x", None, "outside"},
		{"fd *", "fd --search-path /etc x", None, "outside"},
		{"fd *", "fd --ignore-file=.env x", None, "sensitive"},

		{"tree *", "tree -L 2 -I node_modules", Allow, "every day"},
		{"tree *", "tree -aI .git src", Allow, "a cluster"},
		{"tree *", "tree -o x", None, "writes"},
		{"tree *", "tree -Lo 1 x", None, "writes, in a cluster"},
		{"tree *", "tree -R -L 2", None, "writes into each directory"},
		{"tree *", "tree -l", None, "follows links"},
		{"tree *", "tree --fromfile x", None, "a list"},
		{"tree *", "tree --gitfile=.env", None, "a file"},
		{"tree *", "tree /etc", None, "outside"},

		{"diff *", "diff -u src/a src/b", Allow, "every day"},
		{"diff *", "diff -ruN --exclude=.git a b", Allow, "every day"},
		{"diff *", "diff -X .env a b", None, "sensitive"},
		{"diff *", "diff -X.env a b", None, "sensitive"},
		{"diff *", "diff --exclude-from=/etc/x a b", None, "outside"},
		{"diff *", "diff --from-file=/etc/passwd a", None, "not listed"},
		{"diff *", "diff --to-file=/etc/passwd a", None, "not listed"},
		{"diff *", "diff -l a b", None, "runs pr"},
		{"diff *", "diff --pag a b", None, "runs pr, cut short"},
		{"diff *", "diff a ~/.ssh/id", None, "sensitive"},
		{"diff *", "diff a b -I /etc/passwd", None, "a file on macOS"},
		{"cmp *", "cmp -l a b", Allow, "every day"},
		{"cmp *", "cmp a /etc/passwd", None, "outside"},
		{"sdiff *", "sdiff -w 80 a b", Allow, "every day"},
		{"sdiff *", "sdiff -o x a b", None, "writes"},
		{"sdiff *", "sdiff -so x a b", None, "writes, in a cluster"},
		{"sdiff *", "sdiff --diff-program=rm a b", None, "runs"},

		{"cp *", "cp src/a src/b", Allow, "every day"},
		{"cp *", "cp -p a b sub", Allow, "two"},
		{"cp *", "cp -r src sub", Allow, "a directory"},
		{"cp *", "cp a /etc/x", None, "writes outside"},
		{"cp *", "cp /etc/passwd a", None, "reads outside"},
		{"cp *", "cp .env a", None, "sensitive"},
		{"cp *", "cp a .env", None, "sensitive"},
		{"cp *", "cp x/.env sub", None, "sensitive"},
		{"cp *", "cp -t /etc a", None, "writes outside"},
		{"cp *", "cp -t/etc a", None, "writes outside"},
		{"cp *", "cp --target-directory=sub a", None, "the order of operands is another"},
		{"cp *", "cp --targ=/etc a", None, "cut short"},
		{"cp *", "cp -s a b", None, "makes a link"},
		{"cp *", "cp -l a b", None, "makes a link"},
		{"cp *", "cp -L a b", None, "follows links"},
		{"cp *", "cp a b -S /etc", None, "not listed"},
		{"mv *", "mv src/a src/b", Allow, "every day"},
		{"mv *", "mv a /etc/x", None, "outside"},
		{"mv *", "mv /etc/x a", None, "outside"},
		{"mv *", "mv -t /etc a", None, "outside"},
		{"mv *", "mv .env a", None, "sensitive"},
		{"rm *", "rm -f src/a src/b", Allow, "every day"},
		{"rm *", "rm -rf sub", None, "a rule has to say so"},
		{"rm *", "rm -r sub", None, "a rule has to say so"},
		{"rm *", "rm -f -r sub", None, "a rule has to say so"},
		{"rm *", "rm sub -rf", None, "after the operand"},
		{"rm *", "rm -vrf sub", None, "in a cluster"},
		{"rm *", "rm --recursive sub", None, "long"},
		{"rm *", "rm --rec sub", None, "cut short"},
		{"rm -rf *", "rm -rf sub", Allow, "the rule says so"},
		{"rm -rf *", "rm -rf /etc", None, "outside"},
		{"rm -rf *", "rm -rf sub .env", None, "sensitive"},
		{"rm -rf *", "rm -rf --no-preserve-root sub", None, "not listed"},
		{"rm *", "rm .env", None, "sensitive"},
		{"rm *", "rm ../x", None, "outside"},
		{"mkdir *", "mkdir -p a/b/c", Allow, "every day"},
		{"mkdir *", "mkdir -pm 755 a", Allow, "a mode"},
		{"mkdir *", "mkdir /tmp/x", None, "outside"},
		{"mkdir *", "mkdir a ../b", None, "outside"},
		{"rmdir *", "rmdir a", Allow, "every day"},
		{"rmdir *", "rmdir -p a/b", None, "removes what is not named"},
		{"touch *", "touch -t 202401010000 a", Allow, "a time"},
		{"touch *", "touch -r src/a b", Allow, "a file inside"},
		{"touch *", "touch -r /etc/passwd b", None, "outside"},
		{"touch *", "touch --reference=.env b", None, "sensitive"},
		{"touch *", "touch /etc/x", None, "outside"},
		{"ln *", "ln -s /etc x", None, "has no profile"},
		{"chmod *", "chmod +x src/run.sh", Allow, "every day"},
		{"chmod *", "chmod -R 777 .", None, "all below"},
		{"chmod *", "chmod u+s a", None, "another mode"},
		{"chmod *", "chmod --reference=/etc/passwd a", None, "another mode"},
		{"chmod *", "chmod +x /etc/x", None, "outside"},

		{"tar *", "tar tzf a.tgz", Allow, "a listing"},
		{"tar *", "tar -tvf a.tar src/x", Allow, "a listing"},
		{"tar *", "tar tf host:a.tar", None, "another host"},
		{"tar *", "tar tf /etc/a.tar", None, "outside"},
		{"tar *", "tar tf a.tar -Irm", None, "runs"},
		{"tar *", "tar tf a.tar --to-command=rm", None, "runs"},
		{"tar *", "tar tf a.tar -T x", None, "a list"},
		{"tar *", "tar xf a.tar", None, "writes what the archive says"},
		{"tar *", "tar czf a.tgz src", None, "writes"},
		{"unzip *", "unzip -l a.zip", Allow, "a listing"},
		{"unzip *", "unzip a.zip", None, "writes"},
		{"unzip *", "unzip -l a.zip -d /etc", None, "not listed"},
		{"unzip *", "unzip -p a.zip", None, "not listed"},
	})
}

// A recursive read is asked if there is something sensitive below, or a link that leads outside.
func TestRecursiveFileProfiles(t *testing.T) {
	for line, want := range map[string]Effect{
		"ls src": Allow, "ls -R": Allow, "ls -lR src": Allow, "find src -name x": Allow, `find \( -name x \)`: Allow, "fd x": Allow, "fd -H x": Allow, "fd -uu x": Allow,
		"fd -I x": Allow, "tree": Allow, "rg --files": Allow, "rg --files --hidden": Allow, "rg -uu --files-with-matches x": None, "diff a b": None, "diff -r a b": None, "cp a b": Allow, "cp -r a b": None, "cp -a a b": None, "cp --recursive a b": None, "du -a": Allow,
		"grep x src": Allow, "grep -r x": None, "grep -rn x src": None, "grep --recursive x .": None, "grep -d recurse x .": None, "grep --directories=recurse x .": None,
		"grep -nRx x": None, "egrep -r x .": None, "rg x": Allow, "rg x src": Allow, "rg -. x": None, "rg --hidden x src": None, "rg -uu x": None, "rg -nu x": None,
		"rg --no-ignore x": None, "rg -g .env x": None, "rg -g.env x": None, "rg --glob=.env x": None, "rg --type-add x:.env -tx x": None, "rg -tgo x": Allow, "rg -tsh x": None,
		"rg -t sh x": None, "rg -t=sh x": None, "rg --type=all x": None, "rg --ignore-file=x x": None, "rm -rf a": None, "rm a": Allow, "cat src/x": Allow,
	} {
		for what, file := range map[string]FileFact{
			"sensitive": {Path: "/w/src/.env", RequestedPath: "/w/src/.env", Inside: true, Secret: true, Roots: []string{"/w"}},
			"a link":    {Path: "/etc/passwd", RequestedPath: "/w/src/.hosts", Roots: []string{"/w"}},
		} {
			f := lineFacts(line)
			f.Walk = func(dir string, hidden bool, visit func(FileFact) bool) bool {
				file := file
				file.RequestedPath = dir + "/.env"
				return !hidden || visit(file)
			}
			rules := allowing("ls *", "find *", "fd *", "tree *", "diff *", "cp *", "du *", "grep *", "egrep *", "rg *", "rm *", "rm -rf *", "cat *")
			if got := rulebook(t, rules).Judge(f); got.Effect != want {
				t.Errorf("%q with %s below: %v, want %v; %+v", line, what, got.Effect, want, got.Verdicts)
			}
		}
	}
}

// A file copied or moved into a directory is written there: a rule may forbid that, or a link may lead
// elsewhere.
func TestIntoDirectories(t *testing.T) {
	linked := func(p string) FileFact {
		if f := project(p); f.Path != "/w/sub/link" {
			return f
		}
		return FileFact{Path: "/etc/hosts", RequestedPath: p, Exists: true, Roots: []string{"/w"}}
	}
	for line, want := range map[string]Effect{
		"cp src/x sub": Allow, "cp src/link sub": None, "cp src/link x sub/": None, "mv src/link sub": None, "cp sub/link x": None, "cp src/config .": Deny, "mv src/config .": Deny,
		"cp -r src/config .": Deny, "cp src/config sub": Allow,
	} {
		f := lineFacts(line)
		f.Resolve = linked
		text := (&Rule{Effect: Deny, Kind: "edit", Path: "config/**"}).Text() + allowing("cp *", "mv *")
		if got := rulebook(t, text).Judge(f); got.Effect != want {
			t.Errorf("%q: got %v, want %v; %+v", line, got.Effect, want, got.Verdicts)
		}
	}
}
