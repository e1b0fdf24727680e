package installs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"parley/internal/agents"
	"parley/internal/programs"
	"parley/internal/registry"
	"parley/internal/safetext"
	"parley/internal/words"
)

// Plan is what an installation would do. It is shown to the user before it is done.
type Plan struct {
	Entry   registry.Entry
	Version string // that is installed, which may differ from the entry's
	Scripts bool   // install scripts of packages run

	store    Store
	how      string
	tool     string // the npm, uv or python that installs a package
	pack     registry.Package
	target   registry.Target
	unpack   unpacker // of the target; nil: it is the program itself
	size     int64    // bytes, 0 if unknown
	unpacked bool     // size is that of the installed package, without those that it needs
	checksum string   // what is checked
	license  string
}

// Options choose what is installed. The zero value installs the entry's version without scripts.
type Options struct {
	Version string
	Scripts bool
}

// lookPatience limits how long a look at what would be installed may take.
const lookPatience = 20 * time.Second

// NewPlan says how an agent would be installed on this machine. It asks a server for the size, but
// downloads nothing.
func NewPlan(ctx context.Context, s Store, e registry.Entry, o Options) (*Plan, error) {
	p := &Plan{Entry: e, Version: e.Version, Scripts: o.Scripts, store: s, license: e.License}
	if o.Version != "" {
		p.Version = o.Version
	}
	if err := p.distribution(o.Version); err != nil {
		return nil, fmt.Errorf("install %s: %w", e.ID, err)
	}
	ctx, stop := context.WithTimeout(ctx, lookPatience)
	defer stop()
	p.look(ctx)
	return p, nil
}

// Platform is the name of this system in the registry.
func Platform() string {
	arch := map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[runtime.GOARCH]
	if arch == "" {
		arch = runtime.GOARCH
	}
	return runtime.GOOS + "-" + arch
}

// distribution chooses the distribution: a program for this system, then npm, then Python.
func (p *Plan) distribution(version string) error {
	e := p.Entry
	if version != "" && !registry.IsVersion(version) {
		return fmt.Errorf("%q is no exact version", safetext.Line(version, 80))
	}
	missing := fmt.Errorf("there is none for this system (%s)", Platform())
	if target, here := e.Binary[Platform()]; here {
		missing = fmt.Errorf("the registry has version %s only", e.Version)
		if version == "" || version == e.Version {
			if p.unpack, missing = unpackerOf(target.Archive); missing == nil {
				p.how, p.target = "binary", target
				return nil
			}
		}
	}
	if e.NPX != nil {
		npm, err := programs.Find("npm")
		if err == nil {
			p.how, p.pack, p.tool = "npx", *e.NPX, npm
			if version != "" {
				p.pack.Version = version
			}
			return nil
		}
		missing = errors.New("it is an npm package, and npm is not installed: install Node.js")
	}
	if e.UVX != nil {
		for _, name := range []string{"uv", "python3", "python"} {
			if tool, err := programs.Find(name); err == nil {
				p.how, p.pack, p.tool = "uvx", *e.UVX, tool
				if version != "" {
					p.pack.Version = version
				}
				return nil
			}
		}
		missing = errors.New("it is a Python package, and neither uv nor Python is installed")
	}
	return missing
}

