package cli

import (
	"os"
	"slices"
	"strings"
	"testing"

	"parley/internal/config"
	"parley/internal/process"
)

// Variables meant for parley leave the environment, but parley still knows their values. All others
// stay.
func TestWithhold(t *testing.T) {
	for name, value := range map[string]string{"FAR_AUTH": "Bearer secret-1", "FLAG_AUTH": "secret-2", "PARLEY_ANYTHING": "secret-3", "PARLEY_MCP_TOKEN": "secret-4",
		"PARLEY_CONFIG": "/c", "PARLEY_STATE": "/s", "FAR_AUTH_NOT": "kept", "MY_PARLEY_X": "kept"} {
		t.Setenv(name, value)
	}
	t.Setenv("GIT_TERMINAL_PROMPT", "1")
	c := &config.Config{Agents: map[string]config.Agent{"far": {Remote: config.Remote{HeaderEnv: map[string]string{"Authorization": "FAR_AUTH"}}}}}
	withhold(c, RemoteFlags{headerEnv: []string{"X-Key=FLAG_AUTH", "nonsense"}})
	for _, env := range [][]string{os.Environ(), commandEnviron()} {
		if all := strings.Join(env, "\n"); strings.Contains(all, "secret-") {
			t.Errorf("secrets are in the environment: %q", all)
		}
		for _, want := range []string{"PARLEY_CONFIG=/c", "PARLEY_STATE=/s", "FAR_AUTH_NOT=kept", "MY_PARLEY_X=kept", "GIT_TERMINAL_PROMPT=1"} {
			if !slices.Contains(env, want) {
				t.Errorf("%s is missing", want)
			}
		}
		if slices.Contains(env, "GIT_TERMINAL_PROMPT=0") {
			t.Error("the user's word on git's prompts does not count")
		}
	}
	for name, want := range map[string]string{"FAR_AUTH": "Bearer secret-1", "PARLEY_MCP_TOKEN": "secret-4", "FAR_AUTH_NOT": "kept", "NO_SUCH_VARIABLE": ""} {
		if got := process.Withheld(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}
