package permissions

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// maxRules bounds a file of rules, in bytes.
const maxRules = 256 << 10

// ruleTable is [[allow]], [[ask]] or [[deny]].
type ruleTable struct {
	Agent   string `toml:"agent"`
	Kind    string `toml:"kind"`
	Tool    string `toml:"tool"`
	Path    string `toml:"path"`
	Command string `toml:"command"`
	Host    string `toml:"host"`
}

// ruleHead is the line that begins a rule.
var ruleHead = regexp.MustCompile(`^\s*\[\[\s*"?(allow|ask|deny)"?\s*\]\]`)

// ParseRules reads a file of rules: tables [[allow]], [[ask]] and [[deny]] with
// agent, kind, tool, path, command and host. Errors are one line: "name:line: what
// is wrong". With project the rules are those of a project, which may only tighten:
// what would allow something is an error.
func ParseRules(name string, data []byte, project bool) ([]Rule, error) {
	if len(data) > maxRules {
		return nil, fmt.Errorf("%s: larger than %d bytes", name, maxRules)
	}
	var file struct {
		Allow []ruleTable `toml:"allow"`
		Ask   []ruleTable `toml:"ask"`
		Deny  []ruleTable `toml:"deny"`
	}
	d := toml.NewDecoder(bytes.NewReader(data)).DisallowUnknownFields()
	if err := d.Decode(&file); err != nil {
		return nil, ruleError(name, err)
	}
	tables := map[string][]ruleTable{"allow": file.Allow, "ask": file.Ask, "deny": file.Deny}
	effects := map[string]Effect{"allow": Allow, "ask": Confirm, "deny": Deny}
	var rules []Rule
	line := 0
	for text := range strings.Lines(string(data)) {
		line++
		head := ruleHead.FindStringSubmatch(text)
		if head == nil || len(tables[head[1]]) == 0 {
			continue
		}
		t := tables[head[1]][0]
		tables[head[1]] = tables[head[1]][1:]
		r := Rule{Effect: effects[head[1]], Agent: t.Agent, Kind: t.Kind, Tool: t.Tool, Path: t.Path, Command: t.Command, Host: t.Host,
			Where: fmt.Sprintf("%s:%d", name, line), Project: project}
		if err := r.Check(); err != nil {
			return nil, fmt.Errorf("%s: %w", r.Where, err)
		}
		rules = append(rules, r)
	}
	for kind, rest := range tables {
		if len(rest) > 0 { // written in a way that has no head of its own: an inline array
			return nil, fmt.Errorf("%s: write each rule as [[%s]] on a line of its own", name, kind)
		}
	}
	return rules, nil
}

// ruleError is an error of the decoder in one line.
func ruleError(name string, err error) error {
	var missing *toml.StrictMissingError
	if errors.As(err, &missing) && len(missing.Errors) > 0 {
		e := missing.Errors[0]
		line, _ := e.Position()
		return fmt.Errorf("%s:%d: unknown key %s: there are [[allow]], [[ask]] and [[deny]] with agent, kind, tool, path, command, host", name, line, strings.Join(e.Key(), "."))
	}
	var bad *toml.DecodeError
	if errors.As(err, &bad) {
		line, _ := bad.Position()
		return fmt.Errorf("%s:%d: %s", name, line, strings.TrimPrefix(bad.Error(), "toml: "))
	}
	return fmt.Errorf("%s: %w", name, err)
}

// Text is the rule as it stands in a file.
func (r *Rule) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "[[%s]]\n", r.Effect)
	for _, f := range [...]struct{ name, value string }{
		{"agent", r.Agent}, {"kind", r.Kind}, {"tool", r.Tool}, {"path", r.Path}, {"command", r.Command}, {"host", r.Host},
	} {
		if f.value != "" {
			fmt.Fprintf(&b, "%s = %s\n", f.name, quoteTOML(f.value))
		}
	}
	return b.String()
}

// quoteTOML writes a basic string.
func quoteTOML(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range s {
		switch {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteRune(c)
		case c < ' ' || c == 0x7f:
			fmt.Fprintf(&b, `\u%04x`, c)
		default:
			b.WriteRune(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}