// look fills in what only a server knows. Whatever fails stays unknown.
func (p *Plan) look(ctx context.Context) {
	switch p.how {
	case "binary":
		p.checksum = "none in the registry"
		if p.target.SHA256 != "" {
			p.checksum = "SHA-256 " + p.target.SHA256
		}
		if size, err := registry.Size(ctx, p.target.Archive); err == nil && size > 0 {
			p.size = size
		}
	case "npx":
		p.checksum = "checked by npm"
		cmd := programs.Command(ctx, p.tool, "view", p.spec(), "--json", "dist.unpackedSize", "dist.integrity", "dist.tarball", "license")
		cmd.WaitDelay = time.Second
		out, err := cmd.Output()
		var said struct {
			Size      int64  `json:"dist.unpackedSize"`
			Integrity string `json:"dist.integrity"`
			Tarball   string `json:"dist.tarball"`
			License   string
		}
		if err != nil || json.Unmarshal(out, &said) != nil {
			return
		}
		p.size, p.unpacked = max(0, said.Size), true
		if p.size == 0 { // some registries do not say it
			size, _ := registry.Size(ctx, said.Tarball)
			p.size = max(0, size)
		}
		if kind, _, ok := strings.Cut(said.Integrity, "-"); ok {
			p.checksum = safetext.Line(strings.ToUpper(kind), 20) + " of the package registry, checked by npm"
		}
		if p.license == "" {
			p.license = safetext.Line(said.License, 80)
		}
	case "uvx":
		p.checksum = "of the package index, checked by " + p.installer()
	}
}

// spec is the package with its version as the installer takes it.
func (p *Plan) spec() string {
	if p.how == "uvx" {
		return p.pack.Name + "==" + p.pack.Version
	}
	return p.pack.Name + "@" + p.pack.Version
}

// Dir is where the version goes.
func (p *Plan) Dir() string { return p.store.version(p.Entry.ID, p.Version) }

func (p *Plan) files() string { return filepath.Join(p.Dir(), filesDir) }

// Fact is a line of a plan.
type Fact struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Facts say what would be done: the exact command or download, where it goes, its size, licence and
// checksum, and what is started then. home is shortened to ~. letScripts is the key or flag with which the user lets scripts run.
func (p *Plan) Facts(home, letScripts string) []Fact {
	facts := []Fact{{"Installs", p.Entry.Name + " " + p.Version}}
	add := func(name, value string) {
		if value != "" {
			facts = append(facts, Fact{name, value})
		}
	}
	if p.how == "binary" {
		add("Downloads", p.target.Archive)
	}
	for _, line := range p.commands() {
		add("Runs", words.ShortenHome(line, home))
	}
	add("Into", words.ShortenHome(p.Dir(), home))
	size := "unknown"
	switch {
	case p.size > 0 && p.unpacked:
		size = words.Bytes(p.size) + ", without the packages that it needs"
	case p.size > 0:
		size = words.Bytes(p.size)
	}
	add("Size", size)
	license := p.license
	if license == "" {
		license = "not stated"
	}
	add("License", license)
	add("Checksum", p.checksum)
	if p.HasScripts() {
		scripts := map[bool]string{false: "install scripts of packages do not run (" + letScripts + " runs them)", true: "install scripts of packages run"}
		if p.how == "uvx" {
			scripts = map[bool]string{false: "no package is built from source (" + letScripts + " builds them)", true: "packages without a built file are built from source, by scripts of their own"}
		}
		add("Scripts", scripts[p.Scripts])
	}
	add("Starts", p.starts())
	return facts
}

// HasScripts reports whether it depends on Scripts what is done.
func (p *Plan) HasScripts() bool { return p.how != "binary" }

// starts is the command that starts it, with its variables.
func (p *Plan) starts() string {
	a := agents.Agent{Command: p.pack.Name, Args: p.pack.Args}
	env := p.pack.Env
	if p.how == "binary" {
		a, env = agents.Agent{Command: p.target.Command, Args: p.target.Args}, p.target.Env
	}
	line := a.CommandLine()
	for _, name := range slices.Backward(sortedKeys(env)) {
		line = (agents.Agent{Command: name + "=" + env[name]}).CommandLine() + " " + line
	}
	return line
}

// Progress is how far an installation is.
type Progress struct {
	Doing string // "Downloading", …
	Done  int64  // bytes
	Total int64  // bytes, 0 if unknown
}

func (p Progress) String() string {
	switch {
	case p.Total > 0:
		return fmt.Sprintf("%s: %s of %s", p.Doing, words.Bytes(p.Done), words.Bytes(p.Total))
	case p.Done > 0:
		return p.Doing + ": " + words.Bytes(p.Done)
	}
	return p.Doing + "…"
}

