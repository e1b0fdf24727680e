// Package agents is the table of coding agents that are known to speak ACP, and finds which
// of them this machine can start. It runs nothing, and reads files only through the look-up
// it is given. It may be used from any goroutine.
package agents

import (
	"maps"
	"slices"
	"strings"
	"sync"
)

// Source says why an agent can be started, or that it cannot.
type Source int

const (
	Missing   Source = iota // neither the agent nor npx is on PATH
	Path                    // its executable is on PATH
	Installed               // parley has installed it
	Npx                     // npx is on PATH and would fetch its package
	Config                  // the user's configuration names it
	Builtin                 // a part of this program
	Custom                  // a command line given on the command line
)

// Agent is one agent and how to start it. Command and Args are its program; with npx,
// Command is a program of Package.
type Agent struct {
	Name    string // as the user types it, e.g. "claude"
	Title   string // as people call it, e.g. "Claude Code"
	Command string
	Args    []string
	Package string // npm package for npx; "" if there is none
	Version string // of Package, the one that npx fetches
	Install string // one line: how to install it, or why the installed one does not count
	Source  Source
	Found   string // the executable that Command resolved to, or npx; "" if none

	// Of an installed agent.
	ID          string // in the registry
	Description string // one line of the registry
	Interpreter string // the program that runs Command if its first line has env find one; "" for any

	// From the configuration, and the variables of installed agents.
	EnvFile  string            // a file of variables; Env comes before them
	Paths    map[string]string // directories of its machine, and what they are here: "." is the session's
	Env      map[string]string // added to the environment
	Dir      string            // working directory; "" means the session's
	Protocol string            // "auto", "1" or "2"; "" means auto
	URL      string            // a remote agent instead of a command
}

// Typed reports whether the user typed its command, so that Name is only that of a program.
func (a Agent) Typed() bool { return a.Source == Custom && a.URL == "" }

// DisplayName returns the agent's name for display: the name that the user chose or, for a typed
// command, the one that the agent reports, "" if that is not known.
func (a Agent) DisplayName(reported string) string {
	if a.Typed() && reported != "" {
		return reported
	}
	return a.Name
}

// Demo is the name of the built-in agent.
const Demo = "demo"

// Known returns the known agents, the most used first and the built-in one last. It looks
// up nothing: Source is Missing, and Builtin for the last. The caller owns the slice.
func Known() []Agent {
	return []Agent{
		npm("claude", "Claude Code", "@agentclientprotocol/claude-agent-acp", "0.101.0", "claude-agent-acp"),
		npm("codex", "OpenAI Codex", "@agentclientprotocol/codex-acp", "2.6.0", "codex-acp"),
		npm("gemini", "Gemini CLI", "@google/gemini-cli", "0.61.0", "gemini", "--acp"),
		npm("opencode", "OpenCode", "opencode-ai", "1.18.33", "opencode", "acp"),
		npm("copilot", "GitHub Copilot", "@github/copilot", "1.0.102", "copilot", "--acp"),
		selfInstalled("cursor", "Cursor", "see https://cursor.com/docs/cli", "cursor-agent", "acp"),
		npm("qwen", "Qwen Code", "@qwen-code/qwen-code", "0.24.4", "qwen", "--acp"),
		selfInstalled("goose", "goose", "see https://goose-docs.ai", "goose", "acp"),
		npm("cline", "Cline", "cline", "3.0.65", "cline", "--acp"),
		npm("kimi", "Kimi Code", "@moonshot-ai/kimi-code", "2.1.0", "kimi", "acp"),
		npm("kilo", "Kilo Code", "@kilocode/cli", "7.7.7", "kilo", "acp"),
		npm("auggie", "Auggie", "@augmentcode/auggie", "0.36.0", "auggie", "--acp"),
		piAgent(),
		selfInstalled("vibe", "Mistral Vibe", "uv tool install mistral-vibe", "vibe-acp"),
		npm("droid", "Factory Droid", "droid", "0.215.0", "droid", "exec", "--output-format", "acp"),
		selfInstalled("junie", "Junie", "see https://junie.jetbrains.com", "junie", "--acp=true"),
		selfInstalled("kiro", "Kiro", "see https://kiro.dev/docs/cli", "kiro-cli", "acp"),
		selfInstalled("openhands", "OpenHands", "uv tool install openhands --python 3.12", "openhands", "acp"),
		{
			Name: Demo, Title: "Demo (built in)",
			Command: "parley", Args: []string{"agent", "demo"},
			Install: "nothing to install", Source: Builtin,
		},
	}
}

