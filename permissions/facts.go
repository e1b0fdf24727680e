package permissions

// Facts are what a question is about, for rules. The strings are raw. Unknown facts are left
// out, and Partial then says so.
type Facts struct {
	Agent string `json:"agent,omitempty"` // the name it is configured under
	Kind  string `json:"kind,omitempty"`  // of the tool call; "other" if unknown
	Tool  string `json:"tool,omitempty"`  // the tool's own name; "" if unknown

	Commands []CommandFact `json:"commands,omitempty"`
	Files    []FileFact    `json:"files,omitempty"`
	Hosts    []string      `json:"hosts,omitempty"` // hosts it fetches from

	// OtherEffects says that the tool does something beyond the listed commands, files and hosts.
	OtherEffects bool `json:"use,omitempty"`
	// Partial says that these facts are incomplete, so no rule, mode or flag may allow the
	// question.
	Partial bool `json:"partial,omitempty"`

	// Resolve resolves an absolute path. If it is nil, no rule allows anything that names a file
	// outside Files. It is called on the goroutine of Ask and touches only the file system.
	Resolve func(path string) FileFact `json:"-"`
	// Walk visits everything below a directory, without the directory itself, until visit
	// returns false. It returns false if it could not look at everything. It does not follow
	// links; their fact says where they lead. Without hidden it skips what tools such as rg
	// skip: names that begin with a dot, and ignored files. If it is nil, no rule allows
	// commands that read whole directories. It is called like Resolve.
	Walk func(dir string, hidden bool, visit func(FileFact) bool) bool `json:"-"`
	// Tracked reports whether git tracks a file; true if unknown. If it is nil, every file may
	// be tracked. It is called like Resolve.
	Tracked func(path string) bool `json:"-"`

	// ListDir lists a directory up to some limit; all is false if the list is incomplete. It
	// lists nothing for a path that is no directory. If it is nil, no rule allows a command
	// with patterns that the shell expands. It is called like Resolve.
	ListDir func(dir string) (names []string, all bool) `json:"-"`

	lookRulePath func(path string) FileFact // Resolve, with a separate bound, for paths in rules
	possible     directories
	parts        []part     // of all command lines
	created      []madePath // what parts of the line may have created; see before
}

// CommandFact is a command to be run.
type CommandFact struct {
	// Line is a command line for a shell. With Words it is only the text to show.
	Line  string   `json:"line,omitempty"`
	Words []string `json:"words,omitempty"` // a program and its arguments, run without a shell
	Dir   string   `json:"dir,omitempty"`   // absolute; "" if unknown
	Env   bool     `json:"env,omitempty"`   // it sets variables
}

// FileFact is a file to be read or written.
type FileFact struct {
	Path          string `json:"path,omitempty"`  // absolute, links followed; as requested if they could not be
	RequestedPath string `json:"asked,omitempty"` // absolute, as requested, links not followed
	Write         bool   `json:"write,omitempty"`
	Exists        bool   `json:"exists,omitempty"`
	// Inside: below one of the session's directories. Secret: known to be sensitive. Roots are
	// the session's directories, for relative patterns.
	Inside bool     `json:"inside,omitempty"`
	Secret bool     `json:"secret,omitempty"`
	Roots  []string `json:"roots,omitempty"`

	unseen bool // it was not looked up: too many were
}

// Effect is what a rule does with what it matches.
type Effect int

// The effects, from the weakest to the strongest.
const (
	None Effect = iota // no rule says anything
	Allow
	Confirm // ask, even if something else allows it
	Deny
)

var effectNames = [...]string{"no rule", "allow", "ask", "deny"}

func (e Effect) String() string { return effectNames[e] }

// Verdict is what the rules say of one thing a question is about: a simple command, a file or a
// host.
type Verdict struct {
	Text         string // what it is about, for the user; raw
	Effect       Effect
	Rule         *Rule  // the rule that decided; nil if none did
	NoRuleReason string // why no rule can allow it; "" if one can
	NearMiss     string // why the closest rule does not cover it; "" if none comes close
	Marks        Marks
	unresolved   demandKind // wantsRead or wantsHost if it names a file or a host, and which is not known
	demand       demand
	filter       bool     // it only prints or filters: allowed if a rule allows something next to it
	below        string   // a directory that is read recursively
	skipHidden   bool     // below: without names that begin with a dot
	tracked      bool     // below: git works on the tracked files
	write        bool     // below: it may write there
	trackedOnly  bool     // below: it reads only tracked files
	plain        bool     // below: no name may have blanks or quotes
	ends         []string // below: only names with these endings, if any
}

// kindSearch is the kind of a tool call that searches directories recursively.
const kindSearch = "search"

// searches reports whether a file is, or may be, a directory that is searched. The search is
// assumed to skip what developer tools skip.
func (f *Facts) searches(file FileFact) bool {
	return f.Kind == kindSearch && f.Walk != nil && file.Inside && !file.Write
}

// Judgement is what the rules say of a question.
type Judgement struct {
	Effect   Effect
	Verdicts []Verdict // one for each thing; all must be allowed
	// MayHide is what a rule might say of parts of a command line that could not be read: Deny or
	// Confirm if there are such rules, else None.
	MayHide Effect
}

// By names the rule that decided, for the record: the first that denies, else the first that
// allows.
func (j Judgement) By() string {
	for _, v := range j.Verdicts {
		if v.Effect == j.Effect && v.Rule != nil {
			return v.Rule.Name()
		}
	}
	return "a rule"
}
