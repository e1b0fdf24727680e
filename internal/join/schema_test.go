package join

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"parley/internal/must"
)

// valid checks all messages that a guest has got with the official schema.
func (g *guest) valid() {
	g.Helper()
	g.mu.Lock()
	defer g.mu.Unlock()
	check := schemas(g.T, g.version)
	for _, line := range g.got {
		for data := range strings.SplitSeq(line, "\n") {
			var m struct {
				ID, Params, Result, Error json.RawMessage
				Method                    string
			}
			if err := json.Unmarshal([]byte(data), &m); err != nil {
				g.Fatalf("%s: %v", data, err)
			}
			name, body := m.Method, m.Params
			switch {
			case m.Error != nil:
				name, body = "error", m.Error
			case m.Method == "":
				name, body = g.methods[string(m.ID)], m.Result
			}
			check(name, body)
		}
	}
}

var definitions = map[string]string{
	"session/request_permission": "RequestPermissionRequest", "$/cancel_request": "CancelRequestNotification", "error": "Error",
	"initialize": "InitializeResponse", "session/list": "ListSessionsResponse", "session/load": "LoadSessionResponse", "session/resume": "ResumeSessionResponse",
	"session/new": "NewSessionResponse", "session/prompt": "PromptResponse", "session/close": "CloseSessionResponse", "session/status": "SessionStatusResponse",
	"session/set_mode": "SetSessionModeResponse", "session/set_config_option": "SetSessionConfigOptionResponse",
}

// compiled are the schemas by version and definition, which are compiled once.
var compiled = map[string]*jsonschema.Schema{}

// schemas returns a check of the content of messages. It does nothing if the official schema is not there.
func schemas(t *testing.T, version int) func(method string, body json.RawMessage) {
	dir := os.Getenv("ACP_SCHEMA_DIR")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "..", "shared", "acp", "schema")
		if _, err := os.Stat(dir); err != nil {
			dir = filepath.Join("..", "..", "..", "shared", "acp", "schema")
		}
	}
	compile := func(def, file string) *jsonschema.Schema {
		key := file + def + jsonText(version)
		if compiled[key] == nil {
			text, err := os.ReadFile(filepath.Join(dir, "v"+jsonText(version), file))
			if err != nil {
				return nil
			}
			doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
			must.Do(t, err)
			c := jsonschema.NewCompiler()
			must.Do(t, c.AddResource("acp.json", doc))
			if compiled[key], err = c.Compile("acp.json#/$defs/" + def); err != nil {
				t.Fatal(err)
			}
		}
		return compiled[key]
	}
	return func(method string, body json.RawMessage) {
		t.Helper()
		file, def := "schema.json", definitions[method]
		switch {
		case method == "session/status":
			file = "schema.unstable.json"
		case method == "session/update" && version == 1:
			def = "SessionNotification"
		case method == "session/update":
			def = "UpdateSessionNotification"
		}
		if def == "" {
			t.Errorf("no schema for %q: %s", method, body)
			return
		}
		s := compile(def, file)
		if s == nil {
			t.Skip("the official schema is not there (set ACP_SCHEMA_DIR)")
		}
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
		must.Do(t, err)
		if err := s.Validate(v); err != nil {
			t.Errorf("%s: %v\n%.2000s", method, err, body)
		}
	}
}
