package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"parley/internal/must"
)

// released makes what goreleaser leaves, with a program that says its arguments and ends with 7.
func released(t *testing.T, platforms ...string) (dist string) {
	t.Helper()
	dist = filepath.Join(t.TempDir(), "dist")
	must.Do(t, os.Mkdir(dist, 0o755))
	must.Do(t, os.WriteFile(fromDist(dist, "LICENSE"), []byte("a licence\n"), 0o644))
	var artifacts []artifact
	for _, p := range platforms {
		goos, goarch, _ := strings.Cut(p, "/")
		a := artifact{Name: "parley", Path: filepath.Join("dist", "parley_"+goos+"_"+goarch, "parley"), Goos: goos, Goarch: goarch, Type: "Binary"}
		must.Do(t, os.MkdirAll(filepath.Dir(fromDist(dist, a.Path)), 0o755))
		must.Do(t, os.WriteFile(fromDist(dist, a.Path), []byte("#!/bin/sh\necho \"$*\"\nexit 7\n"), 0o755))
		artifacts = append(artifacts, a, artifact{Name: "parley.tar.gz", Type: "Archive"})
	}
	must.Do(t, os.WriteFile(filepath.Join(dist, "artifacts.json"), must.Get(json.Marshal(artifacts))(t), 0o644))
	return dist
}

func TestPackages(t *testing.T) {
	out := t.TempDir()
	must.Do(t, pack(released(t, "linux/amd64", "windows/arm64"), "v1.2.3", "Example", out))
	read := func(name string) (m manifest) {
		must.Do(t, json.Unmarshal(must.Get(os.ReadFile(filepath.Join(out, name, "package.json")))(t), &m))
		return m
	}
	if m := read("parley"); m.Name != "@example/parley" || m.Version != "1.2.3" || len(m.OptionalDependencies) != 2 || m.OptionalDependencies["@example/parley-win32-arm64"] != "1.2.3" || m.OS != nil {
		t.Errorf("got %+v", m)
	}
	if m := read("parley-linux-x64"); m.OS[0] != "linux" || m.CPU[0] != "x64" || m.Bin != nil || m.Repository.URL != "git+https://github.com/Example/parley.git" {
		t.Errorf("got %+v", m)
	}
	if licence := string(must.Get(os.ReadFile(filepath.Join(out, "parley", "LICENSE")))(t)); licence != "a licence\n" {
		t.Errorf("the licence is %s", licence)
	}
	for _, dist := range []string{released(t), released(t, "linux/amd64", "linux/amd64"), t.TempDir()} {
		if err := pack(dist, "1.0.0", "example", t.TempDir()); err == nil {
			t.Errorf("%s was packed", dist)
		}
	}
}

// What npm would install starts the program and ends as it does.
func TestLauncher(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil || runtime.GOOS == "windows" {
		t.Skip("needs node, and a shell script as the program")
	}
	out := filepath.Join(t.TempDir(), "node_modules", "@example")
	must.Do(t, pack(released(t, runtime.GOOS+"/"+runtime.GOARCH), "1.2.3", "example", out))
	launch := func() (string, int) {
		cmd := exec.Command(node, filepath.Join(out, "parley", "bin", "parley.js"), "a b", "c")
		said, _ := cmd.CombinedOutput()
		return string(said), cmd.ProcessState.ExitCode()
	}
	if said, code := launch(); said != "a b c\n" || code != 7 {
		t.Errorf("code %d: %s", code, said)
	}
	must.Do(t, os.RemoveAll(filepath.Join(out, "parley-"+runtime.GOOS+"-"+named(processors, runtime.GOARCH))))
	if said, code := launch(); code != 1 || !strings.HasPrefix(said, "parley: @example/parley-") || strings.Count(said, "\n") != 1 {
		t.Errorf("code %d: %s", code, said)
	}
}
