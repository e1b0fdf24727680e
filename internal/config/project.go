package config

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"reflect"
	"sync"

	"parley/internal/smallfile"
)

// project is .parley/config.toml of a project. It comes with a repository, so it can choose among what the user
// has, and nothing else.
type project struct {
	Agent string `toml:"agent"`
}

var projectFile = sync.OnceValue(func() *shape { return shapeOf(reflect.TypeFor[project]()) })

// ProjectAgent returns the name of the agent that the project in a directory prefers, "" if it says none. The error
// is one line.
func ProjectAgent(dir string) (string, error) {
	path := filepath.Join(dir, ".parley", "config.toml")
	data, err := smallfile.Read(path, maxSize)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil
	case err != nil:
		return "", fmt.Errorf("%s: %w", oneLine(path), smallfile.Cause(err))
	}
	doc, found := scan(data, projectFile())
	if found != nil {
		return "", found.in(path)
	}
	var p project
	if found := doc.decode(&p); found != nil {
		return "", found.in(path)
	}
	return p.Agent, nil
}
