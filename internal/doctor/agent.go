package doctor

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
)

// maxPackage bounds a package.json, in bytes.
const maxPackage = 1 << 20

// PackageVersion returns the version of the npm package that a program belongs to, "" if it belongs to none. It
// reads files and runs nothing.
func PackageVersion(program, pkg string) string {
	path, err := filepath.EvalSymlinks(program)
	if err != nil || pkg == "" {
		return ""
	}
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		for _, file := range []string{filepath.Join(dir, "package.json"), filepath.Join(dir, "node_modules", filepath.FromSlash(pkg), "package.json")} {
			if name, version := packageOf(file); name == pkg {
				return version
			}
		}
		if filepath.Dir(dir) == dir {
			return ""
		}
	}
}

func packageOf(file string) (name, version string) {
	if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() { // opening a pipe would block
		return "", ""
	}
	f, err := os.Open(file)
	if err != nil {
		return "", ""
	}
	defer f.Close()
	var p struct{ Name, Version string }
	if json.NewDecoder(io.LimitReader(f, maxPackage)).Decode(&p) != nil {
		return "", ""
	}
	return p.Name, p.Version
}
