package installs

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"parley/internal/agents"
	"parley/internal/atomicfile"
	"parley/internal/process"
	"parley/internal/programs"
	"parley/internal/safetext"
)

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// installer is the name of what installs a package: npm, uv or pip.
func (p *Plan) installer() string {
	if name := p.toolName(); name == "npm" || name == "uv" {
		return name
	}
	return "pip"
}

func (p *Plan) toolName() string { return strings.TrimSuffix(filepath.Base(p.tool), ".exe") }

// steps are the commands that install a package, each the file of a program and its arguments.
func (p *Plan) steps() [][]string {
	in := func(elem ...string) string { return filepath.Join(append([]string{p.files()}, elem...)...) }
	switch {
	case p.how == "npx":
		return [][]string{{p.tool, "install", "--prefix", p.files(), "--global=false", "--ignore-scripts=" + fmt.Sprint(!p.Scripts), "--save-exact", "--omit=dev", "--no-audit", "--no-fund", p.spec()}}
	case p.how == "uvx" && p.installer() == "uv":
		args := []string{p.tool, "tool", "install", "--no-config"}
		if !p.Scripts {
			args = append(args, "--no-build")
		}
		return [][]string{append(args, p.spec())}
	case p.how == "uvx":
		args := []string{in("venv", scriptsDir, "python"), "-m", "pip", "install", "--no-input", "--disable-pip-version-check"}
		if !p.Scripts {
			args = append(args, "--only-binary", ":all:")
		}
		return [][]string{{p.tool, "-m", "venv", in("venv")}, append(args, p.spec())}
	}
	return nil
}

// commands are the steps as typed in a shell.
func (p *Plan) commands() (lines []string) {
	for _, step := range p.steps() {
		name := step[0]
		if name == p.tool {
			name = p.toolName()
		}
		lines = append(lines, agents.Agent{Command: name, Args: step[1:]}.CommandLine())
	}
	return lines
}

// scriptsDir is where a virtual environment has its programs.
var scriptsDir = map[bool]string{false: "bin", true: "Scripts"}[runtime.GOOS == "windows"]

// npm installs a package of npm. A package.json stops npm's search for one in directories above.
func (p *Plan) npm(ctx context.Context, tell func(Progress), r *Record) error {
	if err := os.WriteFile(filepath.Join(p.files(), "package.json"), []byte("{\"private\":true}\n"), 0o600); err != nil {
		return err
	}
	if err := p.run(ctx, tell, nil); err != nil {
		return err
	}
	program, err := npmProgram(p.files(), p.pack.Name)
	if err != nil {
		return err
	}
	r.Program = program
	r.Interpreter = nodeFile(ctx)
	return nil
}

// nodeFile returns the node that PATH means outside of projects, where a wrapper of a version manager may mean
// another one. "" if that is not known.
func nodeFile(ctx context.Context) string {
	node, err := programs.Find("node")
	if err != nil {
		return ""
	}
	out, err := programs.Command(ctx, node, "-p", "process.execPath").Output()
	if file := strings.TrimSpace(string(out)); err == nil && filepath.IsAbs(file) && safetext.Line(file, 4000) == file {
		return file
	}
	return ""
}

// npmProgram returns the program of an installed package that npx would run: its only one, or the one that has
// the package's name. The path is below dir.
func npmProgram(dir, name string) (string, error) {
	var manifest struct{ Bin json.RawMessage }
	if err := readJSON(filepath.Join(dir, "node_modules", filepath.FromSlash(name), "package.json"), &manifest); err != nil {
		return "", fmt.Errorf("read what npm has installed: %w", err)
	}
	own := path.Base(name)
	bins := map[string]string{}
	var one string
	if json.Unmarshal(manifest.Bin, &one) == nil {
		bins[own] = one
	} else if err := json.Unmarshal(manifest.Bin, &bins); err != nil {
		return "", fmt.Errorf("%s has no program", name)
	}
	return choose(dir, path.Join("node_modules", ".bin"), own, sortedKeys(bins))
}

// choose returns the program that has a package's name, or the only one, below dir.
func choose(dir, at, own string, names []string) (string, error) {
	name := own
	switch {
	case slices.Contains(names, own):
	case len(names) == 1:
		name = names[0]
	case len(names) == 0:
		return "", errors.New("the package has no program")
	default:
		return "", fmt.Errorf("the package has the programs %s, and none is named %s", safetext.Line(strings.Join(names, ", "), 200), own)
	}
	if name != path.Base(name) || strings.ContainsAny(name, "\\:\x00") || safetext.Line(name, 200) != name {
		return "", fmt.Errorf("the package has a program named %q", safetext.Line(name, 80))
	}
	found, err := process.LookPath(filepath.Join(dir, filepath.FromSlash(at), name), dir, os.Environ()) // on Windows it adds the extension
	if err != nil {
		return "", fmt.Errorf("the program of the package is missing: %w", err)
	}
	return path.Join(at, filepath.Base(found)), nil
}