// Install does what the plan says, then has try start the agent; nothing of the new version is used, and the
// old one stays, unless try returns nil. tell is called with the progress, on this goroutine or another.
func (p *Plan) Install(ctx context.Context, pinned bool, tell func(Progress), try func(ctx context.Context, a agents.Agent) error) (Installed, error) {
	id := p.Entry.ID
	unlock, err := p.store.lock(id)
	if err != nil {
		return Installed{}, err
	}
	defer unlock()
	r, err := p.store.record(id, p.Version)
	wasThere := err == nil
	if wasThere && !p.made(r) {
		return Installed{}, fmt.Errorf("install %s %s: that version is there, and the registry describes another one now; remove it first: parley agents remove %[1]s@%[2]s", id, p.Version)
	}
	if !wasThere {
		if err := p.build(ctx, tell); err != nil {
			err = fmt.Errorf("install %s %s: %w%s", id, p.Version, err, p.advice(ctx))
			return Installed{}, errors.Join(err, p.discard())
		}
		if r, err = p.store.record(id, p.Version); err != nil {
			return Installed{}, err
		}
	}
	fresh := Installed{Record: r, Dir: p.Dir()}
	tell(Progress{Doing: "Starting it once"})
	if err := try(ctx, fresh.Agent()); err != nil {
		err = fmt.Errorf("%s %s was installed, but does not answer: %w%s", id, p.Version, err, p.advice(ctx))
		if wasThere {
			return Installed{}, err
		}
		return Installed{}, errors.Join(err, p.discard())
	}
	if err := p.store.use(id, p.Version, pinned); err != nil {
		return Installed{}, err
	}
	return p.store.Find(id)
}

// made reports whether a version that is there is what the plan shows. Of an older one the registry says nothing.
func (p *Plan) made(r Record) bool {
	if p.Version != p.Entry.Version {
		return true
	}
	args, env := p.pack.Args, p.pack.Env
	if p.how == "binary" {
		args, env = p.target.Args, p.target.Env
	}
	return r.How == p.how && r.Package == p.pack.Name && r.URL == p.target.Archive && (p.target.SHA256 == "" || r.SHA256 == p.target.SHA256) &&
		slices.Equal(r.Args, args) && maps.Equal(r.Env, env)
}

// advice is what to try after a failure.
func (p *Plan) advice(ctx context.Context) string {
	if !p.HasScripts() || p.Scripts || ctx.Err() != nil {
		return ""
	}
	return "; perhaps its install scripts have to run: parley agents install --scripts " + p.Entry.ID
}

// discard removes what a failed installation has left, and the directory of the agent if there is nothing
// else in it.
func (p *Plan) discard() error {
	err := os.RemoveAll(p.Dir())
	dir := filepath.Join(p.store.Dir, p.Entry.ID)
	if entries, _ := os.ReadDir(dir); len(entries) == 1 && entries[0].Name() == lockFile {
		err = errors.Join(err, os.RemoveAll(dir))
	}
	return err
}

// build makes the files of the version and its record.
func (p *Plan) build(ctx context.Context, tell func(Progress)) error {
	if err := os.RemoveAll(p.Dir()); err != nil { // what is left of one that failed
		return err
	}
	if err := os.MkdirAll(p.files(), 0o700); err != nil {
		return err
	}
	r := Record{ID: p.Entry.ID, Name: p.Entry.Name, Version: p.Version, Description: p.Entry.Description, License: p.license, How: p.how,
		Args: p.pack.Args, Env: p.pack.Env, Package: p.pack.Name}
	var err error
	switch p.how {
	case "binary":
		r.Args, r.Env, r.URL = p.target.Args, p.target.Env, p.target.Archive
		r.SHA256, err = p.download(ctx, tell)
		r.Program = p.target.Command
	case "npx":
		err = p.npm(ctx, tell, &r)
	default:
		err = p.python(ctx, tell, &r)
	}
	if err != nil {
		return err
	}
	return p.write(r)
}
