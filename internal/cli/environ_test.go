package cli

import (
	"slices"
	"strings"
	"testing"

	"parley/internal/config"
)

// What parley was given for itself is not handed on; everything else is, and what an agent's env names wins.
func TestEnviron(t *testing.T) {
	for name, value := range map[string]string{"FAR_AUTH": "Bearer secret-1", "FLAG_AUTH": "secret-2", "PARLEY_ANYTHING": "secret-3", "PARLEY_MCP_TOKEN": "secret-4",
		"PARLEY_CONFIG": "/c", "PARLEY_STATE": "/s", "FAR_AUTH_NOT": "kept", "MY_PARLEY_X": "kept"} {
		t.Setenv(name, value)
	}
	t.Setenv("GIT_TERMINAL_PROMPT", "1")
	s := &Setup{Config: &config.Config{Agents: map[string]config.Agent{"far": {Remote: config.Remote{HeaderEnv: map[string]string{"Authorization": "FAR_AUTH"}}}}}}
	s.Remote.headerEnv = []string{"X-Key=FLAG_AUTH", "nonsense"}
	env := s.commandEnviron()
	if all := strings.Join(env, "\n"); strings.Contains(all, "secret-") {
		t.Errorf("secrets are handed on: %q", all)
	}
	for _, want := range []string{"PARLEY_CONFIG=/c", "PARLEY_STATE=/s", "FAR_AUTH_NOT=kept", "MY_PARLEY_X=kept", "GIT_TERMINAL_PROMPT=1"} {
		if !slices.Contains(env, want) {
			t.Errorf("%s is missing", want)
		}
	}
	if slices.Contains(env, "GIT_TERMINAL_PROMPT=0") {
		t.Error("the user's word on git's prompts does not count")
	}
	if env := withoutOwn([]string{"A=1", "=C:=x", "EMPTY="}, []string{""}); len(env) != 3 {
		t.Errorf("%q", env)
	}
}
