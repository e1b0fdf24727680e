// Package cli is what the subcommands of parley share: which agents there are,
// how one is started, and the subcommands that need no screen.
package cli

import (
	"cmp"
	"context"
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
	"time"

	"github.com/spf13/cobra"

	"parley/acpclient"
	"parley/acpclient/event"
	"parley/acpclient/wire"
	"parley/internal/agents"
	"parley/internal/config"
	"parley/internal/host"
	"parley/internal/npx"
	"parley/internal/process"
	"parley/internal/programs"
	"parley/internal/record"
	"parley/internal/safetext"
	"parley/internal/sandbox"
)

// UsageError is a mistake of the user's: one line, exit code 2.
type UsageError struct{ What string }

func (e UsageError) Error() string { return e.What }

// Usagef makes a UsageError.
func Usagef(format string, args ...any) error { return UsageError{fmt.Sprintf(format, args...)} }

// NoArgs is cobra.NoArgs as a UsageError.
func NoArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return Usagef("%s takes no argument %q; see --help", cmd.CommandPath(), args[0])
	}
	return nil
}

// Streams are the program's own.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// Complain writes one line to Err, made safe: what is wrong often names what a project or
// an agent has named.
func (s Streams) Complain(text string) {
	fmt.Fprintf(s.Err, "parley: %s\n", strings.ReplaceAll(safetext.Clean(text), "\n", " "))
}

// Setup is what the configuration and the machine offer.
type Setup struct {
	Config *config.Config
	Agents []agents.Agent // in the order to offer them; see Join

	// Warn is told in a line what the user should know while a session goes on: what
	// cannot be kept. It must not wait; any goroutine. nil: only the log is.
	Warn func(line string)

	joining sync.Mutex

	// Protocol is the version of ACP to speak, whatever the agents' own setting:
	// auto, 1 or 2; "" for that setting.
	Protocol string
	Remote   RemoteFlags
	jars     jars
	versions acpclient.Versions

	// Sandbox says whether agents and their commands are bound, whatever the
	// configuration says; nil for that.
	Sandbox *bool
	boxing  sync.Once
	box     *sandbox.Sandbox
	boxErr  error

	// OfferTools says whether agents of ACP v2 are offered files and commands,
	// whatever the configuration says; nil for that.
	OfferTools *bool
}

// protocol is the version to speak with an agent.
func (s *Setup) protocol(a agents.Agent) string {
	if s.Protocol != "" {
		return s.Protocol
	}
	return a.Protocol
}

// CheckProtocol refuses what --protocol does not know.
func CheckProtocol(name string) error {
	switch name {
	case "", "auto", "1", "2":
		return nil
	}
	return Usagef("--protocol %s: want auto, 1 or 2", name)
}

// newSetup is what every Setup begins as. It withholds what is for parley itself, which the configuration and the flags
// name.
func newSetup(c *config.Config, remote RemoteFlags) *Setup {
	withhold(c, remote)
	return &Setup{Config: c, Remote: remote}
}

// Load reads the configuration and looks the known agents up. An error is a
// UsageError of one line.
func Load(remote RemoteFlags) (*Setup, error) {
	path, err := config.Path()
	if err != nil && !errors.Is(err, config.ErrNoHome) {
		return nil, UsageError{err.Error()}
	}
	c, err := config.Load(path)
	if err != nil {
		return nil, UsageError{err.Error()}
	}
	s := newSetup(c, remote)
	s.Agents, s.versions = merge(c, agents.Discover(programs.NewPath(os.Environ()).Find)), rememberedVersions()
	names := make([]string, 0, len(s.Agents))
	for _, a := range s.Agents {
		names = append(names, a.Name)
	}
	if err := c.Validate(names); err != nil {
		return nil, UsageError{err.Error()}
	}
	return s, nil
}

// TellIgnored has say called with a line about programs that parley does not start because
// they lie in the project, one for each directory. say must not wait; any goroutine.
func TellIgnored(say func(line string)) {
	programs.OnSkipped(func(file string) {
		dir, name := filepath.Split(safetext.Line(file, 300))
		say("Ignored: " + name + ", which PATH finds in the project (" + filepath.Clean(dir) + ")")
	})
}

