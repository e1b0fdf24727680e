package config

import (
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"parley/internal/registry"
)

// check validates the values, replaces ~ and fills in the type of MCP servers. It returns
// the first problem in the file.
func (c *Config) check() *problem {
	k := checker{doc: c.doc}
	k.text(c.Agent, "agent")
	k.oneOf(c.Notify, Notifications, "notify")
	k.oneOf(c.Progress, []string{"auto", "on", "off"}, "progress")
	k.oneOf(c.Density, []string{"normal", "everything", "quiet"}, "density")
	k.oneOf(c.SidePanel, []string{"auto", "on", "off"}, "side_panel")
	k.duration(c.StartTimeout, "start_timeout")
	k.duration(c.ResumeWithin, "resume_within")
	k.duration(c.KeepFor, "keep_for")
	k.oneOf(c.Theme, Themes, "theme")
	if c.NotifyCommand != nil {
		k.program(c.NotifyCommand, "notify_command")
	}
	for i := range c.SandboxWrite {
		k.path(&c.SandboxWrite[i], "sandbox_write")
	}
	k.registry(c.Registry)
	for name, a := range c.Agents {
		k.agent(&a, "agents", name)
		c.Agents[name] = a
	}
	for name, m := range c.MCP {
		k.server(&m, "mcp", name)
		c.MCP[name] = m
	}
	if len(k.found) == 0 {
		return nil
	}
	first := slices.MinFunc(k.found, func(a, b problem) int { return a.at.compare(b.at) })
	return &first
}

type checker struct {
	doc   *document
	found []problem
}

func (k *checker) report(path []string, format string, args ...any) {
	k.found = append(k.found, problem{k.doc.place(path...), fmt.Sprintf(format, args...)})
}

func (k *checker) duration(value, name string) {
	if d, err := time.ParseDuration(value); value != "" && (err != nil || d < 0) {
		k.report([]string{name}, "%s = %s: want 90s, 10m, … or 0s", name, show(value))
	}
}

func (k *checker) registry(value any) {
	switch value := value.(type) {
	case string:
		if err := registry.CheckURL(value); err != nil {
			k.report([]string{"registry"}, "registry: %v: want https://host/file, http only on this machine, or false", err)
		}
	case bool:
		if value {
			k.report([]string{"registry"}, "registry = true: want a URL or false")
		}
	}
}

func (k *checker) agent(a *Agent, path ...string) {
	k.name(path)
	switch {
	case a.Command != "" && a.URL != "":
		k.report(path, "%s: set either command or url, not both", dotted(path))
	case a.URL != "":
		k.remote(a, path)
	case a.Command == "":
		k.report(path, "%s: set command or url", dotted(path))
	default:
		k.local(a, path)
	}
	k.process(&a.Command, a.Args, a.Env, path)
	if a.EnvFile != "" {
		k.path(&a.EnvFile, append(path, "env_file")...)
	}
	for there, here := range a.Paths {
		at := append(slices.Clone(path), "paths", there)
		if !strings.HasPrefix(there, "/") || strings.IndexByte(there, 0) >= 0 {
			k.report(at, "%s: want an absolute path of the agent's machine", dotted(at))
		}
		if here == "." {
			continue
		}
		k.path(&here, at...)
		a.Paths[there] = here
	}
	if len(a.Prefix) > 0 {
		k.process(&a.Prefix[0], a.Prefix[1:], nil, append(path, "prefix"))
	}
	k.cwd(&a.Cwd, append(path, "cwd"))
	k.oneOf(a.Protocol, []string{"auto", "1", "2"}, append(path, "protocol")...)
	if a.SystemPrompt != "" {
		k.path(&a.SystemPrompt, append(path, "system_prompt")...)
	}
	k.requires(a.SystemPromptMode != "" && a.SystemPrompt == "", "system_prompt", append(path, "system_prompt_mode"))
	k.oneOf(a.SystemPromptMode, SystemPromptModes, append(path, "system_prompt_mode")...)
}

func (k *checker) server(m *MCPServer, path ...string) {
	k.name(path)
	types := []string{"stdio"}
	switch {
	case m.Command != "" && m.URL != "":
		k.report(path, "%s: set either command or url, not both", dotted(path))
		return
	case m.Command == "" && m.URL == "":
		k.report(path, "%s: set command or url", dotted(path))
		return
	case m.URL != "":
		types = []string{"http", "sse"}
		k.url(m.URL, append(path, "url"))
		k.requires(m.Args != nil, "command", append(path, "args"))
		k.requires(m.Env != nil, "command", append(path, "env"))
		k.headers(m.Headers, append(path, "headers"))
	default:
		k.process(&m.Command, m.Args, m.Env, path)
		k.requires(m.Headers != nil, "url", append(path, "headers"))
	}
	k.oneOf(m.Type, types, append(path, "type")...)
	if m.Type == "" {
		m.Type = types[0]
	}
}

