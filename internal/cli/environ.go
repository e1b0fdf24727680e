package cli

import (
	"os"
	"runtime"
	"slices"
	"strings"

	"parley/internal/config"
	"parley/internal/process"
)

// ownPrefix begins the names of variables that are for parley itself.
const ownPrefix = "PARLEY_"

// sharedVars are those of them that others may have: a parley that an agent starts is to find the same files, and is
// itself found by its mark.
var sharedVars = []string{"PARLEY_CONFIG", "PARLEY_STATE", process.TreeVar}

// withhold takes what is for parley itself out of the environment, before anything is started: the variables that hold
// the values of headers, and whatever is named after parley. An agent that shall have one of them names it in its env.
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

// commandEnviron is the environment of the commands of agents. They have no terminal to ask on, so git is told to say so
// instead of trying; whoever has set that otherwise means it. Programs that page or ask by themselves need no such
// word: without a terminal they do neither. Commands that have the user's keyboard get the environment as it is.
func commandEnviron() []string {
	env := os.Environ()
	if _, set := process.Getenv(env, "GIT_TERMINAL_PROMPT"); !set {
		env = append(env, "GIT_TERMINAL_PROMPT=0")
	}
	return env
}
