package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"parley/fsops"
	"parley/internal/headless"
	"parley/internal/host"
	"parley/internal/safetext"
	"parley/internal/words"
	"parley/permissions"
)

// exitAsked is the exit code of `parley rules test` if the user would be asked.
const exitAsked = 1

type rulesFlags struct {
	file, cwd               string
	addDirs                 []string
	agent, kind, tool, path string
	host                    string
	write, json             bool
}

// NewRules is `parley rules`.
func NewRules(s Streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "rules",
		Short: "List, test and check the rules that answer agents' questions",
		Long:  `Rules allow, ask or deny what agents want to do. Yours are in rules.toml next to the configuration file; a project adds .parley/rules.toml, which may ask and deny, but allow nothing.`,
		Args:  NoArgs, RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newRulesList(s), newRulesTest(s), newRulesCheck(s))
	return cmd
}

// common defines the flags that say which files to read.
func (f *rulesFlags) common(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.file, "rules", "", "use this file instead of your own rules")
	flags.StringVar(&f.cwd, "cwd", "", "the session's directory (default: here)")
	flags.StringArrayVar(&f.addDirs, "add-dir", nil, "another directory of the session (repeatable)")
}

// files returns the rule files and the directories of the session.
func (f *rulesFlags) files() ([]ruleFile, []string, error) {
	place, err := NewDirectories(f.cwd, f.addDirs)
	if err != nil {
		return nil, nil, err
	}
	own := f.file
	if own != "" {
		if own, err = filepath.Abs(own); err != nil {
			return nil, nil, Usagef("--rules %s: %v", f.file, err)
		}
	}
	dirs := append([]string{place.Cwd}, place.Roots...)
	files, err := ruleFiles(own, dirs)
	if err != nil {
		return nil, nil, UsageError{err.Error()}
	}
	if f.file != "" && files[0].missing {
		return nil, nil, Usagef("--rules %s: no such file", f.file)
	}
	return files, dirs, nil
}

func newRulesList(s Streams) *cobra.Command {
	var f rulesFlags
	cmd := &cobra.Command{Use: "list", Short: "List the rules and the files they are in", Args: NoArgs, RunE: func(*cobra.Command, []string) error {
		files, _, err := f.files()
		if err != nil {
			return err
		}
		book, err := rulebook(files)
		if err != nil {
			return err
		}
		if len(book.Rules()) == 0 {
			_, err = fmt.Fprintf(s.Out, "no rules; add [[allow]], [[ask]] or [[deny]] to %s\n", files[0].path)
			return err
		}
		var rows [][]string
		for _, r := range book.Rules() {
			where := r.Where
			if r.Mistake != "" {
				where += "  ignored: " + r.Mistake
			}
			rows = append(rows, []string{safetext.Line(r.Name(), 500), safetext.Line(where, 3000)})
		}
		return printTable(s.Out, rows)
	}}
	f.common(cmd)
	return cmd
}

func newRulesCheck(s Streams) *cobra.Command {
	var f rulesFlags
	cmd := &cobra.Command{Use: "check", Short: "Check the rule files for mistakes", Args: NoArgs, RunE: func(*cobra.Command, []string) error {
		files, _, err := f.files()
		if err != nil {
			return err
		}
		n, wrong := 0, 0
		for _, file := range files {
			if n += len(file.rules); file.err != nil {
				wrong++
				s.PrintError(file.err.Error())
			}
			for _, r := range file.rules {
				if r.Mistake != "" {
					wrong++
					s.PrintError(r.Where + ": " + r.Mistake)
				}
			}
		}
		switch {
		case wrong > 0:
			return ExitCode(headless.ExitUsage)
		case n == 0:
			_, err = fmt.Fprintf(s.Out, "no rules; add [[allow]], [[ask]] or [[deny]] to %s\n", files[0].path)
		default:
			_, err = fmt.Fprintln(s.Out, words.Count(n, "rule")+", no mistakes")
		}
		return err
	}}
	f.common(cmd)
	return cmd
}

func newRulesTest(s Streams) *cobra.Command {
	var f rulesFlags
	cmd := &cobra.Command{
		Use:   "test [flags] ['COMMAND LINE']",
		Short: "Show what the rules decide about a command, file, host or tool",
		Long: `Show what the rules decide about each part of a command, or about a file, host or tool. Nothing is run.

Exit codes: 0 allowed, 1 you would be asked, 2 usage, or a mistake in a file, 5 denied.`,
		Example: `  parley rules test 'git add -A && rm -rf x'
  parley rules test --path src/main.go --write
  parley rules test --rules try.toml --host example.com`,
		Args: cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, args []string) error { return f.test(s, args) },
	}
	f.common(cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.agent, "agent", "", "name of the agent that asks")
	flags.StringVar(&f.kind, "kind", "", "kind of tool call: read, edit, delete, move, search, execute, fetch, other")
	flags.StringVar(&f.tool, "tool", "", "name of the tool")
	flags.StringVar(&f.path, "path", "", "file to read")
	flags.BoolVar(&f.write, "write", false, "with --path: the file is written")
	flags.StringVar(&f.host, "host", "", "host to fetch from")
	flags.BoolVar(&f.json, "json", false, "print JSON")
	return cmd
}

