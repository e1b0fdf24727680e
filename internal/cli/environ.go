package cli

import (
	"os"
	"runtime"
	"slices"
	"strings"

	"parley/internal/process"
)

// ownPrefix begins the names of variables that are for parley itself.
const ownPrefix = "PARLEY_"

// sharedVars are those of them that others may have: a parley that an agent starts is to find the same files.
var sharedVars = []string{"PARLEY_CONFIG", "PARLEY_STATE"}

// environ is what agents, their commands and lines of the user's own get of the environment: all of it but what parley
// was given for itself. These are the variables that hold the values of headers, and whatever is named after parley.
// An agent that shall have one of them names it in its env.
func (s *Setup) environ() []string {
	var secrets []string
	for _, pair := range s.Remote.headerEnv {
		_, variable, _ := strings.Cut(pair, "=")
		secrets = append(secrets, variable)
	}
	if s.Config != nil {
		for _, a := range s.Config.Agents {
			for _, variable := range a.HeaderEnv {
				secrets = append(secrets, variable)
			}
		}
	}
	return withoutOwn(os.Environ(), secrets)
}

// withoutOwn leaves out the secrets, and variables of parley's own.
func withoutOwn(env, secrets []string) []string {
	same := func(a, b string) bool { return a == b || runtime.GOOS == "windows" && strings.EqualFold(a, b) }
	out := make([]string, 0, len(env))
	for _, v := range env {
		name, _, _ := strings.Cut(v, "=")
		is := func(other string) bool { return other != "" && same(name, other) }
		own := len(name) >= len(ownPrefix) && same(name[:len(ownPrefix)], ownPrefix)
		if !slices.ContainsFunc(secrets, is) && (!own || slices.ContainsFunc(sharedVars, is)) {
			out = append(out, v)
		}
	}
	return out
}

// commandEnviron is environ for the commands of agents. They have no terminal to ask on, so git is told to say so
// instead of trying; whoever has set that otherwise means it. Programs that page or ask by themselves need no such
// word: without a terminal they do neither. Commands that have the user's keyboard get environ.
func (s *Setup) commandEnviron() []string {
	env := s.environ()
	if _, set := process.Getenv(env, "GIT_TERMINAL_PROMPT"); !set {
		env = append(env, "GIT_TERMINAL_PROMPT=0")
	}
	return env
}