// python installs a package of PyPI, with uv or in a virtual environment.
func (p *Plan) python(ctx context.Context, tell func(Progress), r *Record) error {
	uv := p.installer() == "uv"
	var env []string
	if uv {
		env = []string{"UV_TOOL_DIR=" + filepath.Join(p.files(), "tools"), "UV_TOOL_BIN_DIR=" + filepath.Join(p.files(), "bin")}
	}
	if err := p.run(ctx, tell, env); err != nil {
		return err
	}
	own, _, _ := strings.Cut(p.pack.Name, "[")
	var err error
	if uv {
		r.Program, err = choose(p.files(), "bin", own, namesIn(filepath.Join(p.files(), "bin")))
	} else {
		r.Program, err = choose(p.files(), "venv/"+scriptsDir, own, entryPoints(filepath.Join(p.files(), "venv"), own))
	}
	return err
}

func namesIn(dir string) (names []string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".exe"))
	}
	return names
}

// entryPoints returns the programs of a package in a virtual environment.
func entryPoints(venv, name string) (names []string) {
	normal := strings.ToLower(strings.NewReplacer("-", "_", ".", "_").Replace(name))
	_ = filepath.WalkDir(venv, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() != "entry_points.txt" {
			return nil
		}
		of, _, _ := strings.Cut(filepath.Base(filepath.Dir(file)), "-")
		if strings.ToLower(strings.ReplaceAll(of, ".", "_")) != normal {
			return nil
		}
		data, err := os.ReadFile(file)
		if err != nil || len(data) > maxFile {
			return nil
		}
		_, scripts, _ := strings.Cut(string(data), "[console_scripts]")
		for line := range strings.Lines(scripts) {
			if strings.HasPrefix(line, "[") {
				break
			}
			if name, _, ok := strings.Cut(line, "="); ok {
				names = append(names, strings.TrimSpace(name))
			}
		}
		return filepath.SkipAll
	})
	return names
}

// run runs the steps in the directory of the files, and says how much is in it meanwhile.
func (p *Plan) run(ctx context.Context, tell func(Progress), env []string) error {
	log, err := os.OpenFile(filepath.Join(p.Dir(), logFile), os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	for _, step := range p.steps() {
		cmd := programs.Command(context.WithoutCancel(ctx), step[0], step[1:]...)
		cmd.Dir, cmd.Stdout, cmd.Stderr = p.files(), log, log
		cmd.Env = append(append(cmd.Env, env...), "PWD="+p.files())
		group, err := process.Start(cmd)
		if err != nil {
			return err
		}
		err = p.watch(ctx, group, tell)
		group.Kill()
		if err != nil {
			err = fmt.Errorf("%s: %w%s", filepath.Base(step[0]), err, lastLines(log.Name()))
			if !p.Scripts && ctx.Err() == nil {
				err = fmt.Errorf("%w; perhaps it needs --scripts", err)
			}
			return err
		}
	}
	return nil
}

// watch waits for a step. The size of what it has written is its progress.
func (p *Plan) watch(ctx context.Context, group *process.Group, tell func(Progress)) error {
	doing := Progress{Doing: "Installing with " + p.installer()}
	tell(doing)
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-tick.C:
			doing.Done = sizeOf(p.files())
			if doing.Done > maxUnpacked {
				return fmt.Errorf("more than %d GB", maxUnpacked>>30)
			}
			tell(doing)
		case <-group.Done():
			if state := group.Wait(); !state.Success() {
				return errors.New(state.String())
			}
			return nil
		}
	}
}

func sizeOf(dir string) (total int64) {
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			if info, err := d.Info(); err == nil {
				total += info.Size()
			}
		}
		return nil
	})
	return total
}

// lastLines returns the end of a log for an error of one line.
func lastLines(file string) string {
	data, _ := os.ReadFile(file)
	if len(data) > 2000 {
		data = data[len(data)-2000:]
		data = data[bytes.IndexByte(data, '\n')+1:]
	}
	var said []string
	for _, line := range strings.Split(strings.ToValidUTF8(string(data), ""), "\n") {
		if line = safetext.Line(line, 300); line != "" {
			said = append(said, line)
		}
	}
	said = said[max(0, len(said)-3):]
	if len(said) == 0 {
		return ""
	}
	return ": " + strings.Join(said, "; ")
}

// write writes the record of a version, which makes it count.
func (p *Plan) write(r Record) error {
	r.Installed = time.Now().UTC().Truncate(time.Second)
	data, err := json.MarshalIndent(r, "", "\t")
	if err != nil {
		return err
	}
	return atomicfile.Write(filepath.Join(p.Dir(), recordFile), data)
}
