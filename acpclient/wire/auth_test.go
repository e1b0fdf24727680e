package wire_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"parley/acpclient/wire"
	"parley/internal/must"
)

// methodV1 decodes one way to log in as a member of the answer to initialize.
func methodV1(t *testing.T, method string) []wire.AuthMethod {
	t.Helper()
	r := wire.InitializeResponse{Version: 1}
	if err := json.Unmarshal([]byte(`{"protocolVersion":1,"authMethods":[`+method+`]}`), &r); err != nil {
		t.Fatalf("%s: got %v", method, err)
	}
	return r.AuthMethods
}

func TestAuthMethods(t *testing.T) {
	secret := func(name string) []wire.AuthVar { return []wire.AuthVar{{Name: name, Secret: true}} }
	for name, tc := range map[string]struct {
		method string
		want   wire.AuthMethod
	}{
		"one variable": {`{"id":"a","name":"N","type":"env_var","vars":[{"name":"KEY"}]}`, wire.AuthMethod{ID: "a", Name: "N", Type: "env_var", Vars: secret("KEY")}},
		"all members": {`{"id":"a","type":"env_var","link":"https://x","vars":[{"name":"URL","label":"The URL","secret":false,"optional":true}]}`,
			wire.AuthMethod{ID: "a", Type: "env_var", Link: "https://x", Vars: []wire.AuthVar{{Name: "URL", Label: "The URL", Optional: true}}}},
		"odd flags are the defaults": {`{"id":"a","type":"env_var","vars":[{"name":"K","secret":null,"optional":1},{"name":"L","secret":"false","optional":"true"}]}`,
			wire.AuthMethod{ID: "a", Type: "env_var", Vars: []wire.AuthVar{{Name: "K", Secret: true}, {Name: "L", Secret: true}}}},
		"varName":          {`{"id":"a","type":"env_var","varName":"KEY"}`, wire.AuthMethod{ID: "a", Type: "env_var", Vars: secret("KEY")}},
		"var_name":         {`{"id":"a","type":"env_var","var_name":"KEY","vars":null}`, wire.AuthMethod{ID: "a", Type: "env_var", Vars: secret("KEY")}},
		"vars before name": {`{"id":"a","type":"env_var","var_name":"OLD","vars":[{"name":"KEY"}]}`, wire.AuthMethod{ID: "a", Type: "env_var", Vars: secret("KEY")}},
		"only names":       {`{"id":"a","type":"env_var","vars":["K"]}`, wire.AuthMethod{ID: "a", Type: "env_var", Vars: secret("K")}},
		"only one name":    {`{"id":"a","type":"env_var","vars":"K"}`, wire.AuthMethod{ID: "a", Type: "env_var", Vars: secret("K")}},
		"bad items drop":   {`{"id":"a","type":"env_var","vars":[5,{},{"name":null},{"name":""},"",{"name":"K"},[]]}`, wire.AuthMethod{ID: "a", Type: "env_var", Vars: secret("K")}},
		"names are not judged": {`{"id":"a","type":"env_var","vars":[{"name":"A=\u0000"},{"name":"PATH"}]}`,
			wire.AuthMethod{ID: "a", Type: "env_var", Vars: append(secret("A=\x00"), secret("PATH")...)}},
		"no list": {`{"id":"a","type":"env_var","vars":true,"varName":{}}`, wire.AuthMethod{ID: "a", Type: "env_var"}},

		"a terminal's by its _meta":   {`{"id":"a","_meta":{"type":"terminal","args":["--login",5]}}`, wire.AuthMethod{ID: "a", Type: "terminal", Args: []string{"--login"}}},
		"its own args come first":     {`{"_meta":{"args":["x"],"type":"terminal"},"id":"a","args":["y"]}`, wire.AuthMethod{ID: "a", Type: "terminal", Args: []string{"y"}}},
		"a type is not overruled":     {`{"id":"a","_meta":{"type":"terminal","args":["x"]},"type":"agent"}`, wire.AuthMethod{ID: "a", Type: "agent"}},
		"another type in _meta":       {`{"id":"a","_meta":{"type":"env_var","args":["x"]}}`, wire.AuthMethod{ID: "a"}},
		"a _meta that is none":        {`{"id":"a","_meta":["terminal"]}`, wire.AuthMethod{ID: "a"}},
		"a command":                   {`{"id":"a","_meta":{"terminal-auth":{"command":"c","args":["x y",""],"label":"L","env":{"A":"1"}}}}`, wire.AuthMethod{ID: "a", Command: &wire.TerminalAuth{Command: "c", Args: []string{"x y", ""}, Env: []wire.EnvVar{{Name: "A", Value: "1"}}, Label: "L"}}},
		"its variables as a list":     {`{"id":"a","_meta":{"terminal-auth":{"command":"c","env":[{"name":"A","value":"1"}]}}}`, wire.AuthMethod{ID: "a", Command: &wire.TerminalAuth{Command: "c", Env: []wire.EnvVar{{Name: "A", Value: "1"}}}}},
		"nothing but a command":       {`{"id":"a","_meta":{"terminal-auth":{"command":"c","args":null,"env":null,"label":5,"more":[]}}}`, wire.AuthMethod{ID: "a", Command: &wire.TerminalAuth{Command: "c"}}},
		"no command":                  {`{"id":"a","_meta":{"terminal-auth":{"args":["x"]}}}`, wire.AuthMethod{ID: "a"}},
		"an empty command":            {`{"id":"a","_meta":{"terminal-auth":{"command":" "}}}`, wire.AuthMethod{ID: "a"}},
		"a command that is no string": {`{"id":"a","_meta":{"terminal-auth":{"command":["c"]}}}`, wire.AuthMethod{ID: "a"}},
		"one bad argument":            {`{"id":"a","_meta":{"terminal-auth":{"command":"c","args":["x",5]}}}`, wire.AuthMethod{ID: "a"}},
		"args that are no list":       {`{"id":"a","_meta":{"terminal-auth":{"command":"c","args":"x"}}}`, wire.AuthMethod{ID: "a"}},
		"one bad variable":            {`{"id":"a","_meta":{"terminal-auth":{"command":"c","env":{"A":"1","B":2}}}}`, wire.AuthMethod{ID: "a"}},
		"one bad variable of a list":  {`{"id":"a","_meta":{"terminal-auth":{"command":"c","env":[{"name":"A"}]}}}`, wire.AuthMethod{ID: "a"}},
		"no object":                   {`{"id":"a","_meta":{"terminal-auth":true}}`, wire.AuthMethod{ID: "a"}},
	} {
		if got := methodV1(t, tc.method); len(got) != 1 || !reflect.DeepEqual(got[0], tc.want) {
			t.Errorf("%s: got %+v, want %+v", name, got, tc.want)
		}
	}
	if got := methodV1(t, `5,{"id":5},{"name":"no id","type":"env_var","vars":[{"name":"K"}]},{"id":"a"`+`}`); len(got) != 1 || got[0].ID != "a" {
		t.Errorf("got %+v", got)
	}
}

