package event

import (
	"strings"
	"time"
)

// AgentInfo is what the agent said of itself. Strings are safe to show.
type AgentInfo struct {
	Name, Title, Version string
	ProtocolVersion      int
	NoSessions           bool // v2: it offers no session method at all
	LoadSession          bool
	Image, Audio         bool // what prompts may hold
	EmbeddedContext      bool
	Roots                bool // sessions take additional directories
	MCPHTTP, MCPSSE      bool
	NoMCPStdio           bool // v2: it starts no MCP servers
	AuthMethods          []AuthMethod

	// The optional methods that the agent has advertised; nothing else is sent.
	List, Delete, Resume, CloseSession, Fork, Logout bool
}

// Listed is a session that the agent keeps. ID and Cwd are verbatim, the rest is
// safe to show.
type Listed struct {
	ID, Cwd string
	Title   string
	Updated time.Time // zero when unknown
	Roots   []string
}

// AuthMethod is a way to log in. Type "" or "agent" is done by the agent
// itself (Authenticate); "terminal" by running the agent's command with Args and
// Env added, in a real terminal, and connecting again afterwards; the legacy type
// "env_var" by starting the agent again with Vars in its environment.
type AuthMethod struct {
	ID                      string // verbatim
	Name, Description, Type string // safe to show
	Args                    []string
	Env                     []EnvVar

	// Vars is what a method of type "env_var" asks for. Link is verbatim: where
	// the values are to be had.
	Vars []AuthVar
	Link string
	// Command is what a method of no known type wants run in a real terminal, in
	// the place of what its type says; nil where there is none. It can be any
	// program: it must not run before the user has read all of it and agreed.
	Command *AuthCommand
	// TakesKey says that the agent logs in by itself with a key that it is handed, see
	// AuthenticateKey; without one it looks in its environment.
	TakesKey bool
	// Refused says in a few safe words why a method is not to be carried out; ""
	// for one that may be.
	Refused string
}

// Variables are the names of Vars, in a line.
func (m AuthMethod) Variables() string {
	var names []string
	for _, v := range m.Vars {
		names = append(names, v.Name)
	}
	return strings.Join(names, ", ")
}

// AuthVar is a variable that a login needs in the agent's environment.
type AuthVar struct {
	Name     string // a plain name: letters, digits, underscores
	Label    string // safe to show; may be ""
	Secret   bool   // it must not be shown while it is typed
	Optional bool
}

// AuthCommand is a command that an agent names for a login. All but Label is
// verbatim.
type AuthCommand struct {
	Command string
	Args    []string
	Env     []EnvVar // added to the agent's environment
	Label   string   // safe to show; may be ""
}

// EnvVar is a variable of an environment, verbatim.
type EnvVar struct{ Name, Value string }
