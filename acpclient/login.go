package acpclient

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"parley/acpclient/event"
	"parley/acpclient/wire"
	"parley/internal/lazy"
	"parley/internal/safetext"
)

// Bounds of what a login may ask for, because the user has to read all of it.
const (
	maxAuthVars    = 16
	maxAuthCommand = 8 << 10 // bytes
)

// authMethod checks an agent's description of a way to log in.
func (o *Options) authMethod(m wire.AuthMethod) event.AuthMethod {
	out := event.AuthMethod{ID: m.ID, Name: safetext.Line(m.Name, 80), Description: safetext.Line(m.Description, 2000), Type: safetext.Line(m.Type, 40)}
	switch {
	case out.Type == "terminal":
		out.Args, out.Env = m.Args, environment(m.Env)
	case out.Type == "env_var":
		if out.RefusalReason = refusedVars(m.Vars); out.RefusalReason != "" {
			break
		}
		out.Link = m.Link
		for _, v := range m.Vars {
			out.Vars = append(out.Vars, event.AuthVar{Name: v.Name, Label: safetext.Line(v.Label, 80), Secret: v.Secret, Optional: v.Optional})
		}
	case m.Key && (out.Type == "" || out.Type == "agent"):
		out.TakesKey = true
	case o.TerminalLogin:
		out.Command = authCommand(m.Command)
	}
	return out
}

var plainVar = lazy.Regexp(`^[A-Za-z_][A-Za-z0-9_]*$`)

// refusedVars says why the user must not be asked for these variables, "" if there is no
// reason.
func refusedVars(vars []wire.AuthVar) string {
	if len(vars) == 0 {
		return "it names no variable"
	}
	if len(vars) > maxAuthVars {
		return "it asks for too many variables"
	}
	var seen []string
	for _, v := range vars {
		name := strings.ToUpper(v.Name) // some systems ignore case
		switch {
		case len(v.Name) > 100 || !plainVar().MatchString(v.Name):
			return "it names something that cannot be a variable"
		case steers(name):
			return v.Name + " is no login's"
		case slices.Contains(seen, name):
			return "it names a variable twice"
		}
		seen = append(seen, name)
	}
	return ""
}

// steers reports whether a variable decides which programs run or what they load,
// instead of who the user is: a user who fills it in would start something other than the
// agent. The list holds the variables of all programs, those of the shells and
// interpreters that agents are written for, and parley's own.
func steers(name string) bool {
	switch name {
	case "PATH", "PATHEXT", "HOME", "USERPROFILE", "SHELL", "COMSPEC", "IFS", "ENV", "BASH_ENV", "ZDOTDIR",
		"NODE_OPTIONS", "NODE_PATH", "PERL5OPT", "PERL5LIB", "RUBYOPT", "RUBYLIB", "JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS":
		return true
	}
	return slices.ContainsFunc([]string{"LD_", "DYLD_", "PYTHON", "NPM_CONFIG_", "PARLEY_"}, func(p string) bool { return strings.HasPrefix(name, p) })
}

// authCommand returns a command that is short enough to be read as a whole, nil for any
// other.
func authCommand(t *wire.TerminalAuth) *event.AuthCommand {
	if t == nil {
		return nil
	}
	size := len(t.Command)
	for _, a := range t.Args {
		size += len(a) + 1
	}
	for _, e := range t.Env {
		if !plainVar().MatchString(e.Name) {
			return nil
		}
		size += len(e.Name) + len(e.Value) + 2
	}
	if size > maxAuthCommand {
		return nil
	}
	return &event.AuthCommand{Command: t.Command, Args: t.Args, Env: environment(t.Env), Label: safetext.Line(t.Label, 80)}
}

// Authenticate logs in with a method that the agent carries out itself. It may take
// minutes; it is given up when ctx ends.
func (c *Client) Authenticate(ctx context.Context, methodID string) error {
	return c.authenticate(ctx, methodID, "", "", "agent")
}

// AuthenticateKey is Authenticate with a key, for a method that TakesKey.
func (c *Client) AuthenticateKey(ctx context.Context, methodID, key string) error {
	return c.authenticate(ctx, methodID, key, "", "agent")
}

// AuthenticateEnv tells an agent that was started with the variables of a method of type
// "env_var" to log in with them. Agents that use them without being told are not asked.
func (c *Client) AuthenticateEnv(ctx context.Context, methodID string) error {
	return c.authenticate(ctx, methodID, "", "env_var")
}

func (c *Client) authenticate(ctx context.Context, methodID, key string, types ...string) error {
	for _, m := range c.agent.AuthMethods {
		if m.ID != methodID {
			continue
		}
		if !slices.Contains(types, m.Type) || m.RefusalReason != "" {
			return fmt.Errorf("log in: a method of type %q is not the agent's to carry out", m.Type)
		}
		params := map[string]any{"methodId": methodID}
		if key != "" {
			var handed any = map[string]string{"apiKey": key}
			if c.quirk.keyAsText {
				handed = key
			}
			params["_meta"] = map[string]any{"api-key": handed}
		}
		if err := c.peer.Call(ctx, c.surface.login(), params, nil); err != nil {
			return withVariables(withoutKey(c.callFailed("log in", err), key))
		}
		return nil
	}
	return fmt.Errorf("log in: %w", ErrUnsupported)
}

// variable matches the names of environment variables.
var variable = lazy.Regexp(`\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b`)

// withoutKey removes a key from the error of a login: some servers repeat the key that
// they have refused.
func withoutKey(err error, key string) error {
	var e *event.AgentError
	if key != "" && errors.As(err, &e) {
		e.Message, e.Detail = strings.ReplaceAll(e.Message, key, "[redacted]"), strings.ReplaceAll(e.Detail, key, "[redacted]")
	}
	return err
}

// withVariables adds advice to a login error that names environment variables: the agent
// gets those that parley was started with.
func withVariables(err error) error {
	var e *event.AgentError
	if !errors.As(err, &e) {
		return err
	}
	names := variable().FindAllString(e.Message+" "+e.Detail, 8)
	slices.Sort(names)
	if names = slices.Compact(names); len(names) == 0 {
		return err
	}
	return fmt.Errorf("%w; set %s before you start parley", err, strings.Join(names, " or "))
}

// environment converts the variables that an agent asks for.
func environment(vars []wire.EnvVar) []event.EnvVar {
	var out []event.EnvVar
	for _, v := range vars {
		out = append(out, event.EnvVar(v))
	}
	return out
}
