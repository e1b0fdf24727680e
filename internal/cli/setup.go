// Package cli has what parley's subcommands share, such as finding and starting agents, and the
// subcommands that need no screen.
package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"parley/acpclient"
	"parley/acpclient/event"
	"parley/acpclient/wire"
	"parley/internal/agents"
	"parley/internal/config"
	"parley/internal/npx"
	"parley/internal/process"
	"parley/internal/programs"
	"parley/internal/record"
	"parley/internal/safetext"
	"parley/internal/sandbox"
	"parley/internal/smallfile"
)

// UsageError is a user's mistake: one line, exit code 2.
type UsageError struct{ Message string }

func (e UsageError) Error() string { return e.Message }

// Usagef returns a UsageError.
func Usagef(format string, args ...any) error { return UsageError{fmt.Sprintf(format, args...)} }

// NoArgs is cobra.NoArgs with a UsageError.
func NoArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return Usagef("%s takes no argument %q; see --help", cmd.CommandPath(), args[0])
	}
	return nil
}

// oneArg requires one argument, which is described.
func oneArg(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != 1 {
			return Usagef("%s takes %s", cmd.CommandPath(), what)
		}
		return nil
	}
}

// Streams are the standard streams.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// PrintError writes one line to Err. It sanitizes the text, which may contain names chosen by a
// project or an agent.
func (s Streams) PrintError(text string) {
	fmt.Fprintf(s.Err, "parley: %s\n", strings.ReplaceAll(safetext.Clean(text), "\n", " "))
}

// Setup holds the configuration and the agents found on this machine.
type Setup struct {
	Config *config.Config
	Agents []agents.Agent // in the order to show them; see Join

	// Warn receives one-line warnings during a session, for example about data that cannot be
	// stored. It is called from any goroutine and must not block. If nil, warnings go only to the
	// log.
	Warn func(line string)

	joining sync.Mutex

	projectAgent string // that the project prefers; see UseProject

	// Protocol is the version of ACP to use instead of the agents' own setting: auto, 1 or 2. ""
	// keeps that setting.
	Protocol string
	Remote   RemoteFlags
	jars     jars
	versions acpclient.Versions

	// Sandbox turns the sandbox for agents and their commands on or off, overriding the
	// configuration. nil keeps the configuration.
	Sandbox *bool
	boxing  sync.Once
	box     *sandbox.Sandbox
	boxErr  error

	// OfferTools says whether to offer files and commands to agents of ACP v2, overriding the
	// configuration. nil keeps the configuration.
	OfferTools *bool

	// SystemPrompt is instructions for each session, instead of those of the configuration. Without a
	// text the configuration counts.
	SystemPrompt acpclient.SystemPrompt
}

// protocol returns the version to use with an agent.
func (s *Setup) protocol(a agents.Agent) string {
	if s.Protocol != "" {
		return s.Protocol
	}
	return a.Protocol
}

// CheckProtocol rejects invalid values of --protocol.
func CheckProtocol(name string) error {
	switch name {
	case "", "auto", "1", "2":
		return nil
	}
	return Usagef("--protocol %s: want auto, 1 or 2", name)
}

// newSetup returns a Setup, with variables meant for parley itself removed from the environment.
// The configuration and the flags name some of these.
func newSetup(c *config.Config, remote RemoteFlags) *Setup {
	withhold(c, remote)
	return &Setup{Config: c, Remote: remote}
}

// Load reads the configuration and looks up the known agents. The error is a UsageError of one
// line.
func Load(remote RemoteFlags) (*Setup, error) {
	c, err := LoadConfig()
	if err != nil {
		return nil, err
	}
	return NewSetup(c, remote)
}

// LoadConfig reads the user's configuration.
func LoadConfig() (*config.Config, error) {
	path, err := config.Path()
	if err != nil && !errors.Is(err, config.ErrNoHome) {
		return nil, UsageError{err.Error()}
	}
	c, err := config.Load(path)
	if err != nil {
		return nil, UsageError{err.Error()}
	}
	return c, nil
}