// requires reports a key that makes no sense without another one.
func (k *checker) requires(there bool, with string, path []string) {
	if there {
		k.report(path, "%s: only with %s", dotted(path), with)
	}
}

func (k *checker) name(path []string) {
	if name := path[len(path)-1]; !isBare(name) {
		k.report(path, `%s: want a name of letters, digits, "-", "_" and "."`, dotted(path))
	}
}

func (k *checker) process(command *string, args []string, env map[string]string, path []string) {
	if *command != "" {
		k.command(command, append(path, "command"))
	}
	for _, arg := range args {
		k.text(arg, append(path, "args")...)
	}
	for name, value := range env {
		at := append(slices.Clone(path), "env", name)
		if name == "" || strings.ContainsAny(name, "=\x00") {
			k.report(at, "%s: not the name of an environment variable", dotted(at))
		}
		k.text(value, at...)
	}
}

// text rejects what cannot be passed to a process.
func (k *checker) text(value string, path ...string) {
	if strings.IndexByte(value, 0) >= 0 {
		k.report(path, "%s: contains a NUL character", dotted(path))
	}
}

// command replaces ~. A relative path would mean another program in each project.
func (k *checker) command(command *string, path []string) {
	k.text(*command, path...)
	if !k.home(command, path) {
		return
	}
	if strings.ContainsFunc(*command, isSeparator) && !filepath.IsAbs(*command) {
		k.report(path, "%s = %s: want a name on PATH, an absolute path or one from ~/", path[len(path)-1], show(*command))
	}
}

// program checks a program and its arguments.
func (k *checker) program(argv []string, path ...string) {
	if len(argv) == 0 || argv[0] == "" {
		k.report(path, "%s: want a program and its arguments", dotted(path))
		return
	}
	k.command(&argv[0], path)
	for _, arg := range argv[1:] {
		k.text(arg, path...)
	}
}

func (k *checker) cwd(cwd *string, path []string) {
	k.text(*cwd, path...)
	if *cwd == "" || !k.home(cwd, path) {
		return
	}
	if !filepath.IsAbs(*cwd) {
		k.report(path, "cwd = %s: want an absolute path or one from ~/", show(*cwd))
	}
}

// path replaces ~ and requires a path that does not depend on the current directory.
func (k *checker) path(value *string, path ...string) {
	k.text(*value, path...)
	if k.home(value, path) && !filepath.IsAbs(*value) {
		k.report(path, "%s: %s: want an absolute path or one from ~/", dotted(path), show(*value))
	}
}

// home replaces ~ and a leading ~/ by the home directory.
func (k *checker) home(value *string, path []string) bool {
	rest, ok := strings.CutPrefix(*value, "~")
	if !ok || rest != "" && !os.IsPathSeparator(rest[0]) {
		return true
	}
	home, err := os.UserHomeDir()
	if err != nil {
		k.report(path, "%s: ~: %v", dotted(path), err)
		return false
	}
	*value = filepath.Join(home, rest)
	return true
}

func (k *checker) oneOf(value string, allowed []string, path ...string) {
	if value == "" && k.doc.place(path...) == (place{}) || slices.Contains(allowed, value) {
		return
	}
	want := allowed[0]
	if last := len(allowed) - 1; last > 0 {
		want = strings.Join(allowed[:last], ", ") + " or " + allowed[last]
	}
	k.report(path, "%s = %s: want %s", path[len(path)-1], show(value), want)
}

// url checks a URL without showing it: it may contain a password.
func (k *checker) url(value string, path []string) {
	u, err := url.Parse(value)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		k.report(path, "url: want http://host or https://host")
	} else {
		k.port(u, path)
	}
}

func (k *checker) port(u *url.URL, path []string) {
	if !HasValidPort(u) {
		k.report(path, "url: want a port of 1 to 65535")
	}
}

// HasValidPort reports whether the port of a URL exists, or is that of its scheme. Package url checks no more than that it
// is a number.
func HasValidPort(u *url.URL) bool {
	n, err := strconv.ParseUint(u.Port(), 10, 16)
	return u.Port() == "" || err == nil && n > 0
}

// headers checks headers without showing their values.
func (k *checker) headers(headers map[string]string, path []string) {
	for name, value := range headers {
		at := append(slices.Clone(path), name)
		if name == "" || strings.ContainsFunc(name, notToken) {
			k.report(at, "%s: not the name of a header", dotted(at))
		}
		if strings.ContainsAny(value, "\r\n\x00") {
			k.report(at, "%s: contains a line break or NUL character", dotted(at))
		}
	}
}

func notToken(r rune) bool {
	return r <= ' ' || r >= 0x7f || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, r)
}

func isSeparator(r rune) bool { return r < 0x80 && os.IsPathSeparator(uint8(r)) }

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
