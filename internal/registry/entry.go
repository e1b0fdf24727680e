package registry

import (
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"regexp"
	"strings"

	"parley/internal/lazy"
	"parley/internal/safetext"
)

// Entry is an agent of the index. All of its texts are safe to show.
type Entry struct {
	ID, Name, Version, Description string
	Repository, License            string

	// What it can be installed as; one of them at least is set.
	NPX, UVX *Package
	Binary   map[string]Target // by platform, such as linux-x86_64
}

// Package is a package of npm or PyPI, with its exact version.
type Package struct {
	Name    string `json:"package"`
	Version string `json:"-"` // in the index it is a part of the name
	Args    []string
	Env     map[string]string
}

// Target is a program to download for one platform.
type Target struct {
	Archive string // https, or http on loopback
	SHA256  string // in hexadecimal; "" if the index has none
	Command string `json:"cmd"` // the program in the archive: a local path with slashes
	Args    []string
	Env     map[string]string
}

// Bounds of an entry's texts, in characters, and of its lists.
const (
	maxName, maxText, maxURL, maxArg = 80, 400, 2000, 4000
	maxList                          = 64
)

var (
	idShape      = lazy.Regexp(`^[a-z][a-z0-9-]{0,63}$`)
	versionShape = lazy.Regexp(`^[0-9]+\.[0-9]+(\.[0-9]+)?[0-9A-Za-z.+-]{0,40}$`)
	npmShape     = lazy.Regexp(`^(@[a-z0-9~_-][a-z0-9._~-]*/)?[a-zA-Z0-9~_-][a-zA-Z0-9._~-]*$`)
	pypiShape    = lazy.Regexp(`^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?(\[[A-Za-z0-9._,-]+\])?$`)
	variable     = lazy.Regexp(`^[A-Za-z_][A-Za-z0-9_]{0,99}$`)
	sha256Shape  = lazy.Regexp(`^[0-9a-f]{64}$`)
)

// IsVersion reports whether a text is an exact version, which can also be the name of a directory.
func IsVersion(text string) bool { return versionShape().MatchString(text) }

// IsID reports whether a text can be the id of an agent, which is also the name of a directory.
func IsID(text string) bool { return idShape().MatchString(text) }

// rawEntry is the shape of an entry in the index. What is not listed is ignored.
type rawEntry struct {
	ID, Version                            string
	Name, Description, Repository, License optional
	Distribution                           map[string]json.RawMessage
}

// optional is a text that an entry can do without: any other value is none.
type optional string

func (o *optional) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		*o = optional(text)
	}
	return nil
}

// newEntry decodes an entry. Distributions that are unknown or make no sense are left out; without any the
// entry is an error.
func newEntry(data []byte) (Entry, error) {
	var raw rawEntry
	if err := json.Unmarshal(data, &raw); err != nil {
		return Entry{}, fmt.Errorf("an entry that cannot be read: %w", err)
	}
	if !idShape().MatchString(raw.ID) {
		return Entry{}, fmt.Errorf("%q is no id of an agent", safetext.Line(raw.ID, maxName))
	}
	e := Entry{ID: raw.ID, Name: line(string(raw.Name), maxName), Version: raw.Version, Description: line(string(raw.Description), maxText), License: line(string(raw.License), maxName)}
	if !IsVersion(e.Version) {
		return Entry{}, fmt.Errorf("%s: %q is no version", e.ID, safetext.Line(e.Version, maxName))
	}
	if e.Name == "" {
		e.Name = e.ID
	}
	if repository := string(raw.Repository); strings.HasPrefix(repository, "https://") && CheckURL(repository) == nil {
		e.Repository = repository
	}
	return e, e.distribute(raw.Distribution)
}

// line makes a text of the index safe, on one line.
func line(text string, most int) string {
	return strings.TrimSpace(safetext.Line(strings.Join(strings.Fields(text), " "), most))
}

