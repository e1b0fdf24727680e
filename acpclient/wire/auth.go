package wire

import (
	"strings"

	"parley/internal/jsonscan"
)

// AuthMethod is one way to log in. Args and Env are those of type "terminal":
// they are added to the agent's own command line and environment.
type AuthMethod struct {
	ID, Name, Description, Type string
	Args                        []string
	Env                         []EnvVar

	// Vars and Link are those of the legacy type "env_var": what the agent wants
	// in its environment, and where the user gets it.
	Vars []AuthVar
	Link string
	// Command is the extension _meta["terminal-auth"]; nil where there is none
	// that is sound.
	Command *TerminalAuth
	// Key is the extension _meta["api-key"]: authenticate takes a key.
	Key bool
}

// AuthVar is a variable that a login of type "env_var" asks for. Nothing of it
// has been judged.
type AuthVar struct {
	Name, Label string
	Secret      bool // unless the agent says it is none
	Optional    bool
}

// TerminalAuth is a login that names a command of its own, and is nothing that
// the protocol has.
type TerminalAuth struct {
	Command string
	Args    []string
	Env     []EnvVar
	Label   string
}

// decodeAuthMethodV1 reads one of v1. A method without a type whose _meta says
// that it is a terminal's counts as of that type.
func decodeAuthMethodV1(raw []byte) (AuthMethod, bool) {
	a, meta, ok := decodeAuthMethod(raw, "id")
	if a.Type != "" || meta == nil {
		return a, ok
	}
	var kind string
	var args []string
	fields(meta, func(key string, v []byte) {
		switch key {
		case "type":
			kind = str(v)
		case "args":
			args, _ = list(v, jsonscan.Text)
		}
	})
	if kind == "terminal" {
		a.Type = kind
		if a.Args == nil {
			a.Args = args
		}
	}
	return a, ok
}

// decodeAuthMethodV2 needs methodId and type.
func decodeAuthMethodV2(raw []byte) (AuthMethod, bool) {
	a, _, ok := decodeAuthMethod(raw, "methodId")
	return a, ok && a.Type != ""
}

// decodeAuthMethod reads one; the versions differ in the name of its id. meta
// is its _meta, a part of raw.
func decodeAuthMethod(raw []byte, id string) (a AuthMethod, meta []byte, ok bool) {
	var single string
	err := fields(raw, func(key string, v []byte) {
		switch key {
		case id:
			a.ID = str(v)
		case "name":
			a.Name = str(v)
		case "description":
			a.Description = str(v)
		case "type":
			a.Type = str(v)
		case "args":
			a.Args, _ = list(v, jsonscan.Text)
		case "env":
			a.Env = decodeEnv(v)
		case "vars":
			a.Vars = decodeAuthVars(v)
		case "varName", "var_name": // of agents that knew only one
			single = str(v)
		case "link":
			a.Link = str(v)
		case "_meta":
			meta = v
		}
	})
	if len(a.Vars) == 0 && single != "" {
		a.Vars = []AuthVar{{Name: single, Secret: true}}
	}
	if meta != nil {
		fields(meta, func(key string, v []byte) {
			switch key {
			case "terminal-auth":
				a.Command = decodeTerminalAuth(v)
			case "api-key":
				a.Key = jsonscan.KindOf(v) == jsonscan.Object
			}
		})
	}
	return a, meta, err == nil && a.ID != ""
}

// decodeAuthVars reads a list of variables, each an object or only a name, or
// one name.
func decodeAuthVars(raw []byte) []AuthVar {
	if out, ok := list(raw, decodeAuthVar); ok {
		return out
	}
	if v, ok := decodeAuthVar(raw); ok {
		return []AuthVar{v}
	}
	return nil
}

func decodeAuthVar(raw []byte) (AuthVar, bool) {
	v := AuthVar{Secret: true}
	if name, ok := jsonscan.Text(raw); ok {
		v.Name = name
		return v, name != ""
	}
	err := fields(raw, func(key string, value []byte) {
		switch key {
		case "name":
			v.Name = str(value)
		case "label":
			v.Label = str(value)
		case "secret":
			v.Secret = string(value) != "false"
		case "optional":
			v.Optional = string(value) == "true"
		}
	})
	return v, err == nil && v.Name != ""
}

// decodeTerminalAuth is strict, because it is about to run something: a part
// that is not understood makes it nil.
func decodeTerminalAuth(raw []byte) *TerminalAuth {
	var t TerminalAuth
	sound := true
	err := fields(raw, func(key string, v []byte) {
		if isNull(v) {
			return
		}
		ok := true
		switch key {
		case "command":
			t.Command, ok = jsonscan.Text(v)
		case "args":
			t.Args, ok = everyOf(v, jsonscan.Text)
		case "env":
			t.Env, ok = strictEnv(v)
		case "label":
			t.Label = str(v)
		}
		sound = sound && ok
	})
	if err != nil || !sound || strings.TrimSpace(t.Command) == "" {
		return nil
	}
	return &t
}

// everyOf is list, but an item that is not sound spoils all.
func everyOf[T any](raw []byte, item func([]byte) (T, bool)) (out []T, ok bool) {
	sound := true
	out, ok = list(raw, func(raw []byte) (T, bool) {
		v, good := item(raw)
		sound = sound && good
		return v, good
	})
	return out, ok && sound
}

// strictEnv is decodeEnv, but a variable that is not sound spoils all.
func strictEnv(raw []byte) ([]EnvVar, bool) {
	if out, ok := everyOf(raw, decodeEnvVar); ok {
		return out, true
	}
	var out []EnvVar
	sound := true
	err := fields(raw, func(key string, v []byte) {
		s, ok := jsonscan.Text(v)
		sound = sound && ok
		out = append(out, EnvVar{key, s})
	})
	return out, err == nil && sound
}

// decodeEnv reads variables as the map that v1 has for logins, or as a list of
// names with values.
func decodeEnv(raw []byte) []EnvVar {
	if out, ok := list(raw, decodeEnvVar); ok {
		return out
	}
	var out []EnvVar
	fields(raw, func(key string, v []byte) {
		if s, ok := jsonscan.Text(v); ok {
			out = append(out, EnvVar{key, s})
		}
	})
	return out
}