// NewSetup finds the agents of a configuration.
func NewSetup(c *config.Config, remote RemoteFlags) (*Setup, error) {
	s := newSetup(c, remote)
	s.Agents, s.versions = merge(c, agents.WithInstalled(agents.Discover(programs.NewPath(os.Environ()).Find), installed())), rememberedVersions()
	names := make([]string, 0, len(s.Agents))
	for _, a := range s.Agents {
		names = append(names, a.Name)
	}
	if err := c.Validate(names); err != nil {
		return nil, UsageError{err.Error()}
	}
	return s, nil
}

// installed returns the agents that parley has installed.
func installed() (all []agents.Agent) {
	state, err := record.StateDir()
	if err != nil {
		return nil
	}
	for _, i := range installsIn(state).List() {
		all = append(all, i.Agent())
	}
	return all
}

// WarnSkippedPrograms calls say with a warning about programs that parley does not start because they are
// in the project, once per directory. say must not block and is called from any goroutine.
func WarnSkippedPrograms(say func(line string)) {
	programs.OnSkipped(func(file string) {
		dir, name := filepath.Split(safetext.Line(file, 300))
		say("Ignored: " + name + ", which PATH finds in the project (" + filepath.Clean(dir) + ")")
	})
}

// merge puts the agents of the configuration first. They replace known agents of the same name.
func merge(c *config.Config, known []agents.Agent) []agents.Agent {
	var own []agents.Agent
	for _, name := range slices.Sorted(maps.Keys(c.Agents)) {
		a := c.Agents[name]
		if len(a.Prefix) > 0 {
			a.Command, a.Args = a.Prefix[0], slices.Concat(a.Prefix[1:], []string{a.Command}, a.Args)
		}
		own = append(own, agents.Agent{Name: name, Title: name, Command: a.Command, Args: a.Args, EnvFile: a.EnvFile, Paths: a.Paths, Env: a.Env, Dir: a.Cwd, Protocol: a.Protocol, URL: a.URL, Source: agents.Config})
	}
	for _, k := range known {
		if _, ok := c.Agents[k.Name]; !ok {
			own = append(own, k)
		}
	}
	return own
}

// Find returns the agent with a name or at a URL, ready to start.
func (s *Setup) Find(name string) (agents.Agent, error) {
	if IsURL(name) {
		return AtURL(name)
	}
	s.joining.Lock()
	defer s.joining.Unlock()
	a, ok := agents.Find(s.Agents, name)
	if ok && a.Source != agents.Missing {
		return a, nil
	}
	switch install := s.installable(name); {
	case ok:
		if install != "" {
			install = "; or type: " + install
		}
		return a, Usagef("%s is not installed: %s%s", a.Name, a.Install, install)
	case install != "":
		return a, Usagef("%s is not installed; type: %s", name, install)
	default:
		return a, Usagef("no agent %q%s; `parley agents` lists them, `parley -- %s …` runs a command", name, agents.Closest(s.Agents, name), name)
	}
}

// UseProject reads which agent the project prefers. It can choose only among those that the user has: what would be
// fetched, or is not installed, is named in the returned note and not used.
func (s *Setup) UseProject(p Directories) (note string, err error) {
	name, err := config.ProjectAgent(cmp.Or(p.Origin, p.Cwd))
	if err != nil {
		return "", UsageError{err.Error()}
	}
	if name == "" {
		return "", nil
	}
	a, ok := agents.Find(s.Agents, name)
	if !ok || a.Source == agents.Missing || a.Source == agents.Npx {
		return "The project prefers the agent " + safetext.Line(name, 80) + ", which is not installed", nil
	}
	s.projectAgent = a.Name
	return "", nil
}

// PreferredAgent returns the name of the agent to start when none is named, "" if neither the project nor the
// configuration says one.
func (s *Setup) PreferredAgent() string { return cmp.Or(s.projectAgent, s.Config.Agent) }

