package doctor

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strconv"
	"strings"

	"parley/internal/lazy"
	"parley/internal/smallfile"
)

// maxPackage bounds a package.json, in bytes.
const maxPackage = 1 << 20

// Package is what an npm package says of itself.
type Package struct {
	Name, Version string
	Engines       struct{ Node string } // the versions of node that can run it
}

// PackageOf returns the npm package of a name that a program belongs to, an empty one if it belongs to none. It
// reads files and runs nothing.
func PackageOf(program, name string) Package {
	path, err := filepath.EvalSymlinks(program)
	if err != nil || name == "" {
		return Package{}
	}
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		for _, file := range []string{filepath.Join(dir, "package.json"), filepath.Join(dir, "node_modules", filepath.FromSlash(name), "package.json")} {
			if p := readPackage(file); p.Name == name {
				return p
			}
		}
		if filepath.Dir(dir) == dir {
			return Package{}
		}
	}
}

var atLeast = lazy.Regexp(`^>=\s*v?(\d+)`)

// OldNode returns the node that PATH finds if it is older than the package needs, and the major version that it
// needs; "" if it will do, or cannot be judged.
func (p Package) OldNode(ctx context.Context) (have, need string) {
	m := atLeast().FindStringSubmatch(p.Engines.Node)
	if m == nil {
		return "", ""
	}
	have = run(ctx, "node", "--version")
	major, _, _ := strings.Cut(strings.TrimPrefix(have, "v"), ".")
	got, err := strconv.Atoi(major)
	want, _ := strconv.Atoi(m[1])
	if err != nil || got >= want {
		return "", ""
	}
	return have, m[1]
}

func readPackage(file string) (p Package) {
	data, _ := smallfile.Read(file, maxPackage)
	_ = json.Unmarshal(data, &p) // a member of another type leaves the others
	return p
}
