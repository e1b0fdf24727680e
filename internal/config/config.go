// Package config reads parley's config.toml. It is strict: an unknown key, a value of the
// wrong type or an impossible combination is an error in one line with its position, never
// a silent default. A Config is not changed after Load and may be read from any goroutine;
// the caller must not change its maps.
package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"parley/internal/filetrust"
	"parley/internal/registry"
	"parley/internal/smallfile"
)

// maxSize bounds the file, in bytes: the decoder's work grows with the square of
// the number of keys.
const maxSize = 64 << 10

// Notifications are the ways to notify the user that something is done or asked.
var Notifications = []string{"auto", "bell", "osc9", "osc777", "osc99", "off"}

// SystemPromptModes say how instructions are given: added to the agent's own, or in their place.
var SystemPromptModes = []string{"append", "override"}

// Themes are the accepted values of theme, in the order to offer them.
var Themes = []string{"auto", "dark", "light", "contrast-dark", "contrast-light", "ansi", "plain"}

// Config is the content of the file. The zero value is that of a missing file.
type Config struct {
	Agent  string `toml:"agent"`  // name of the default agent; "" means ask
	Theme  string `toml:"theme"`  // one of Themes; "" means auto
	Record *bool  `toml:"record"` // keep a log of each session; nil means yes
	// History stores sent prompts and unsent drafts of each project; nil means yes.
	History *bool `toml:"history"`
	// KeepChanges keeps what agents have changed after parley has ended; nil means yes, unless
	// Record turns logs off.
	KeepChanges *bool `toml:"keep_changes"`
	// OfferTools offers agents of ACP v2, which have no requests for files and commands, an
	// MCP server for those of this machine.
	OfferTools bool `toml:"offer_tools"`
	// Registry is the URL of the registry of agents, or false for none; nil means the public one.
	Registry any                  `toml:"registry"`
	Agents   map[string]Agent     `toml:"agents"`
	MCP      map[string]MCPServer `toml:"mcp"`

	// Sandbox limits agents and their commands to writing below the session's directories
	// and SandboxWrite, which are absolute paths.
	Sandbox      bool     `toml:"sandbox"`
	SandboxWrite []string `toml:"sandbox_write"`

	// Keep lets sessions outlive their terminal. When the user leaves one, it says whether that is offered first; nil
	// offers it, but keeps only what --keep has started.
	Keep    *bool  `toml:"keep"`
	KeepFor string `toml:"keep_for"` // a duration; "" means forever

	// ApproveFromClients lets clients that have joined with the role approve allow what an
	// agent asks for. Without it they can only reject.
	ApproveFromClients bool `toml:"approve_from_clients"`

	StartTimeout string `toml:"start_timeout"` // a duration; "" means the usual one
	ResumeWithin string `toml:"resume_within"` // a duration; "" means off
	SidePanel    string `toml:"side_panel"`    // auto, on or off; "" means auto
	Density      string `toml:"density"`       // normal, everything or quiet; "" means normal
	Linear       bool   `toml:"linear"`        // plain lines instead of the screen
	Notify       string `toml:"notify"`        // one of Notifications; "" means auto
	// NotifyCommand is a program and its arguments, run with JSON on its standard input when something happens that a user
	// who looks elsewhere should know.
	NotifyCommand []string `toml:"notify_command"`
	Progress      string   `toml:"progress"`       // auto, on or off: the terminal's own progress bar; "" means auto
	Mouse         *bool    `toml:"mouse"`          // use the mouse; nil means yes
	CopyOnSelect  *bool    `toml:"copy_on_select"` // copy what the mouse has selected; nil means yes
	Inline        bool     `toml:"inline"`         // write the conversation into the terminal's scrollback
	Keymap        string   `toml:"keymap"`         // a preset; "" means default
	// Keys are the keys of actions, by context and action. The caller checks the names and
	// reports wrong ones with ErrorAt.
	Keys map[string]map[string][]string `toml:"keys"`

	name string // of the file, for messages
	doc  *document
}

