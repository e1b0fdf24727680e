// npmpack makes npm packages of the programs of a release: one for each platform, and one that depends on
// all of them, of which npm installs the one that fits.
//
//	go run ./internal/npmpack DIST VERSION OWNER OUT
//
// DIST is the directory that goreleaser has filled, in the repository; OWNER owns the repository, and the packages as
// @owner. OUT gets a directory for each package, to be published by npm: the platforms first.
package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

//go:embed parley.js
var launcher []byte

func main() {
	if len(os.Args) != 5 {
		fmt.Fprintln(os.Stderr, "npmpack: want DIST VERSION OWNER OUT")
		os.Exit(2)
	}
	if err := pack(os.Args[1], os.Args[2], os.Args[3], os.Args[4]); err != nil {
		fmt.Fprintln(os.Stderr, "npmpack:", err)
		os.Exit(1)
	}
}

// artifact is what goreleaser says of a file that it has made.
type artifact struct{ Name, Path, Goos, Goarch, Type string }

// manifest is a package.json.
type manifest struct {
	Name                 string            `json:"name"`
	Version              string            `json:"version"`
	Description          string            `json:"description"`
	License              string            `json:"license"`
	Repository           repository        `json:"repository"`
	OS                   []string          `json:"os,omitempty"`
	CPU                  []string          `json:"cpu,omitempty"`
	Bin                  map[string]string `json:"bin,omitempty"`
	OptionalDependencies map[string]string `json:"optionalDependencies,omitempty"`
}

// repository is what npm compares with the one whose workflow publishes a package.
type repository struct {
	Type string `json:"type"`
	URL  string `json:"url"`
}

// The names of npm for those of Go, where they differ.
var (
	systems    = map[string]string{"windows": "win32"}
	processors = map[string]string{"amd64": "x64"}
)

func pack(dist, version, owner, out string) error {
	text, err := os.ReadFile(filepath.Join(dist, "artifacts.json"))
	if err != nil {
		return err
	}
	var artifacts []artifact
	if err := json.Unmarshal(text, &artifacts); err != nil {
		return fmt.Errorf("artifacts.json: %w", err)
	}
	licence, err := os.ReadFile(fromDist(dist, "LICENSE"))
	if err != nil {
		return err
	}
	version = strings.TrimPrefix(version, "v")
	whole := manifest{Name: "@" + strings.ToLower(owner) + "/parley", Version: version, Description: "Chat with coding agents in a terminal", License: "MIT",
		Repository: repository{"git", "git+https://github.com/" + owner + "/parley.git"}, Bin: map[string]string{"parley": "bin/parley.js"}, OptionalDependencies: map[string]string{}}
	for _, a := range artifacts {
		if a.Type != "Binary" {
			continue
		}
		system, processor := named(systems, a.Goos), named(processors, a.Goarch)
		part := whole
		part.Name, part.OS, part.CPU, part.Bin, part.OptionalDependencies = whole.Name+"-"+system+"-"+processor, []string{system}, []string{processor}, nil, nil
		if _, twice := whole.OptionalDependencies[part.Name]; twice {
			return fmt.Errorf("two programs for %s/%s", a.Goos, a.Goarch)
		}
		whole.OptionalDependencies[part.Name] = version
		program, err := os.ReadFile(fromDist(dist, a.Path))
		if err != nil {
			return err
		}
		if err := write(filepath.Join(out, filepath.Base(part.Name)), part, licence, a.Name, program); err != nil {
			return err
		}
	}
	if len(whole.OptionalDependencies) == 0 {
		return fmt.Errorf("%s has no programs", dist)
	}
	return write(filepath.Join(out, "parley"), whole, licence, "parley.js", launcher)
}

func named(names map[string]string, name string) string {
	if other, ok := names[name]; ok {
		return other
	}
	return name
}

// fromDist returns where a file is that goreleaser names from the directory in which it has run.
func fromDist(dist, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(filepath.Dir(filepath.Clean(dist)), path)
}

func write(dir string, m manifest, licence []byte, program string, content []byte) error {
	if err := os.MkdirAll(filepath.Join(dir, "bin"), 0o755); err != nil {
		return err
	}
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "package.json"), append(text, '\n'), 0o644); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "LICENSE"), licence, 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "bin", program), content, 0o755)
}
