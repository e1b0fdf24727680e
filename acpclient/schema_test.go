package acpclient_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"parley/acpclient/acptest"
	"parley/acpclient/event"
)

// The official schemas are not part of this project. They are looked for in
// $ACP_SCHEMA_DIR and next to the project; the tests that need them are skipped if they
// are absent.

// schemaV1 is the schema of ACP v1.
type schemaV1 struct {
	Defs map[string]struct {
		Side   string `json:"x-side"`
		Method string `json:"x-method"`
		OneOf  []struct {
			Const      string
			Properties map[string]struct{ Const string }
		} `json:"oneOf"`
		AnyOf []struct {
			Ref   string `json:"$ref"`
			AllOf []struct {
				Ref string `json:"$ref"`
			} `json:"allOf"`
			Properties map[string]any
		} `json:"anyOf"`
		Properties map[string]any
	} `json:"$defs"`

	compiler *jsonschema.Compiler
	compiled map[string]*jsonschema.Schema
}

func shared(env, name string) string {
	if dir := os.Getenv(env); dir != "" {
		return dir
	}
	return filepath.Join("..", "..", "shared", "acp", name)
}

var (
	loadSchema   = sync.OnceValues(func() (*schemaV1, error) { return readSchema("schema.json") })
	loadUnstable = sync.OnceValues(func() (*schemaV1, error) { return readSchema("schema.unstable.json") })
)

func readSchema(name string) (*schemaV1, error) {
	path := filepath.Join(shared("ACP_SCHEMA_DIR", "schema"), "v1", name)
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	s := &schemaV1{compiler: jsonschema.NewCompiler(), compiled: map[string]*jsonschema.Schema{}}
	if err := json.Unmarshal(data, s); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return s, s.compiler.AddResource("acp.json", doc)
}