// distribute fills in what the entry can be installed as. The error says what is wrong with the first
// distribution if none is left.
func (e *Entry) distribute(raw map[string]json.RawMessage) error {
	wrong := errors.New("it has no distribution that parley knows")
	note := func(kind string, err error) {
		wrong = fmt.Errorf("%s: %w", kind, err)
	}
	for kind, shape := range map[string]*regexp.Regexp{"npx": npmShape(), "uvx": pypiShape()} {
		if raw[kind] == nil {
			continue
		}
		p, err := newPackage(raw[kind], shape, e.Version)
		switch {
		case err != nil:
			note(kind, err)
		case kind == "npx":
			e.NPX = p
		default:
			e.UVX = p
		}
	}
	var targets map[string]json.RawMessage
	if raw["binary"] != nil {
		if err := json.Unmarshal(raw["binary"], &targets); err != nil {
			note("binary", err)
		}
	}
	for platform, data := range targets {
		t, err := newTarget(data)
		if err != nil {
			note("binary", err)
			continue
		}
		if e.Binary == nil {
			e.Binary = map[string]Target{}
		}
		e.Binary[platform] = t
	}
	if e.NPX == nil && e.UVX == nil && e.Binary == nil {
		return fmt.Errorf("%s: %w", e.ID, wrong)
	}
	return nil
}

// newPackage reads NAME, NAME@VERSION or NAME==VERSION. Without an exact version, that of the entry counts;
// a range, an address or a path is an error.
func newPackage(data []byte, shape *regexp.Regexp, version string) (*Package, error) {
	p := Package{Version: version}
	if err := json.Unmarshal(data, &p); err != nil {
		return nil, err
	}
	at := strings.LastIndex(p.Name, "@")
	if name, exact, equal := strings.Cut(p.Name, "=="); equal && name != "" {
		p.Name, p.Version = name, exact
	} else if at > 0 {
		p.Name, p.Version = p.Name[:at], p.Name[at+1:]
		if p.Version == "latest" {
			p.Version = version
		}
	}
	switch {
	case len(p.Name) > 214 || !shape.MatchString(p.Name):
		return nil, fmt.Errorf("%q is no name of a package", safetext.Line(p.Name, maxName))
	case !IsVersion(p.Version):
		return nil, fmt.Errorf("%q is no exact version of %s", safetext.Line(p.Version, maxName), p.Name)
	}
	return &p, checkArgs(p.Args, p.Env)
}

func newTarget(data []byte) (Target, error) {
	var t Target
	if err := json.Unmarshal(data, &t); err != nil {
		return t, err
	}
	if err := CheckURL(t.Archive); err != nil {
		return t, err
	}
	if t.SHA256 = strings.ToLower(strings.TrimPrefix(t.SHA256, "sha256:")); t.SHA256 != "" && !sha256Shape().MatchString(t.SHA256) {
		return t, fmt.Errorf("%q is no SHA-256 checksum", safetext.Line(t.SHA256, maxName))
	}
	cmd := t.Command
	t.Command = path.Clean(strings.ReplaceAll(cmd, `\`, "/"))
	if cmd == "" || t.Command == "." || path.IsAbs(t.Command) || strings.HasPrefix(t.Command, "../") || t.Command == ".." ||
		strings.ContainsAny(t.Command, ":\x00") || safetext.Line(t.Command, maxText) != t.Command {
		return t, fmt.Errorf("%q is no program in an archive", safetext.Line(cmd, maxName))
	}
	return t, checkArgs(t.Args, t.Env)
}

// checkArgs rejects arguments and variables that cannot be passed to a program, or not be shown: so many that nobody
// would see the rest of a plan are not.
func checkArgs(args []string, env map[string]string) error {
	if len(args) > maxList || len(env) > maxList {
		return errors.New("too many arguments or variables")
	}
	size := 0
	for _, arg := range args {
		size += len(arg)
		if safetext.Line(arg, maxArg) != arg {
			return fmt.Errorf("an argument that cannot be shown: %q", safetext.Line(arg, maxName))
		}
	}
	for name, value := range env {
		size += len(name) + len(value)
		if !variable().MatchString(name) || strings.HasPrefix(strings.ToUpper(name), "PARLEY_") || safetext.Line(value, maxArg) != value {
			return fmt.Errorf("a variable that cannot be set: %q", safetext.Line(name, maxName))
		}
	}
	if size > maxArg {
		return errors.New("too long arguments or variables")
	}
	return nil
}
