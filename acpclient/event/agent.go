package event

import (
	"cmp"
	"strings"
	"time"
)

// AgentInfo is what the agent said about itself. Strings are safe to show.
type AgentInfo struct {
	Name, Title, Version string
	ProtocolVersion      int
	NoSessions           bool // v2: it has no session methods
	LoadSession          bool
	Image, Audio         bool // what prompts may contain
	EmbeddedContext      bool
	Roots                bool // sessions take additional directories
	MCPHTTP, MCPSSE      bool
	NoMCPStdio           bool // v2: it starts no MCP servers
	AuthMethods          []AuthMethod

	// The optional methods that the agent has advertised. Others are never called.
	List, Delete, Resume, CloseSession, Fork, Logout bool
	SetTitle, Archive, Status, AuthStatus            bool
	SystemPrompt, OverridePrompt                     bool // sessions take instructions: added to the agent's, in their place
	DeleteArchives                                   bool // deleting a session only archives it, as codex does
	Steering                                         bool // a prompt can be put into the running turn (_session/steering)
}

// Label returns the agent's title, else its name, or "" if it reports neither.
func (a AgentInfo) Label() string { return strings.TrimSpace(cmp.Or(a.Title, a.Name)) }

// StoredSession is a session that the agent has stored. ID and Cwd are verbatim, the rest is
// safe to show.
type StoredSession struct {
	ID, Cwd string
	Title   string
	Updated time.Time // zero when unknown
	Roots   []string
	// Archived sessions are listed only if asked for.
	Archived bool
	// Running says that a turn runs in it. The list does not say so: Client.TurnRuns does.
	Running bool
}

// AuthState says whether an agent can start sessions without a login.
type AuthState string

// The states of a login. What an agent says in other words is AuthUnknown.
const (
	SignedIn       AuthState = "authenticated"
	SignedOut      AuthState = "unauthenticated"
	LoginNotNeeded AuthState = "not_required"
	AuthUnknown    AuthState = "unknown"
)

// AuthStatusChanged says who has signed in with the agent, of the whole connection. Strings are safe to show.
type AuthStatusChanged struct {
	State    AuthState
	Accounts []Account
}

// EventSession implements Event.
func (AuthStatusChanged) EventSession() string { return "" }

// Account is one that the agent uses. All but Label may be "".
type Account struct {
	Label, Name, Email, Organization string
	Active                           bool
}

// AuthMethod is a way to log in. For type "" or "agent" the agent does it
// (Authenticate). For "terminal" the agent's command is run in a real terminal with Args
// and Env added, and then connected to again. For the legacy type "env_var" the agent is
// started again with Vars in its environment.
type AuthMethod struct {
	ID                      string // verbatim
	Name, Description, Type string // safe to show
	Args                    []string
	Env                     []EnvVar

	// Vars is what a method of type "env_var" asks for. Link is verbatim: a page that
	// says where to get the values.
	Vars []AuthVar
	Link string
	// Command, if not nil, is run in a real terminal instead of what Type says. Methods
	// of unknown type have it. It can be any program: it must not run before the user
	// has read all of it and agreed.
	Command *AuthCommand
	// TakesKey means that the agent logs in with a key from the user, see
	// AuthenticateKey. Without a key it looks in its environment.
	TakesKey bool
	// RefusalReason says in a few safe words why a method must not be carried out. It is ""
	// for a method that may be.
	RefusalReason string
}

// Variables returns the names of Vars, separated by commas.
func (m AuthMethod) Variables() string {
	var names []string
	for _, v := range m.Vars {
		names = append(names, v.Name)
	}
	return strings.Join(names, ", ")
}

// AuthVar is an environment variable that a login needs.
type AuthVar struct {
	Name     string // a plain name: letters, digits, underscores
	Label    string // safe to show; may be ""
	Secret   bool   // do not show it while it is typed
	Optional bool
}

// AuthCommand is a command that an agent names for a login. Everything but Label is
// verbatim.
type AuthCommand struct {
	Command string
	Args    []string
	Env     []EnvVar // added to the agent's environment
	Label   string   // safe to show; may be ""
}

// EnvVar is an environment variable, verbatim.
type EnvVar struct{ Name, Value string }
