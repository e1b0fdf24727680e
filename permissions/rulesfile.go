package permissions

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// maxRules bounds the size of a rules file, in bytes.
const maxRules = 256 << 10

// ruleTable is one [[allow]], [[ask]] or [[deny]].
type ruleTable struct {
	Agent   *string `toml:"agent"`
	Kind    *string `toml:"kind"`
	Tool    *string `toml:"tool"`
	Path    *string `toml:"path"`
	Command *string `toml:"command"`
	Host    *string `toml:"host"`
}

// fill copies the table into a rule. A key with an empty value is an error: it would widen a
// rule that was meant to be narrow.
func (t ruleTable) fill(r *Rule) error {
	for _, m := range [...]struct {
		name     string
		from, to *string
	}{{"agent", t.Agent, &r.Agent}, {"kind", t.Kind, &r.Kind}, {"tool", t.Tool, &r.Tool}, {"path", t.Path, &r.Path}, {"command", t.Command, &r.Command}, {"host", t.Host, &r.Host}} {
		if m.from == nil {
			continue
		}
		if *m.to = *m.from; strings.TrimSpace(*m.from) == "" || unseen(*m.from) {
			return fmt.Errorf("%s %q: it must not be empty or have invisible characters", m.name, *m.from)
		}
	}
	return nil
}

// ruleHead returns allow, ask or deny for a line that begins a rule, else "".
func ruleHead(line string) string {
	rest, ok := strings.CutPrefix(strings.TrimSpace(line), "[[")
	head, _, closed := strings.Cut(rest, "]]")
	switch head = strings.Trim(strings.TrimSpace(head), `"`); head {
	case "allow", "ask", "deny":
		if ok && closed {
			return head
		}
	}
	return ""
}

// ParseRules parses a rules file in TOML: tables [[allow]], [[ask]] and [[deny]] with the keys
// agent, kind, tool, path, command and host. Errors are one line, "name:line: what is wrong".
// With project, the rules are those of a project and may only ask and deny; an allow is an
// error.
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
		head := ruleHead(text)
		if head == "" || len(tables[head]) == 0 {
			continue
		}
		t := tables[head][0]
		tables[head] = tables[head][1:]
		r := Rule{Effect: effects[head], Where: fmt.Sprintf("%s:%d", name, line), Project: project}
		err := t.fill(&r)
		if err == nil {
			err = r.load()
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r.Where, err)
		}
		rules = append(rules, r)
	}
	for kind, rest := range tables {
		if len(rest) > 0 { // an inline array, which has no header line
			return nil, fmt.Errorf("%s: write each rule as [[%s]] on a line of its own", name, kind)
		}
	}
	return rules, nil
}

// ruleError turns an error of the decoder into one line.
func ruleError(name string, err error) error {
	var missing *toml.StrictMissingError
	if errors.As(err, &missing) && len(missing.Errors) > 0 {
		e := missing.Errors[0]
		line, _ := e.Position()
		return fmt.Errorf("%s:%d: unknown key %s (use [[allow]], [[ask]] or [[deny]] with agent, kind, tool, path, command, host)", name, line, strings.Join(e.Key(), "."))
	}
	var bad *toml.DecodeError
	if errors.As(err, &bad) {
		line, _ := bad.Position()
		return fmt.Errorf("%s:%d: %s", name, line, strings.TrimPrefix(bad.Error(), "toml: "))
	}
	return fmt.Errorf("%s: %w", name, err)
}

// Text returns the rule as it is written in a file.
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

// quoteTOML quotes a TOML basic string.
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