// merge puts the agents of the configuration first; they replace known ones of
// the same name.
func merge(c *config.Config, known []agents.Agent) []agents.Agent {
	var own []agents.Agent
	for _, name := range slices.Sorted(maps.Keys(c.Agents)) {
		a := c.Agents[name]
		own = append(own, agents.Agent{Name: name, Title: name, Command: a.Command, Args: a.Args, Env: a.Env, Dir: a.Cwd, Protocol: a.Protocol, URL: a.URL, Source: agents.Config})
	}
	for _, k := range known {
		if _, ok := c.Agents[k.Name]; !ok {
			own = append(own, k)
		}
	}
	return own
}

// Find returns the agent of that name, or at that URL, ready to be started.
func (s *Setup) Find(name string) (agents.Agent, error) {
	if IsURL(name) {
		return AtURL(name)
	}
	s.joining.Lock()
	a, ok := agents.Find(s.Agents, name)
	s.joining.Unlock()
	if !ok {
		return a, Usagef("no agent %q; `parley agents` lists them, `parley -- %s …` runs a command", name, name)
	}
	if a.Source == agents.Missing {
		return a, Usagef("%s is not installed: %s", a.Name, a.Install)
	}
	return a, nil
}

// Default is the agent to use where none is named: the configured one, else the
// first that is installed, else the demo. ok is false for the last.
func (s *Setup) Default() (a agents.Agent, ok bool) {
	if s.Config.Agent != "" {
		if a, err := s.Find(s.Config.Agent); err == nil {
			return a, true
		}
	}
	for _, a := range s.Agents {
		if a.Source == agents.Config || a.Source == agents.Path {
			return a, true
		}
	}
	a, _ = agents.Find(s.Agents, agents.Demo)
	return a, false
}

// Custom is the agent of a command line.
func Custom(words []string) agents.Agent {
	return agents.Agent{Name: filepath.Base(words[0]), Title: words[0], Command: words[0], Args: words[1:], Source: agents.Custom}
}

