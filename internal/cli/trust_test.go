package cli

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"parley/internal/config"
	"parley/internal/must"
	"parley/permissions"
)

func TestAddRule(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config", "rules.toml")
	first := permissions.Rule{Effect: permissions.Allow, Command: "git add *"}
	second := permissions.Rule{Effect: permissions.Allow, Path: `odd "name"\`, Kind: "edit"}
	for _, r := range []permissions.Rule{first, second} {
		must.Do(t, addRule(path, r))
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

	// No rule is written to a place from which it would not be read.
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

	// An existing file that cannot be read is not overwritten.
	must.Do(t, os.WriteFile(path, []byte("[[allow\n"), 0o600))
	if err := addRule(path, first); err == nil || !strings.Contains(err.Error(), path) {
		t.Error(err)
	}
	if data, _ := os.ReadFile(path); string(data) != "[[allow\n" {
		t.Errorf("%s", data)
	}
	if there, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*")); len(there) != 1 {
		t.Errorf("not removed: %v", there)
	}
}

// The record of questions contains no secrets, in any part of a question.
func TestQuestionsHaveNoSecrets(t *testing.T) {
	state := t.TempDir()
	t.Setenv("PARLEY_STATE", state)
	token := "ghp_" + strings.Repeat("a1B2", 9)
	line := "curl -u ada:swordfish -H 'Authorization: Bearer " + token + "' https://ada:swordfish@example.com/?key=swordfish"
	r := (&Setup{Config: &config.Config{}}).NewQuestions(func(err error) { t.Error(err) })
	r.RecordAnswer(permissions.Question{Session: "s", Heading: "Run " + line, Body: []permissions.Part{{Kind: permissions.Command, Text: line}},
		Options: []permissions.Option{{ID: "y", Name: "Always allow " + line}},
		Facts:   permissions.Facts{Commands: []permissions.CommandFact{{Line: line}, {Words: []string{"deploy", "--token", "swordfish", "-u", "ada:swordfish"}}}},
	}, permissions.Answer{OptionID: "y", By: "you"}, true)
	r.RecordOutcome("s", 1, "exit 22: "+token)
	r.Close()
	paths, _ := filepath.Glob(filepath.Join(state, "questions", "*.jsonl"))
	if len(paths) != 1 {
		t.Fatal(paths)
	}
	data, err := os.ReadFile(paths[0])
	if err != nil || strings.Contains(string(data), "swordfish") || strings.Contains(string(data), token[4:]) {
		t.Errorf("%s, %v", data, err)
	}
	if !strings.Contains(string(data), "https://[redacted]@example.com/?key=[redacted]") || !strings.Contains(string(data), `"deploy","--token","[redacted]"`) {
		t.Errorf("too much is gone: %s", data)
	}
}
