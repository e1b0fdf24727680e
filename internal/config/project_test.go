package config

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/must"
)

func TestProjectAgent(t *testing.T) {
	for text, want := range map[string]string{
		"":                     "",
		"agent = 'claude'":     "claude",
		"# c\n\nagent = \"x\"": "x",
		"agent = 7":            ":1:9: agent: want a string, not an integer",
		"theme = 'dark'":       `:1:1: unknown key "theme"`,
		"agent = 'x'\n[agents.x]\ncommand = './evil'": `:2:2: unknown key "agents"`,
		"[mcp.x]\ncommand = 'y'":                      `:1:2: unknown key "mcp"`,
		"agent = 'a'\nagent = 'b'":                    ":2:1: ",
		"agent = \"\x1b[2J":                           ":1:",
		strings.Repeat("#", maxSize+1):                "larger than",
	} {
		dir := t.TempDir()
		must.Do(t, os.Mkdir(filepath.Join(dir, ".parley"), 0o700))
		must.Do(t, os.WriteFile(filepath.Join(dir, ".parley", "config.toml"), []byte(text), 0o600))
		got, err := ProjectAgent(dir)
		if err == nil && got != want || err != nil && (!strings.Contains(err.Error(), want) || strings.ContainsAny(err.Error(), "\n\x1b")) || err != nil && want == "" {
			t.Errorf("%.60q: %q, %v", text, got, err)
		}
	}
	if got, err := ProjectAgent(t.TempDir()); got != "" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	dir := t.TempDir()
	must.Do(t, os.MkdirAll(filepath.Join(dir, ".parley", "config.toml"), 0o700))
	if _, err := ProjectAgent(dir); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Error(err)
	}
}

func TestEnvFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "env")
	for text, want := range map[string]map[string]string{
		"": {}, "# c\n\nA=1\nexport B = \"two words\" \r\nC='x'\nD=\nE=a=b\nF=\"": {"A": "1", "B": "two words", "C": "x", "D": "", "E": "a=b", "F": "\""},
		"A=1\nsecret\n": nil, "=secret": nil, "A B=secret": nil, "A=se\x00cret": nil, strings.Repeat("A", maxSize+1): nil,
	} {
		must.Do(t, os.WriteFile(path, []byte(text), 0o600))
		got, err := EnvFile(path)
		if want == nil && err == nil || want != nil && (err != nil || !maps.Equal(got, want)) {
			t.Errorf("%.40q: %q, %v", text, got, err)
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("the error shows the file: %v", err)
		}
	}
	if _, err := EnvFile(path + "x"); err == nil || strings.Count(err.Error(), path) != 1 {
		t.Error(err)
	}
}
