package wire

import (
	"strings"

	"parley/internal/jsonscan"
)

// AuthMethod is one way to log in. Args and Env belong to type "terminal": they are
// added to the agent's command line and environment.
type AuthMethod struct {
	ID, Name, Description, Type string
	Args                        []string
	Env                         []EnvVar

	// Vars and Link belong to the legacy type "env_var": what the agent needs in its
	// environment, and a page that says where to get the values.
	Vars []AuthVar
	Link string
	// Command is the extension _meta["terminal-auth"], nil if it is absent or malformed.
	Command *TerminalAuth
	// Key is the extension _meta["api-key"]: authenticate accepts a key.
	Key bool
}

// AuthVar is a variable that a login of type "env_var" asks for. Nothing in it has been
// checked.
type AuthVar struct {
	Name, Label string
	Secret      bool // true unless the agent says that it is not
	Optional    bool
}

// TerminalAuth is a login that names its own command. It is an extension of the
// protocol.
type TerminalAuth struct {
	Command string
	Args    []string
	Env     []EnvVar
	Label   string
}

// authMembers is an AuthMethod with the members that complete it.
type authMembers struct {
	AuthMethod
	single, metaType string
	metaArgs         []string
}

// authMethod declares a login. In v1 a method without a type whose _meta says that it
// needs a terminal has type "terminal"; in v2 the method must have its type.
func authMethod(v2 bool) value[AuthMethod] {
	id, typ := "id", optional("type", text, func(a *authMembers) *string { return &a.Type })
	if v2 {
		id, typ = "methodId", required("type", filled, func(a *authMembers) *string { return &a.Type })
	}
	members := object(
		required(id, filled, func(a *authMembers) *string { return &a.ID }),
		typ,
		optional("name", text, func(a *authMembers) *string { return &a.Name }),
		optional("description", text, func(a *authMembers) *string { return &a.Description }),
		optional("args", list(text), func(a *authMembers) *[]string { return &a.Args }),
		optional("env", variables(list(envVar.value), true), func(a *authMembers) *[]EnvVar { return &a.Env }),
		optional("vars", authVars, func(a *authMembers) *[]AuthVar { return &a.Vars }),
		optional("varName", text, func(a *authMembers) *string { return &a.single }), // sent by agents that knew only one
		optional("var_name", text, func(a *authMembers) *string { return &a.single }),
		optional("link", text, func(a *authMembers) *string { return &a.Link }),
		nested("_meta",
			optional("terminal-auth", pointer(terminalAuth), func(a *authMembers) **TerminalAuth { return &a.Command }),
			optional("api-key", isObject, func(a *authMembers) *bool { return &a.Key }),
			optional("type", text, func(a *authMembers) *string { return &a.metaType }),
			optional("args", list(text), func(a *authMembers) *[]string { return &a.metaArgs }),
		),
	)
	return func(c *jsonscan.Cursor, into *AuthMethod) bool {
		var a authMembers
		if !members.value(c, &a) {
			return false
		}
		if len(a.Vars) == 0 && a.single != "" {
			a.Vars = []AuthVar{{Name: a.single, Secret: true}}
		}
		if a.Type == "" && a.metaType == "terminal" {
			if a.Type = "terminal"; a.Args == nil {
				a.Args = a.metaArgs
			}
		}
		*into = a.AuthMethod
		return true
	}
}

func isObject(c *jsonscan.Cursor, yes *bool) bool {
	*yes = jsonscan.KindOf(c.Value()) == jsonscan.Object
	return true
}

// authVars is a list of variables, or a single one.
func authVars(c *jsonscan.Cursor, into *[]AuthVar) bool {
	if c.Kind() == jsonscan.Array {
		return list(authVar)(c, into)
	}
	*into = make([]AuthVar, 1)
	return authVar(c, &(*into)[0])
}

var authVarMembers = object(
	required("name", filled, func(v *AuthVar) *string { return &v.Name }),
	optional("label", text, func(v *AuthVar) *string { return &v.Label }),
	optional("secret", notFalse, func(v *AuthVar) *bool { return &v.Secret }),
	optional("optional", isTrue, func(v *AuthVar) *bool { return &v.Optional }),
)

// authVar is a variable, or only its name.
func authVar(c *jsonscan.Cursor, v *AuthVar) bool {
	v.Secret = true
	if c.Kind() == jsonscan.String {
		return filled(c, &v.Name)
	}
	return authVarMembers.value(c, v)
}

func notFalse(c *jsonscan.Cursor, yes *bool) bool {
	*yes = string(c.Value()) != "false"
	return true
}

var terminalAuthMembers = object(
	required("command", text, func(t *TerminalAuth) *string { return &t.Command }),
	strict("args", every(text), func(t *TerminalAuth) *[]string { return &t.Args }),
	strict("env", variables(every(envVar.value), false), func(t *TerminalAuth) *[]EnvVar { return &t.Env }),
	optional("label", text, func(t *TerminalAuth) *string { return &t.Label }),
)

// terminalAuth names a program to run, so a member that cannot be decoded makes it
// malformed.
func terminalAuth(c *jsonscan.Cursor, t *TerminalAuth) bool {
	return terminalAuthMembers.value(c, t) && strings.TrimSpace(t.Command) != ""
}

// variables is the environment of a login: the map of v1, or a list of names with
// values. In a map, values that are not strings are dropped, or make the map malformed.
func variables(listed value[[]EnvVar], drop bool) value[[]EnvVar] {
	return func(c *jsonscan.Cursor, into *[]EnvVar) bool {
		if c.Kind() == jsonscan.Array {
			return listed(c, into)
		}
		if !c.Enter() {
			return false
		}
		for c.Key() {
			if s, ok := jsonscan.Text(c.Value()); ok {
				*into = append(*into, EnvVar{string(c.Name), s})
			} else if !drop {
				return false
			}
		}
		return drop || c.WellFormed()
	}
}