// In v2 a method must have its type.
func TestAuthMethodsV2(t *testing.T) {
	r := wire.InitializeResponse{Version: 2}
	must.Do(t, json.Unmarshal([]byte(`{"authMethods":[{"methodId":"a","_meta":{"type":"terminal"}},{"methodId":"b","type":"agent","_meta":{"type":"terminal","args":["x"]}},{"methodId":"c","type":"env_var","vars":[{"name":"K"}]}]}`), &r))
	if m := r.AuthMethods; len(m) != 2 || m[0].Type != "agent" || m[0].Args != nil || len(m[1].Vars) != 1 {
		t.Errorf("got %+v", m)
	}
}

// FuzzAuthMethod checks that the method after arbitrary bytes is still decoded, and that
// a decoded command is complete.
func FuzzAuthMethod(f *testing.F) {
	for _, s := range []string{`{"id":"a","type":"env_var","vars":[{"name":"K","secret":false}]}`, `{"id":"a","_meta":{"terminal-auth":{"command":"c","args":["x"],"env":{"A":"1"}}}}`, `{"id":"a","_meta":{"type":"terminal","args":[]}}`, `[]`, `"\ud800"`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if !json.Valid(data) {
			return
		}
		got := methodV1(t, string(data)+`,{"id":"last"}`)
		if n := len(got); n == 0 || got[n-1].ID != "last" {
			t.Fatalf("got %+v", got)
		}
		for _, m := range got {
			if m.Command != nil && m.Command.Command == "" {
				t.Errorf("got %+v", m.Command)
			}
		}
	})
}