// Typed is the agent that a line stands for: one at a URL, or a command with its
// arguments, split as a shell does. It joins the agents, so that Find knows it; its
// name is that of no other. It may be called from any goroutine.
func (s *Setup) Typed(line string) (agents.Agent, error) {
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

// agentEnviron is env with the variables of an agent's own.
func agentEnviron(a agents.Agent, env []string) []string {
	env = slices.Clip(env)
	for _, name := range slices.Sorted(maps.Keys(a.Env)) {
		env = append(env, name+"="+a.Env[name])
	}
	return env
}

// program is the program of an agent that works in a place, ready to be started by its
// absolute path. A name is never that of a program in the project; a relative path, which
// only the command line can have, is. The command is never nil.
func (s *Setup) program(a agents.Agent, p Place) (*exec.Cmd, error) {
	cmd := &exec.Cmd{Path: a.Command, Args: append([]string{a.Command}, a.Args...), Env: agentEnviron(a, os.Environ()), Dir: cmp.Or(a.Dir, p.Cwd)}
	path := programs.NewPath(cmd.Env)
	cmd.Env = programs.Environ(cmd.Env)
	err := find(cmd, path, a, p)
	if err != nil {
		err = &event.StartError{Command: safetext.Line(a.Command, 200), Err: err}
	}
	return cmd, err
}

// find looks the program of a command up.
func find(cmd *exec.Cmd, path programs.Path, a agents.Agent, p Place) (err error) {
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
	if strings.ContainsRune(filepath.ToSlash(a.Command), '/') {
		cmd.Path, err = process.LookPath(a.Command, cmd.Dir, cmd.Env)
	} else {
		cmd.Path, err = path.Find(a.Command)
	}
	if err != nil {
		return err
	}
	return path.Interpret(cmd)
}

// NewSession is what every session with an agent is opened with.
func (s *Setup) NewSession(a agents.Agent, p Place) acpclient.NewSession {
	n := acpclient.NewSession{Cwd: p.Cwd, Roots: p.Roots}
	if dir := cmp.Or(s.Remote.cwd, a.Dir); a.URL != "" && dir != "" {
		n.Cwd, n.Roots = dir, nil // a place on the agent's machine
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

// Place is where a session works.
type Place struct {
	Cwd   string   // absolute
	Roots []string // absolute
}

// NewPlace makes the directories absolute and checks that they are there. From then on
// no program is found in them.
func NewPlace(cwd string, roots []string) (Place, error) {
	p := Place{}
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

func directory(path, flag string) (string, error) {
	if path == "" {
		path = "."
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", Usagef("%s %s: %v", flag, path, err)
	}
	info, err := os.Stat(abs)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return "", Usagef("%s %s: no such directory", flag, path)
	case err != nil:
		return "", Usagef("%s %s: %v", flag, path, err)
	case !info.IsDir():
		return "", Usagef("%s %s: not a directory", flag, path)
	}
	return abs, nil
}

// Connection is a started agent with a session and its services.
type Connection struct {
	Client  *acpclient.Client
	Session *acpclient.Session
	Host    *host.Host

	// Record is the log. Close ends it, unless the connection was lost: another one may
	// take its place (Opening.Record), or whoever has it closes it.
	Record *Record

	journals *journals // nil: there is no place for them, or the agent runs elsewhere
	asked    string    // where the record of questions is; "" without one
}

// Connect starts an agent and opens a session. patience bounds both together,
// 0 for no bound. When the agent wants a login first, the error comes with a
// connection that has no session yet.
func (s *Setup) Connect(ctx context.Context, a agents.Agent, place Place, opening Opening, patience time.Duration, sink event.Sink, log *event.Log) (*Connection, error) {
	if patience > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeoutCause(ctx, patience, fmt.Errorf("no answer within %s (--start-timeout)", patience))
		defer stop()
	}
	tools, err := s.tools(a)
	if err != nil {
		return nil, err
	}
	shared, err := s.shared(a, place)
	if err != nil {
		return nil, err
	}
	bounds, err := s.bounds()
	if err != nil {
		return nil, err
	}
	opts := host.Options{Sink: sink, Agent: a.Name, Remote: shared, Rules: Rules(place, a.URL == ""), Record: s.NewQuestions(s.questionsFail(log)), Commands: commands(), Sandbox: bounds, Tools: tools,
		Version: Version(), Log: log, Keyboard: true}
	var watched *journals
	if a.URL == "" {
		if watched = newJournals(log, s.warn); watched != nil {
			opts.Opened, opts.Closed, opts.Wrote = watched.open, watched.close, watched.wrote
		}
	}
	h := host.New(opts)
	rec := opening.Record
	if rec == nil {
		rec = s.record(a, place, log)
	}
	client, err := s.client(ctx, a, place, acpclient.Options{Name: "parley", Version: Version(), Sink: sink, Services: h.Services(), Log: log, Tap: rec.tap(), Numbers: &rec.numbers,
		Elicit: true, TerminalLogin: true, Protocol: s.protocol(a), Versions: s.versions})
	if err != nil {
		h.Close()
		if opening.Record == nil {
			rec.Close()
		}
		return nil, err
	}
	c := &Connection{Client: client, Host: h, Record: rec, journals: watched, asked: s.questions()}
	c.Session, err = opening.Open(ctx, client, s.NewSession(a, place))
	rec.introduced(client.Agent())
	var answered *event.AgentError
	if err != nil && !(errors.As(err, &answered) && answered.AuthRequired()) {
		c.Close()
		return nil, err
	}
	return c, err
}

// Close ends the agent and the commands started for it, both at once.
func (c *Connection) Close() {
	var wait sync.WaitGroup
	wait.Go(func() { c.Client.Close() })
	wait.Go(c.Host.Close)
	wait.Wait()
	var lost *event.LostError
	if !errors.As(c.Client.Err(), &lost) {
		c.Record.Close()
	}
	if c.journals != nil {
		c.journals.closeAll()
	}
}

// Branch returns the branch of the git work tree that contains dir, "" if there is none. It reads files
// and runs nothing.
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

// branchOf returns the branch that .git has checked out. In a linked work tree .git is a file that names
// the directory.
func branchOf(git string) string {
	if link, ok := readShort(git); ok {
		path, ok := strings.CutPrefix(link, "gitdir: ")
		if !ok {
			return ""
		}
		if !filepath.IsAbs(path) {
			path = filepath.Join(filepath.Dir(git), path)
		}
		git = path
	}
	head, _ := readShort(filepath.Join(git, "HEAD"))
	name, ok := strings.CutPrefix(head, "ref: refs/heads/")
	if !ok || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r > '~' }) {
		return ""
	}
	return name
}

// readShort returns the text of a short regular file. An agent may have put anything there, such as a
// pipe that nobody writes to.
func readShort(path string) (string, bool) {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() || info.Size() > 4<<10 {
		return "", false
	}
	text, err := os.ReadFile(path)
	return strings.TrimSpace(string(text)), err == nil
}