func schema(t *testing.T) *schemaV1 {
	t.Helper()
	s, err := loadSchema()
	if os.IsNotExist(err) {
		t.Skipf("the ACP schema is absent, set ACP_SCHEMA_DIR: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// parse validates a value against a definition of the schema.
func (s *schemaV1) parse(def string, value json.RawMessage) (any, error) {
	compiled := s.compiled[def]
	if compiled == nil {
		var err error
		if compiled, err = s.compiler.Compile("acp.json#/$defs/" + def); err != nil {
			return nil, err
		}
		s.compiled[def] = compiled
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(value))
	if err == nil {
		err = compiled.Validate(v)
	}
	return v, err
}

// validate also checks that the value has no member that the definition does not list.
func (s *schemaV1) validate(def string, value json.RawMessage) error {
	v, err := s.parse(def, value)
	if err != nil {
		return err
	}
	if object, ok := v.(map[string]any); ok && s.Defs[def].Properties != nil {
		listed := s.members(def, map[string]bool{})
		for key := range object {
			if !listed[key] && len(s.Defs[def].OneOf) == 0 {
				return fmt.Errorf("%s knows no member %s", def, key)
			}
		}
	}
	return nil
}

// members adds the names that a definition lists, in all of its variants.
func (s *schemaV1) members(def string, listed map[string]bool) map[string]bool {
	d := s.Defs[def]
	for key := range d.Properties {
		listed[key] = true
	}
	for _, variant := range d.AnyOf {
		for key := range variant.Properties {
			listed[key] = true
		}
		for _, all := range variant.AllOf {
			s.members(strings.TrimPrefix(all.Ref, "#/$defs/"), listed)
		}
		s.members(strings.TrimPrefix(variant.Ref, "#/$defs/"), listed)
	}
	return listed
}

// definition returns the name of the definition for a method. Side is the receiver.
func (s *schemaV1) definition(side, method, suffix string) string {
	for name, d := range s.Defs {
		if d.Method == method && strings.HasSuffix(name, suffix) && (d.Side == side || d.Side == "protocol") {
			return name
		}
	}
	return ""
}

// rpc is any message.
type rpc struct {
	Version string `json:"jsonrpc"`
	ID      json.RawMessage
	Method  string
	Params  json.RawMessage
	Result  json.RawMessage
	Error   json.RawMessage
}

func decode(data []byte) (m rpc) {
	json.Unmarshal(data, &m)
	return m
}

// checkSent validates everything that the client sent in a script.
func checkSent(t *testing.T, r *acptest.Result) {
	t.Helper()
	s, err := loadSchema()
	if err != nil {
		return // TestSentMessages says so
	}
	asked := map[string]string{} // the agent's requests, by id
	for _, data := range r.AgentMessages {
		if m := decode(data); m.Method != "" && m.ID != nil {
			asked[string(m.ID)] = m.Method
		}
	}
	stable := s
	for _, data := range r.ClientMessages {
		m, s := decode(data), stable
		var def string
		value := m.Params
		switch {
		case m.Version != "2.0":
			t.Errorf("not JSON-RPC 2.0: %s", data)
			continue
		case m.Method != "" && m.ID != nil:
			if older[m.Method] != "" {
				continue
			}
			if def = s.definition("agent", m.Method, "Request"); def == "" {
				if s, err = loadUnstable(); err != nil {
					continue
				}
				def = s.definition("agent", m.Method, "Request")
			}
		case m.Method != "":
			def = s.definition("agent", m.Method, "Notification")
		case bytes.HasPrefix(m.Error, []byte(`"`)) && bytes.Contains(r.AgentMessages[0], []byte("gemini-cli")):
			continue // no schema has the form that this agent can read
		case m.Error != nil:
			def, value = "Error", m.Error
		default:
			def, value = s.definition("client", asked[string(m.ID)], "Response"), m.Result
		}
		if def == "" {
			t.Errorf("no schema has what the client sent: %s", data)
		} else if err := s.validate(def, value); err != nil {
			t.Errorf("the client sent %s: %v", data, err)
		}
	}
}

// TestSentMessages checks that the schema is present and that validation can fail.
func TestSentMessages(t *testing.T) {
	s := schema(t)
	for _, c := range []struct{ def, value string }{
		{"InitializeRequest", `{"clientCapabilities":{}}`},
		{"InitializeRequest", `{"protocolVersion":1,"client_info":{}}`},
		{"NewSessionRequest", `{"cwd":"/project"}`},
		{"PromptRequest", `{"sessionId":"s1","prompt":[{"type":"image"}]}`},
		{"RequestPermissionResponse", `{"outcome":{"outcome":"selected"}}`},
		{"ReadTextFileResponse", `{}`},
	} {
		if err := s.validate(c.def, json.RawMessage(c.value)); err == nil {
			t.Errorf("%s takes %s", c.def, c.value)
		}
	}
	if err := s.validate("ReadTextFileResponse", json.RawMessage(`{"content":""}`)); err != nil {
		t.Error(err)
	}
}

// What v1 has and parley does not, with the reason. An entry that is no longer true
// fails the test, too.
var (
	notServed = map[string]string{ // methods that agents call
		"elicitation/create":   "not advertised yet",
		"elicitation/complete": "not advertised yet",
	}
	notCalled = map[string]string{} // methods that clients call
	older     = map[string]string{  // methods that parley calls but no schema has any longer
		"session/set_model": "agents that offer models have nothing else to set them by",
	}
	notShown = map[string]string{} // kinds of session/update

	// Values of open enumerations that the front end has words for. The engine passes on
	// any value.
	worded = map[string][]string{
		"ToolKind":             {"read", "edit", "delete", "move", "search", "execute", "think", "fetch", "switch_mode", "other"},
		"ToolCallStatus":       {"pending", "in_progress", "completed", "failed"},
		"StopReason":           {"end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled"},
		"PermissionOptionKind": {"allow_once", "allow_always", "reject_once", "reject_always"},
		"PlanEntryStatus":      {"pending", "in_progress", "completed"},
		"PlanEntryPriority":    {"high", "medium", "low"},
	}
)

func TestDriftOfEnumerations(t *testing.T) {
	s := schema(t)
	for def, known := range worded {
		var values []string
		for _, v := range s.Defs[def].OneOf {
			values = append(values, v.Const)
		}
		slices.Sort(values)
		if known := slices.Sorted(slices.Values(known)); !slices.Equal(values, known) {
			t.Errorf("%s has %q, known are %q", def, values, known)
		}
	}
}

// TestDriftOfMethods asks the engine: a method that it answers with "method not found"
// is not served, a method that no script makes it send is not called.
func TestDriftOfMethods(t *testing.T) {
	s := schema(t)
	called := map[string]bool{}
	paths, _ := filepath.Glob(filepath.Join(scripts, "*.txtar"))
	for _, path := range paths {
		for _, data := range acptest.Run(t, acptest.Read(t, path)).ClientMessages {
			called[decode(data).Method] = true
		}
	}
	seen := map[string]bool{}
	for name, d := range s.Defs {
		call := strings.HasSuffix(name, "Request")
		if !call && !strings.HasSuffix(name, "Notification") || d.Method == "" {
			continue
		}
		seen[d.Method] = true
		switch {
		case d.Side == "protocol" || d.Side == "client" && !call && d.Method == "session/update":
		case d.Side == "client":
			if !call || serves(t, d.Method) {
				why, listed := notServed[d.Method]
				if listed == call {
					t.Errorf("%s: served is %v, and the table says %q", d.Method, call, why)
				}
			} else if notServed[d.Method] == "" {
				t.Errorf("%s is neither served nor listed", d.Method)
			}
		case called[d.Method] == (notCalled[d.Method] != ""):
			t.Errorf("%s: called is %v, and the table says %q", d.Method, called[d.Method], notCalled[d.Method])
		}
	}
	for _, table := range []map[string]string{notServed, notCalled} {
		for method := range table {
			if !seen[method] {
				t.Errorf("the schema no longer has %s", method)
			}
		}
	}
}

// serves asks an engine with all services.
func serves(t *testing.T, method string) bool {
	t.Helper()
	r := acptest.Run(t, &acptest.Archive{Files: []acptest.File{{Name: "script", Data: fmt.Appendf(nil, "handshake\n< call \"probe\" %s {}\nskip\n", method)}}})
	for _, data := range r.ClientMessages {
		if m := decode(data); string(m.ID) == `"probe"` {
			return !bytes.Contains(m.Error, []byte("-32601"))
		}
	}
	t.Errorf("%s is not answered", method)
	return false
}

func TestDriftOfUpdates(t *testing.T) {
	s := schema(t)
	kinds := 0
	for _, v := range s.Defs["SessionUpdate"].OneOf {
		kind := v.Properties["sessionUpdate"].Const
		if kind == "" {
			continue
		}
		kinds++
		r := acptest.Run(t, &acptest.Archive{Files: []acptest.File{{Name: "script", Data: fmt.Appendf(nil, "handshake\n< update {\"sessionUpdate\":%q}\n", kind)}}})
		unknown := slices.ContainsFunc(r.Events, func(e event.Event) bool { _, is := e.(event.UnknownArrived); return is })
		if why := notShown[kind]; unknown == (why == "") {
			t.Errorf("%s: unknown is %v, and the table says %q", kind, unknown, why)
		}
	}
	if kinds < 10 {
		t.Errorf("only %d kinds of session/update: is the schema read rightly?", kinds)
	}
}