func (f *rulesFlags) test(s Streams, args []string) error {
	line := strings.Join(args, " ")
	switch {
	case line == "" && f.path == "" && f.host == "" && f.tool == "" && f.kind == "":
		return Usagef("nothing to test: type a command line in quotes, or --path, --host, --tool or --kind")
	case len(args) > 1:
		return Usagef("quote the command line: parley rules test '%s'", strings.ReplaceAll(line, "'", `'\''`))
	case f.write && f.path == "":
		return Usagef("--write needs --path")
	}
	files, dirs, err := f.files()
	if err != nil {
		return err
	}
	book, err := rulebook(files)
	if err != nil {
		return err
	}
	disk, err := diskOf(dirs)
	if err != nil {
		return err
	}
	defer disk.Files.Close()
	j := book.Judge(f.facts(line, dirs[0], disk))
	if f.json {
		err = writeJudgement(s, j)
	} else {
		err = printJudgement(s, line, j)
	}
	if err != nil {
		return err
	}
	switch j.Effect {
	case permissions.Allow:
		return nil
	case permissions.Deny:
		return ExitCode(headless.ExitDenied)
	}
	return ExitCode(exitAsked)
}

func (f *rulesFlags) facts(line, cwd string, disk host.Disk) permissions.Facts {
	facts := permissions.Facts{Agent: f.agent, Kind: f.kind, Tool: f.tool, Resolve: disk.Resolve, Walk: disk.Walk, ListDir: disk.ListDir, Tracked: fsops.Tracked}
	kind := "other"
	if f.host != "" {
		facts.Hosts, kind = []string{f.host}, "fetch"
	}
	if f.path != "" {
		path := f.path
		if !filepath.IsAbs(path) {
			path = cwd + string(filepath.Separator) + path
		}
		file := disk.Resolve(path)
		if file.Write = f.write; f.write {
			kind = "edit"
		} else {
			kind = "read"
		}
		facts.Files = []permissions.FileFact{file}
	}
	if line != "" {
		facts.Commands, kind = []permissions.CommandFact{{Line: line, Dir: cwd}}, "execute"
	}
	facts.Kind = cmp.Or(f.kind, kind)
	return facts
}

// diskOf resolves paths as a session in these directories would.
func diskOf(dirs []string) (host.Disk, error) {
	const id = "rules"
	files := fsops.New(fsops.Options{})
	if err := files.OpenSession(id, dirs); err != nil {
		files.Close()
		return host.Disk{}, UsageError{err.Error()}
	}
	disk := host.Disk{Files: files, Session: id}
	for _, dir := range dirs {
		if t, err := files.Resolve(id, dir); err == nil {
			disk.Roots = append(disk.Roots, t.Resolved)
		}
	}
	return disk, nil
}

var outcomes = map[permissions.Effect]string{permissions.None: "asked", permissions.Confirm: "asked", permissions.Allow: "allowed", permissions.Deny: "denied"}

// printJudgement prints the parts as a tree, then the outcome.
func printJudgement(s Streams, line string, j permissions.Judgement) error {
	var rows [][]string
	if line != "" {
		rows = append(rows, []string{shownPart(line)})
	}
	for i, v := range j.Verdicts {
		branch := "├ "
		if i == len(j.Verdicts)-1 {
			branch = "└ "
		}
		if line == "" {
			branch = ""
		}
		rows = append(rows, []string{branch + shownPart(v.Text), verdictWords(v)})
	}
	return printTable(s.Out, append(rows, []string{outcomes[j.Effect]}))
}

// shownPart returns a part of a command line as one line of output.
func shownPart(text string) string {
	return safetext.Line(words.OneLine(safetext.Visible(text)), 400)
}

func verdictWords(v permissions.Verdict) string {
	by, whose := "", "your rule"
	if v.Rule != nil {
		if v.Rule.Project {
			whose = "the project's rule"
		}
		_, name, _ := strings.Cut(v.Rule.Name(), " ")
		by = fmt.Sprintf(" by %s  %s  (%s)", whose, name, v.Rule.Where)
	}
	words := outcomes[v.Effect] + by
	if why := cmp.Or(v.NoRuleReason, v.NearMiss); why != "" {
		words += " · " + why
	}
	return safetext.Line(words, 3000)
}

// judged is a judgement in the JSON output.
type judged struct {
	Outcome string       `json:"outcome"`
	Parts   []judgedPart `json:"parts"`
}

type judgedPart struct {
	Text    string `json:"text"`
	Outcome string `json:"outcome"`
	Rule    string `json:"rule,omitempty"`
	Where   string `json:"where,omitempty"`
	Why     string `json:"why,omitempty"`
}

func writeJudgement(s Streams, j permissions.Judgement) error {
	out := judged{Outcome: outcomes[j.Effect], Parts: []judgedPart{}}
	for _, v := range j.Verdicts {
		p := judgedPart{Text: v.Text, Outcome: outcomes[v.Effect], Why: cmp.Or(v.NoRuleReason, v.NearMiss)}
		if v.Rule != nil {
			p.Rule, p.Where = v.Rule.Name(), v.Rule.Where
		}
		out.Parts = append(out.Parts, p)
	}
	text, err := json.MarshalIndent(out, "", "  ")
	if err == nil {
		_, err = fmt.Fprintln(s.Out, headless.SafeJSON(string(text)))
	}
	return err
}