// Agent is [agents.NAME]: an agent of the user, or another way to start a known one.
type Agent struct {
	Command  string            `toml:"command"` // a name on PATH or an absolute path
	Args     []string          `toml:"args"`
	Prefix   []string          `toml:"prefix"`   // the command that starts Command: of a container, of another machine
	Paths    map[string]string `toml:"paths"`    // directories of the agent's machine, and what they are here: "." is the session's
	EnvFile  string            `toml:"env_file"` // an absolute path, of a file of variables; Env comes before it
	Env      map[string]string `toml:"env"`      // added to the environment
	Cwd      string            `toml:"cwd"`      // absolute; "" means the session's
	Protocol string            `toml:"protocol"` // auto, 1 or 2; "" means 1

	OfferTools *bool `toml:"offer_tools"` // nil means that of the Config

	// SystemPrompt is an absolute path, of instructions for each session.
	SystemPrompt     string `toml:"system_prompt"`
	SystemPromptMode string `toml:"system_prompt_mode"` // one of SystemPromptModes; "" means append

	Remote // alternative to Command
}

// MCPServer is [mcp.NAME]: a server that every session passes to its agent. It has either
// Command or URL.
type MCPServer struct {
	Command string            `toml:"command"`
	Args    []string          `toml:"args"`
	Env     map[string]string `toml:"env"`
	URL     string            `toml:"url"`
	Type    string            `toml:"type"` // stdio, http or sse; never "" after Parse
	Headers map[string]string `toml:"headers"`
}

// ErrNoHome is returned by Path if the user has no home directory. Then there is no
// configuration, and Load of "" returns one without any setting.
var ErrNoHome = errors.New("no home directory: set HOME")

// Path returns the path of the file: $PARLEY_CONFIG, else parley/config.toml in the user's
// configuration directory. It need not exist.
func Path() (string, error) {
	if path := os.Getenv("PARLEY_CONFIG"); path != "" {
		return filepath.Abs(path)
	}
	dir, err := os.UserConfigDir()
	if err != nil && os.Getenv("XDG_CONFIG_HOME") == "" {
		return "", ErrNoHome
	}
	if err != nil {
		return "", fmt.Errorf("find the configuration directory: %w", err)
	}
	return filepath.Join(dir, "parley", "config.toml"), nil
}

// Load reads a file. A missing one is the zero Config and no error. If a file names agents,
// MCP servers or a program, only the user and root may be able to change or replace it.
func Load(path string) (*Config, error) {
	data, err := smallfile.Read(path, maxSize)
	if errors.Is(err, fs.ErrNotExist) {
		return &Config{name: path}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", oneLine(path), smallfile.Cause(err))
	}
	c, err := Parse(path, data)
	if err == nil && len(c.Agents)+len(c.MCP)+len(c.NotifyCommand) > 0 { // it names programs to start, and where to send credentials
		if err := filetrust.Check(path); err != nil {
			return nil, fmt.Errorf("%s: %w", oneLine(path), err)
		}
	}
	return c, err
}

// Parse reads a configuration. Errors are one line, "name:line:column: problem", where name
// is the argument and the column counts characters from 1. Of several mistakes it reports
// the first in the file. It replaces a leading ~/ in Command and Cwd.
func Parse(name string, data []byte) (*Config, error) {
	if len(data) > maxSize {
		return nil, problem{what: fmt.Sprintf("larger than %d bytes", maxSize)}.in(name)
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff")) // some editors on Windows write it
	doc, found := scan(data, file())
	if found != nil {
		return nil, found.in(name)
	}
	c := &Config{}
	if found := doc.decode(c); found != nil {
		return nil, found.in(name)
	}
	c.name, c.doc = name, doc
	if found := c.check(); found != nil {
		return nil, found.in(name)
	}
	return c, nil
}

// Validate checks the default agent against the known names and those in the file.
func (c *Config) Validate(knownNames []string) error {
	if c.Agent == "" || slices.Contains(knownNames, c.Agent) {
		return nil
	}
	if _, ok := c.Agents[c.Agent]; ok {
		return nil
	}
	names := slices.AppendSeq(slices.Clone(knownNames), maps.Keys(c.Agents))
	slices.Sort(names)
	what := fmt.Sprintf("agent = %s: no such agent", show(c.Agent)) + suggest(c.Agent, names)
	p := problem{what: what}
	if c.doc != nil {
		p.at = c.doc.place("agent")
	}
	return p.in(c.name)
}

// RegistryURL returns the URL of the registry of agents, "" if it is turned off.
func (c *Config) RegistryURL() string {
	switch value := c.Registry.(type) {
	case string:
		return value
	case bool:
		return ""
	}
	return registry.DefaultURL
}

// ErrorAt returns an error about a value that only the caller can judge, with its position in
// the file.
func (c *Config) ErrorAt(what string, path ...string) error {
	p := problem{what: dotted(path) + ": " + what}
	if c.doc != nil {
		p.at = c.doc.place(path...)
	}
	return p.in(c.name)
}
