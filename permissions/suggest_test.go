package permissions

import (
	"strings"
	"testing"
)

// The widest suggested rule for a line is the one a user would write: it names the program and what it
// does, but not the arguments of this one call.
func TestSuggestedCommands(t *testing.T) {
	for line, want := range map[string]string{
		"go test -run X -v ./...":                "go test *",
		"timeout 60 go test ./...":               "go test *",
		"CGO_ENABLED=0 go build ./...":           "go build *",
		"go test ./... 2>&1 | tail -20":          "go test *",
		"go vet ./... && echo \"ok $?\"":         "go vet *",
		"git --no-pager diff --stat":             "git diff *",
		"git -C src log -3":                      "git log *",
		"git remote -v":                          "git remote *",
		"git stash list":                         "git stash list *",
		"git commit -m \"$(cat <<'E'\nx\nE\n)\"": "git commit *",
		"bash -lc 'git status'":                  "git status *",
		"timeout 5 bash -c 'rg x | head'":        "rg *",
		"npm --prefix sub run build":             "npm run build *",
		"npm run --silent build":                 "npm run build *",
		"npx tsc --noEmit":                       "npx tsc *",
		"python3 -m pytest -q":                   "python3 -m pytest *",
		"uv run pytest -q":                       "uv run pytest *",
		"pip show x":                             "pip show *",
		"find . -name '*.go'":                    "find *",
		"ls *.md":                                "ls *",
		"sed -n 1,20p x":                         "sed *",
		"sed -i s/a/b/ src/a":                    "sed -i *",
		"eslint --fix src":                       "eslint --fix *",
		"ruff check .":                           "ruff check *",
		"cargo clippy -- -D warnings":            "cargo clippy *",
		"make -j4 test":                          "make test *",
		"make test":                              "make test *",
		"git push --force":                       "git push --force *",
		"ls && make test":                        "",
		"curl -s https://example.com":            "",
		"go test ./... | sh":                     "",
		"GOFLAGS=-exec=./x go test":              "",
		"bash -lc 'ls; rm x'":                    "",
		"xargs ls":                               "",
		"bash -ic ls":                            "",
		"git -c core.pager=./x log":              "git -c core.pager=./x log *",
	} {
		f := corpusFacts(line)
		none := (*Rulebook)(nil).Judge(f)
		got := Suggest(Question{Facts: f, Judgement: none})
		widest := ""
		if len(got) > 0 {
			widest = got[len(got)-1].Command
		}
		if widest != want {
			t.Errorf("%q: %q is offered, want %q", line, widest, want)
		}
		for _, r := range got {
			if j := mustBook(t, []Rule{r}).Judge(f); j.Effect != Allow {
				t.Errorf("%q: %s does not answer it: %s", line, r.Name(), reasons(j))
			}
		}
	}
}

// Commands given as words, as codex does, are judged like the line.
func TestCarriedWords(t *testing.T) {
	for line, want := range map[string]Effect{
		"git status":         Allow,
		"cd src && ls *.go":  Allow,
		"git status | head":  Allow,
		"ls \"$(./x)\"":      None,
		"ls; ./x":            None,
		"cat .env":           None,
		"rm x":               Deny,
		"bash -c 'rm x'":     Deny,
		"":                   None,
		"ls > src/a.go":      None,
		"ls `./x`":           None,
		"git status && ls &": Allow,
	} {
		for _, words := range [][]string{{"bash", "-lc", line}, {"/bin/zsh", "-c", line}, {"timeout", "5", "sh", "-c", line}} {
			f := corpusFacts("")
			f.Commands = []CommandFact{{Line: strings.Join(words, " "), Words: words, Dir: "/w"}}
			rules := []Rule{{Effect: Allow, Command: "ls *"}, {Effect: Allow, Command: "git status *"}, {Effect: Deny, Command: "rm *"}}
			if j := mustBook(t, rules).Judge(f); j.Effect != want {
				t.Errorf("%q: got %v, want %v: %s", words, j.Effect, want, reasons(j))
			}
		}
	}
	for _, words := range [][]string{{"bash", "-ic", "ls"}, {"bash", "-lc", "ls", "x"}, {"./bash", "-c", "ls"}, {"sudo", "bash", "-c", "ls"}, {"env", "PATH=.", "bash", "-c", "ls"}, {"fish", "-c", "ls"}} {
		f := corpusFacts("")
		f.Commands = []CommandFact{{Line: strings.Join(words, " "), Words: words, Dir: "/w"}}
		if j := mustBook(t, []Rule{{Effect: Allow, Command: "ls *"}}).Judge(f); j.Effect == Allow {
			t.Errorf("%q is allowed", words)
		}
	}
}