// Default returns the agent to use if none is named: the configured one, else the first installed,
// else the demo. ok is false for the demo.
func (s *Setup) Default() (a agents.Agent, ok bool) {
	if name := s.PreferredAgent(); name != "" {
		if a, err := s.Find(name); err == nil {
			return a, true
		}
	}
	for _, a := range s.Agents {
		if slices.Contains([]agents.Source{agents.Config, agents.Installed, agents.Path}, a.Source) {
			return a, true
		}
	}
	a, _ = agents.Find(s.Agents, agents.Demo)
	return a, false
}

// Custom returns the agent for a command line.
func Custom(words []string) agents.Agent {
	return agents.Agent{Name: filepath.Base(words[0]), Title: words[0], Command: words[0], Args: words[1:], Source: agents.Custom}
}

// TypedAgent returns the agent for a line the user typed: a URL, or a command split as a shell does. It
// adds the agent under a unique name, so that Find finds it. It may be called from any goroutine.
func (s *Setup) TypedAgent(line string) (agents.Agent, error) {
	var a agents.Agent
	line = strings.TrimSpace(line)
	if IsURL(line) {
		at, err := AtURL(line)
		if err != nil {
			return a, err
		}
		a = at
	} else {
		words, err := splitWords(line, filepath.Separator == '\\')
		if err != nil || len(words) == 0 {
			return a, Usagef("not a command: %v", cmp.Or(err, errors.New("it is empty")))
		}
		a = Custom(words)
	}
	s.joining.Lock()
	defer s.joining.Unlock()
	name := a.Name
	for i := 2; ; i++ {
		other, taken := agents.Find(s.Agents, a.Name)
		if !taken {
			break
		}
		if other.Source == agents.Custom && other.CommandLine() == a.CommandLine() {
			return other, nil
		}
		a.Name = fmt.Sprintf("%s %d", name, i)
	}
	s.Agents = append(s.Agents, a)
	return a, nil
}

// agentEnviron returns env with the agent's own variables added. Those of its file are read each time.
func agentEnviron(a agents.Agent, env []string) ([]string, error) {
	own := map[string]string{}
	if a.EnvFile != "" {
		file, err := config.EnvFile(a.EnvFile)
		if err != nil {
			return nil, err
		}
		own = file
	}
	maps.Copy(own, a.Env)
	env = slices.Clip(env)
	for _, name := range slices.Sorted(maps.Keys(own)) {
		env = append(env, name+"="+own[name])
	}
	return env, nil
}

// program returns the agent's command for a place, with the absolute path of the program. A plain
// name is never found in the project. A relative path, possible only on the command line, may be.
// The command is never nil.
func (s *Setup) program(a agents.Agent, p Directories) (*exec.Cmd, error) {
	cmd := &exec.Cmd{Path: a.Command, Args: append([]string{a.Command}, a.Args...), Dir: cmp.Or(a.Dir, p.Cwd)}
	var err error
	if cmd.Env, err = agentEnviron(a, os.Environ()); err != nil {
		return cmd, UsageError{err.Error()}
	}
	path := programs.NewPath(cmd.Env)
	cmd.Env = programs.Environ(cmd.Env)
	err = find(cmd, path, a, p)
	if err != nil {
		err = &event.StartError{Command: safetext.Line(a.Command, 200), Err: err}
	}
	return cmd, err
}

// find resolves the program of a command.
func find(cmd *exec.Cmd, path programs.Path, a agents.Agent, p Directories) (err error) {
	if a.Source == agents.Npx {
		npxFile, err := path.Find("npx")
		if err != nil {
			return err
		}
		self, err := os.Executable()
		if err != nil {
			return fmt.Errorf("find parley's own program, for npx: %w", err)
		}
		state, err := record.StateDir()
		if err != nil {
			return err
		}
		return npx.Wrap(cmd, npxFile, a.Package+"@"+a.Version, self, state, p.Roots...)
	}
	if a.Source == agents.Installed && programs.Guarded(a.Command) {
		return fmt.Errorf("%s lies in the project, which could have replaced it: set PARLEY_STATE to a directory elsewhere", a.Command)
	}
	if strings.ContainsRune(filepath.ToSlash(a.Command), '/') {
		cmd.Path, err = process.LookPath(a.Command, cmd.Dir, cmd.Env)
	} else {
		cmd.Path, err = path.Find(a.Command)
	}
	if err != nil {
		return err
	}
	if _, err := os.Stat(a.Interpreter); a.Interpreter != "" && err == nil {
		return path.Interpret(cmd, a.Interpreter)
	}
	return path.Interpret(cmd)
}

