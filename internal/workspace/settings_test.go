package workspace_test

import (
	"fmt"
	"strings"
	"testing"
)

// All options are switched alike. The modes are a setting if there is no option.
func TestSettings(t *testing.T) {
	const options = `,"configOptions":[
		{"id":"fast","name":"Fast","type":"boolean","currentValue":false},
		{"id":"m","category":"model","type":"select","currentValue":"b","options":[{"value":"a","name":"Ada"},{"value":"b"}]}]`
	const modes = `,"modes":{"currentModeId":"ask","availableModes":[{"id":"ask","name":"Ask"},{"id":"code","name":"Code"}]}`
	for _, test := range []struct{ session, want, method, params string }{
		{options + modes, "Fast: off, m: b", "session/set_config_option", `"configId":"m"`},
		{modes, "Mode: Ask", "session/set_mode", `"modeId":"code"`},
	} {
		with(t, func(r *rig) {
			r.fake().Answer("session/new", `{"sessionId":"s1"`+test.session+`}`)
			r.fake().Answer(test.method, `{}`)
		}, func(r *rig) {
			s := r.started(local)
			var got []string
			for _, setting := range s.Settings() {
				got = append(got, fmt.Sprintf("%s: %s", setting.Name, setting.Value()))
			}
			if strings.Join(got, ", ") != test.want {
				t.Errorf("settings: %q, want %q", got, test.want)
			}
			setting, ok := s.Setting("model")
			if !ok {
				setting, ok = s.Setting("mode")
			}
			if !ok {
				t.Fatal("there is neither a model nor a mode")
			}
			setting.Set(setting.Choices[len(setting.Choices)-1].ID, func(error) {})
			r.settle()
			if calls := r.Agent().Calls(test.method); len(calls) != 1 || !strings.Contains(calls[0], test.params) {
				t.Errorf("asked for %q", calls)
			}
		})
	}
}
