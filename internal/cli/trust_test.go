package cli

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"parley/permissions"
)

func TestAddRule(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config", "rules.toml")
	first := permissions.Rule{Effect: permissions.Allow, Command: "git add *"}
	second := permissions.Rule{Effect: permissions.Allow, Path: `odd "name"\`, Kind: "edit"}
	for _, r := range []permissions.Rule{first, second} {
		if err := addRule(path, r); err != nil {
			t.Fatal(err)
		}
	}
	data, _ := os.ReadFile(path)
	rules, err := permissions.ParseRules(path, data, false)
	if err != nil || len(rules) != 2 || rules[0].Command != first.Command || rules[1].Path != second.Path {
		t.Fatalf("%s\n%+v, %v", data, rules, err)
	}
	if runtime.GOOS != "windows" {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Error(info.Mode(), err)
		}
	}

	// None is written where it would not be read.
	if runtime.GOOS != "windows" {
		open := t.TempDir()
		os.Chmod(open, 0o777)
		if err := addRule(filepath.Join(open, "rules.toml"), first); err == nil || !strings.HasSuffix(err.Error(), "chmod go-w "+open) {
			t.Error(err)
		}
		if left, err := os.ReadDir(open); len(left) > 0 || err != nil {
			t.Errorf("%v, %v", left, err)
		}
	}

	// What is there and cannot be read is not overwritten.
	if err := os.WriteFile(path, []byte("[[allow\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := addRule(path, first); err == nil || !strings.Contains(err.Error(), path) {
		t.Error(err)
	}
	if data, _ := os.ReadFile(path); string(data) != "[[allow\n" {
		t.Errorf("%s", data)
	}
	if there, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*")); len(there) != 1 {
		t.Errorf("left behind: %v", there)
	}
}