// NewSession returns the parameters for every session with an agent.
func (s *Setup) NewSession(a agents.Agent, p Directories) acpclient.NewSession {
	n := acpclient.NewSession{Cwd: p.Cwd, Roots: p.Roots}
	if dir := cmp.Or(s.Remote.cwd, a.Dir); a.URL != "" && dir != "" {
		n.Cwd, n.Roots = dir, nil // a directory on the agent's machine
	}
	for _, name := range slices.Sorted(maps.Keys(s.Config.MCP)) {
		m := s.Config.MCP[name]
		n.MCP = append(n.MCP, acpclient.MCPServer{Name: name, Type: m.Type, Command: m.Command, Args: m.Args,
			Env: pairs(m.Env), URL: m.URL, Headers: pairs(m.Headers)})
	}
	return n
}

func pairs(m map[string]string) []wire.EnvVar {
	out := []wire.EnvVar{}
	for _, name := range slices.Sorted(maps.Keys(m)) {
		out = append(out, wire.EnvVar{Name: name, Value: m[name]})
	}
	return out
}

// Directories is the directories in which a session works.
type Directories struct {
	Cwd   string   // absolute
	Roots []string // absolute
	// Origin is the directory that the worktree Cwd was made for, "" if it is none. The rules of its
	// project hold in the worktree, too: they may not be committed.
	Origin string
}

// NewDirectories makes the directories absolute and checks that they exist. From then on, programs in
// them are never looked up by name.
func NewDirectories(cwd string, roots []string) (Directories, error) {
	p := Directories{}
	var err error
	if p.Cwd, err = directory(cwd, "--cwd"); err != nil {
		return p, err
	}
	for _, r := range roots {
		dir, err := directory(r, "--add-dir")
		if err != nil {
			return p, err
		}
		p.Roots = append(p.Roots, dir)
	}
	programs.Guard(p.Cwd)
	programs.Guard(p.Roots...)
	return p, nil
}

// directory returns the absolute path of a directory that exists; "" is the current one. flag is where the
// user named it.
func directory(path, flag string) (string, error) {
	what := flag + " " + path
	if path == "" {
		path, what = ".", "the current directory"
	}
	abs, err := filepath.Abs(path)
	if err != nil { // the current directory was removed
		return "", Usagef("the current directory cannot be used: %v; go to another one", smallfile.Cause(err))
	}
	info, err := os.Stat(abs)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return "", Usagef("%s: no such directory", what)
	case err != nil:
		return "", Usagef("%s: %v", what, smallfile.Cause(err))
	case !info.IsDir():
		return "", Usagef("%s: not a directory", what)
	}
	return abs, nil
}

// Branch returns the branch of the git worktree that contains dir, "" if there is none. It reads
// files and runs nothing.
func Branch(dir string) string {
	for {
		git := filepath.Join(dir, ".git")
		if _, err := os.Lstat(git); err == nil {
			return branchOf(git)
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return ""
		}
		dir = parent
	}
}

// branchOf returns the branch checked out in .git. In a linked worktree .git is a file that names
// the directory.
func branchOf(git string) string {
	const most = 4 << 10
	if link, err := smallfile.Read(git, most); err == nil {
		path, ok := strings.CutPrefix(strings.TrimSpace(string(link)), "gitdir: ")
		if !ok {
			return ""
		}
		if !filepath.IsAbs(path) {
			path = filepath.Join(filepath.Dir(git), path)
		}
		git = path
	}
	head, _ := smallfile.Read(filepath.Join(git, "HEAD"), most)
	name, ok := strings.CutPrefix(strings.TrimSpace(string(head)), "ref: refs/heads/")
	if !ok || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r > '~' }) {
		return ""
	}
	return name
}
