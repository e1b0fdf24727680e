package cli

import (
	"os"
	"runtime"
	"slices"
	"strings"

	"parley/internal/config"
	"parley/internal/process"
)

// ownPrefix is the prefix of variables meant for parley itself.
const ownPrefix = "PARLEY_"

// sharedVars are the exceptions that other processes may see: a parley started by an agent must use
// the same files, and must be identifiable by its process mark.
var sharedVars = []string{"PARLEY_CONFIG", "PARLEY_STATE", process.TreeVar}

// withhold removes parley's own variables, and those that hold header values, from the environment.
// It must run before anything is started. An agent gets such a variable only if its env names it.
func withhold(c *config.Config, remote RemoteFlags) {
	var headers []string
	for _, pair := range remote.headerEnv {
		_, variable, _ := strings.Cut(pair, "=")
		headers = append(headers, variable)
	}
	for _, a := range c.Agents {
		for _, variable := range a.HeaderEnv {
			headers = append(headers, variable)
		}
	}
	process.Withhold(func(name string) bool {
		is := func(other string) bool { return sameVariable(name, other) }
		own := len(name) >= len(ownPrefix) && sameVariable(name[:len(ownPrefix)], ownPrefix)
		return slices.ContainsFunc(headers, is) || own && !slices.ContainsFunc(sharedVars, is)
	})
}

func sameVariable(a, b string) bool {
	return a == b || runtime.GOOS == "windows" && strings.EqualFold(a, b)
}

// commandEnviron returns the environment of agents' commands. They have no terminal for prompts, so
// git is told not to prompt, unless the user has set that variable. Pagers and other prompts need
// no setting: they check for a terminal. Commands that have the user's keyboard get the unchanged
// environment.
func commandEnviron() []string {
	env := os.Environ()
	if _, set := process.Getenv(env, "GIT_TERMINAL_PROMPT"); !set {
		env = append(env, "GIT_TERMINAL_PROMPT=0")
	}
	return env
}
