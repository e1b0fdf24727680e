package permissions

// Facts are what a question is about, for rules: raw, unlike its words. What is
// not known is left out, and Partial says that something is.
type Facts struct {
	Agent string `json:"agent,omitempty"` // the name of its configuration
	Kind  string `json:"kind,omitempty"`  // of the tool call; "other" where not told
	Tool  string `json:"tool,omitempty"`  // the tool's own name, "" where not told

	Commands []CommandFact `json:"commands,omitempty"`
	Files    []FileFact    `json:"files,omitempty"`
	Hosts    []string      `json:"hosts,omitempty"` // that something is fetched from

	// Use: the tool does something that the commands, files and hosts do not say.
	Use bool `json:"use,omitempty"`
	// Partial: there is more to it than stands here, so no rule, mode or flag may allow it.
	Partial bool `json:"partial,omitempty"`

	// Look finds out where a path leads; relative ones do not come. It may be nil:
	// then nothing that names a file outside of Files is allowed by a rule. It is
	// called on the goroutine of Ask and touches the file system only.
	Look func(path string) FileFact `json:"-"`
	// Below visits what lies below a directory, the directory itself left out, until
	// visit returns false; it returns false itself where it could not look at all of it.
	// Links are not followed: their fact says where they lead. Without hidden it leaves
	// out what tools such as rg do: names that begin with a dot, and what is ignored. It
	// may be nil: then no rule allows what reads whole directories. Called as Look.
	Below func(dir string, hidden bool, visit func(FileFact) bool) bool `json:"-"`
	// Tracked tells whether git keeps a file; true where that is not known. It may be nil:
	// then it may keep all of them. Called as Look.
	Tracked func(path string) bool `json:"-"`

	// Names lists a directory, at most so many names: false where it could not list all of it.
	// Of what is no directory it lists nothing. It may be nil: then no rule allows a command
	// with patterns that a shell expands. Called as Look.
	Names func(dir string) (names []string, all bool) `json:"-"`

	own   func(path string) FileFact // Look, for what the patterns of rules name
	maybe []string                   // where a command line may work, whatever its cd do
	made  []madePath                 // what parts of a command line may have made: see notes
}

// CommandFact is a command that would be run.
type CommandFact struct {
	// Line is a command line for a shell, or, with Words, one as it is shown.
	Line  string   `json:"line,omitempty"`
	Words []string `json:"words,omitempty"` // a program and its arguments, run without a shell
	Dir   string   `json:"dir,omitempty"`   // absolute; "" where not known
	Env   bool     `json:"env,omitempty"`   // it sets variables
}

// FileFact is a file that would be read or written.
type FileFact struct {
	Path   string `json:"path,omitempty"`  // absolute, links followed; as it came where that is not known
	Asked  string `json:"asked,omitempty"` // absolute, as it was asked for, links not followed
	Write  bool   `json:"write,omitempty"`
	Exists bool   `json:"exists,omitempty"`
	// Inside the session's directories; Secret: known to be sensitive. Roots are
	// the directories, for patterns that are relative.
	Inside bool     `json:"inside,omitempty"`
	Secret bool     `json:"secret,omitempty"`
	Roots  []string `json:"roots,omitempty"`
}

// Effect is what a rule says of what it matches.
type Effect int

// The effects, from the weakest to the strongest.
const (
	None Effect = iota // no rule says anything
	Allow
	Confirm // ask, whatever else allows it
	Deny
)

var effectNames = [...]string{"no rule", "allow", "ask", "deny"}

func (e Effect) String() string { return effectNames[e] }

// Verdict is what the rules say of one thing that a question is about: a simple
// command, a file, a host.
type Verdict struct {
	Text    string // for the user: what it is, raw
	Effect  Effect
	Rule    *Rule  // that decided; nil without one
	Why     string // no rule can allow it, and why; "" else
	Short   string // the rule that comes nearest does not cover it, and why; "" else
	Marks   Marks
	Depth   int // 1 for a part of a command line, 0 for all else
	demand  demand
	aside   bool     // it only prints or passes on: what a rule allows beside it allows it, too
	below   string   // a directory of which all that lies below is read
	bare    bool     // but for names that begin with a dot
	tracked bool     // below it git works on what it keeps
	write   bool     // it may write what lies below
	kept    bool     // it reads only what git keeps
	ends    []string // if not empty: but for names that end otherwise
}

// kindSearch is the kind of a tool call that looks through what lies below directories.
const kindSearch = "search"

// searches tells whether a file is a directory, or may be one, that is looked through. It
// is taken for a search that leaves out what tools for developers leave out.
func (f *Facts) searches(file FileFact) bool {
	return f.Kind == kindSearch && f.Below != nil && file.Inside && !file.Write
}

// Judgement is what the rules say of a question.
type Judgement struct {
	Effect   Effect
	Verdicts []Verdict // each by itself; all must be allowed
	// Hides is what a rule might say of a part of a command line that parley could not
	// read: Deny or Confirm where there are such rules, else None.
	Hides Effect
}

// By names the rule that decided, for the record: the first that denies, or the
// first that allows.
func (j Judgement) By() string {
	for _, v := range j.Verdicts {
		if v.Effect == j.Effect && v.Rule != nil {
			return v.Rule.Name()
		}
	}
	return "a rule"
}
