package agents

import (
	"errors"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"

	"parley/internal/closest"
	"parley/internal/programs"
	"parley/internal/words"
)

// Discover looks up the known agents and returns all of them: those on PATH, those that npx
// would fetch, those that are missing, each group with the most used first, and the
// built-in one last. It looks up each name once, all at the same time, since a PATH may be
// long and contain slow file systems, and runs nothing. look finds an executable by name;
// it may block on the file system and is called from several goroutines.
func Discover(look func(name string) (string, error)) []Agent {
	npx := sync.OnceValue(func() string {
		found, err := look("npx")
		if err != nil {
			return ""
		}
		return found
	})
	list := Known()
	var all sync.WaitGroup
	for i := range list {
		all.Go(func() { list[i] = list[i].locate(look, npx) })
	}
	all.Wait()
	// Stable: each group keeps the order of the table.
	slices.SortStableFunc(list, func(a, b Agent) int { return a.Source.rank() - b.Source.rank() })
	return list
}

func (s Source) rank() int {
	return slices.Index([]Source{Custom, Config, Installed, Path, Npx, Missing, Builtin}, s)
}

func (a Agent) locate(look func(string) (string, error), npx func() string) Agent {
	if a.Source == Builtin {
		if self, err := os.Executable(); err == nil {
			a.Command, a.Found = self, self
		}
		return a
	}
	found, err := look(a.Command)
	if err == nil {
		a.Source, a.Found = Path, found
		return a
	}
	if a.Package != "" {
		if found := npx(); found != "" {
			a.Source, a.Found = Npx, found
			return a
		}
	}
	if inProject, ok := errors.AsType[*programs.InProjectError](err); ok {
		a.Install = inProject.Error()
	}
	return a
}

// WithInstalled returns a list of Discover with the agents that parley has installed, which come first. One that
// is in the table replaces that entry and has its name.
func WithInstalled(list, installed []Agent) []Agent {
	list = slices.Clone(list)
	for _, a := range installed {
		name := Alias(a.ID, a.Package)
		at := slices.IndexFunc(list, func(k Agent) bool { return k.Name == name })
		if at < 0 {
			list = append(list, a)
			continue
		}
		if list[at].Source == Builtin || list[at].Source == Installed && list[at].ID != a.ID {
			continue // the demo is a part of parley; of two ids for one agent the first counts
		}
		a.Name, a.Title, a.Install = name, list[at].Title, list[at].Install
		list[at] = a
	}
	slices.SortStableFunc(list, func(a, b Agent) int { return a.Source.rank() - b.Source.rank() })
	return list
}

// Find returns the agent with that name, or that id in the registry, ignoring case.
func Find(list []Agent, name string) (Agent, bool) {
	for _, a := range list {
		if strings.EqualFold(a.Name, name) {
			return a, true
		}
	}
	for _, a := range list {
		if a.ID != "" && strings.EqualFold(a.ID, name) {
			return a, true
		}
	}
	return Agent{}, false
}

// Closest asks whether a mistyped name was meant to be one of the list: " (did you mean claude?)". It is
// "" if none is close.
func Closest(list []Agent, name string) string {
	var names []string
	for _, a := range list {
		names = append(names, a.Name)
	}
	if meant := closest.Name(name, names); meant != "" {
		return " (did you mean " + meant + "?)"
	}
	return ""
}

// CommandLine returns the command as typed in a POSIX shell, or the URL of a remote agent
// without what may be secret in it.
func (a Agent) CommandLine() string {
	if a.URL != "" {
		return redactedURL(a.URL)
	}
	program := []string{a.Command}
	if a.Source == Npx {
		program = []string{"npx", "-y", a.Package + "@" + a.Version}
	}
	return words.Command(append(program, a.Args...))
}

// redactedURL returns a URL without user and query.
func redactedURL(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return "an agent's URL"
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}