// details are what is known of the agents of Known, and of others that people start by a command.
var details = map[string]struct {
	maker string
	state string // files and directories below the home directory, with spaces between them
	ids   string // in the registry, where neither the name nor the package says it
}{
	"claude":    {"Anthropic", ".claude .claude.json .config/claude .local/state/claude", "claude-acp claude-code-acp"},
	"codex":     {"OpenAI", ".codex .config/codex", "codex-acp"},
	"gemini":    {"Google", ".gemini", ""},
	"opencode":  {"open source", ".config/opencode .local/share/opencode .local/state/opencode", ""},
	"copilot":   {"GitHub", ".copilot .config/github-copilot", "github-copilot-cli"},
	"cursor":    {"Anysphere", ".cursor .config/cursor", ""},
	"qwen":      {"Alibaba", ".qwen", "qwen-code"},
	"goose":     {"Agentic AI Foundation", ".config/goose .local/share/goose .local/state/goose", ""},
	"cline":     {"Cline", ".cline", ""},
	"kimi":      {"Moonshot AI", ".kimi .kimi-code", ""},
	"kilo":      {"Kilo", ".config/kilo .local/share/kilo .local/state/kilo", ""},
	"auggie":    {"Augment Code", ".augment", ""},
	"pi":        {"open source", ".pi", "pi-acp"},
	"vibe":      {"Mistral AI", ".vibe", "mistral-vibe"},
	"droid":     {"Factory", ".factory", "factory-droid"},
	"junie":     {"JetBrains", ".junie", ""},
	"kiro":      {"AWS", ".kiro .local/share/kiro-cli", ""},
	"openhands": {"All Hands AI", ".openhands", ""},
	"amp":       {"Sourcegraph", ".config/amp .local/share/amp", ""},
	Demo:        {"no account needed", "", ""},
}

// State returns where agents keep their sessions, logins and settings: files and directories below the home
// directory. Settings can name programs to start; directories of programs are not listed.
func State() (paths []string) {
	for _, name := range slices.Sorted(maps.Keys(details)) {
		paths = append(paths, strings.Fields(details[name].state)...)
	}
	return paths
}

// State returns where an agent keeps its sessions, logins and settings, as the function of that name does:
// of an agent that is not in the table, which may be any of them, all places.
func (a Agent) State() []string {
	known, ok := details[a.Name] // an installed one has a name of the table only if it is that agent
	if !ok || a.Source == Config || a.Source == Custom {
		return State()
	}
	return strings.Fields(known.state)
}

// table is Known, for looking at only.
var table = sync.OnceValue(Known)

// Alias returns the name in the table of an agent of the registry, which may be an npm package: its own id if it
// is not in the table.
func Alias(id, npmPackage string) string {
	for _, a := range table() {
		if a.Name == id || npmPackage != "" && a.Package == npmPackage || slices.Contains(strings.Fields(details[a.Name].ids), id) {
			return a.Name
		}
	}
	return id
}

// About says what a known agent is and whose, "" of another.
func (a Agent) About() string {
	if a.Source == Config || a.Source == Custom {
		return ""
	}
	if _, known := details[a.Name]; !known && a.Description != "" {
		return a.Title + " · " + a.Description
	}
	if maker := details[a.Name].maker; !strings.Contains(a.Title, maker) {
		return a.Title + " · " + maker
	}
	return a.Title
}

// npm returns an agent that is an npm package. npx fetches exactly that version: a newer
// one does not run just because it was published.
func npm(name, title, pkg, version, command string, args ...string) Agent {
	return Agent{
		Name: name, Title: title, Command: command, Args: args,
		Package: pkg, Version: version, Install: "npm install -g " + pkg,
	}
}

// piAgent returns an adapter that starts "pi" from PATH.
func piAgent() Agent {
	a := npm("pi", "pi", "pi-acp", "0.0.34", "pi-acp")
	a.Install += " @earendil-works/pi-coding-agent"
	return a
}

// selfInstalled returns an agent with its own installer.
func selfInstalled(name, title, install, command string, args ...string) Agent {
	return Agent{Name: name, Title: title, Command: command, Args: args, Install: install}
}
