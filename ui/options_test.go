package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"parley/internal/fakeagent"
)

// settings are options of every type: one of a type that is not known, grouped
// choices, a category that is not known, a current value without a choice.
const settings = `[
	{"id":"m","name":"Mode","category":"mode","type":"select","currentValue":"%s","options":[{"value":"ask","name":"Ask first","description":"before every change"},{"value":"code","name":"Code"},{"value":"plan","name":"Plan only"}]},
	{"id":"llm","name":"Model","category":"model","type":"select","currentValue":"big","options":[{"group":"fast","name":"Fast ones","options":[{"value":"small","name":"Small 1"}]},{"group":"slow","name":"Slow ones","options":[{"value":"big","name":"Big 7"},{"value":"huge","name":"Huge 9"}]}]},
	{"id":"dial","name":"Dial","type":"dial","currentValue":3},
	{"id":"web","name":"Web search","category":"_odd","type":"boolean","currentValue":%s},
	{"id":"raw","name":"","type":"select","currentValue":"elsewhere","options":[{"value":"x1","name":""}]}]`

func options(mode string, web bool) string {
	return `"configOptions":` + fmt.Sprintf(settings, mode, fmt.Sprint(web))
}

// withOptions is an agent whose options keep what was last set.
func withOptions(d *driver, _ *Options) {
	mode, web := "ask", false
	d.fake.On("session/new", func(c *fakeagent.Call) (string, error) {
		// Case 96: modes beside options are not looked at.
		return fmt.Sprintf(`{"sessionId":"s%d","modes":{"currentModeId":"zen","availableModes":[{"id":"zen","name":"Zen"},{"id":"war","name":"War"}]},%s}`, c.N, options(mode, web)), nil
	})
	d.fake.On("session/set_config_option", func(c *fakeagent.Call) (string, error) {
		time.Sleep(time.Second)
		var in struct{ Value any }
		c.Decode(&in)
		switch v := in.Value.(type) {
		case string:
			if v == "plan" {
				return "", fakeagent.Errorf(-32602, "not on a Sunday")
			}
			mode = v
		case bool:
			web = v
		}
		return `{` + options(mode, web) + `}`, nil
	})
}

// Cases 96, 97: shift+tab goes round the option of category mode; the new value
// is shown when the agent has confirmed it, and an error leaves the old one.
func TestNextModeByOption(t *testing.T) {
	drive(t, withOptions, func(d *driver) {
		d.connected()
		d.sees("fake · approval: ask · mode: Ask first · Big 7")
		d.Agent().Update("s1", `{"sessionUpdate":"current_mode_update","currentModeId":"war"}`)
		d.soon()
		d.misses("Zen", "War")
		d.types("draft")
		d.press("shift+tab")
		d.wait(500 * time.Millisecond)
		d.sees("Ask first")
		d.wait(time.Second)
		d.sees("fake · approval: ask · mode: Code · Big 7", "Mode of the agent: Code")
		d.press("shift+tab")
		d.wait(2 * time.Second)
		d.sees("Change the option: the agent answered: not on a Sunday")
		d.wait(6 * time.Second)
		d.sees("fake · approval: ask · mode: Code · Big 7")
		if got := d.called("session/set_config_option", 2); got[0] != `{"configId":"m","sessionId":"s1","value":"code"}` || !strings.Contains(got[1], `"plan"`) {
			t.Error(got)
		}
		d.called("session/set_mode", 0)
		d.Agent().Update("s1", `{"sessionUpdate":"config_option_update",`+options("plan", true)+`}`)
		d.soon()
		d.sees("Plan only")
		d.press("shift+tab") // and round again
		d.wait(2 * time.Second)
		d.sees("fake · approval: ask · mode: Ask first")
		d.draft("draft")
	})
}

// Without options shift+tab uses the session's modes, also beside the legacy models.
func TestNextModeByModes(t *testing.T) {
	for name, models := range map[string]string{"modes": "", "modes and models": `,"models":{"currentModelId":"opus","availableModels":[{"modelId":"opus","name":"Opus"},{"modelId":"haiku","name":"Haiku"}]}`} {
		t.Run(name, func(t *testing.T) {
			drive(t, func(d *driver, _ *Options) {
				d.fake.NewSessions(`,"modes":{"currentModeId":"ask","availableModes":[{"id":"ask","name":"Ask first"},{"id":"code","name":"Code"}]}` + models)
				d.fake.On("session/set_mode", func(c *fakeagent.Call) (string, error) {
					if strings.Contains(c.Params, `"modeId":"ask"`) {
						return "", fakeagent.Errorf(-32603, "no way back")
					}
					return `{}`, nil
				})
			}, func(d *driver) {
				d.connected()
				d.sees("fake · approval: ask · mode: Ask first")
				d.press("shift+tab")
				d.soon()
				d.sees("fake · approval: ask · mode: Code")
				d.press("shift+tab")
				d.soon()
				d.sees("Switch the mode: the agent answered: no way back")
				d.wait(6 * time.Second)
				d.sees("fake · approval: ask · mode: Code")
				if got := d.called("session/set_mode", 2); got[0] != `{"modeId":"code","sessionId":"s1"}` {
					t.Error(got)
				}
				d.called("session/set_config_option", 0)
				d.Agent().Update("s1", `{"sessionUpdate":"current_mode_update","currentModeId":"ask"}`)
				d.soon()
				d.sees("fake · approval: ask · mode: Ask first")
				d.types("/mode\n")
				d.sees("╭ Mode", "Ask first", "now", "Code")
				d.types("cod\n")
				d.soon()
				d.sees("fake · approval: ask · mode: Code")
				d.press("f4")
				d.sees("╭ Options", "Mode")
				d.types("mode\n")
				d.sees("╭ Mode")
			})
		})
	}
}

// The legacy models are switched by session/set_model.
func TestLegacyModels(t *testing.T) {
	drive(t, func(d *driver, _ *Options) {
		d.fake.NewSessions(`,"models":{"currentModelId":"opus","availableModels":[{"modelId":"opus","name":"Opus"},{"modelId":"haiku","name":"Haiku"}]}`)
		d.fake.On("session/set_model", func(c *fakeagent.Call) (string, error) {
			if strings.Contains(c.Params, `"modelId":"opus"`) {
				return "", fakeagent.Errorf(-32603, "sold out")
			}
			return `{}`, nil
		})
	}, func(d *driver) {
		d.connected()
		d.sees("fake · Opus")
		d.types("/model\n")
		d.sees("╭ Model", "Opus", "now", "Haiku")
		d.press("down", "enter")
		d.soon()
		d.sees("fake · Haiku")
		d.types("/model\nopus\n")
		d.soon()
		d.sees("Switch the model: the agent answered: sold out")
		d.wait(6 * time.Second)
		d.sees("fake · Haiku")
		if got := d.called("session/set_model", 2); got[0] != `{"modelId":"haiku","sessionId":"s1"}` {
			t.Error(got)
		}
		d.called("session/set_config_option", 0)
		d.press("shift+tab")
		d.sees("This agent has no modes")
		d.wait(6 * time.Second)
		d.types("/mode\n")
		d.sees("This agent has no modes")
	})
}

// Case 98: every option of a type that is known, in the agent's order.
func TestOptionsPicker(t *testing.T) {
	drive(t, withOptions, func(d *driver) {
		d.connected()
		d.types("/options\n")
		d.sees("╭ Options", "Mode", "Ask first", "Model", "Big 7", "Web search", "off", "raw", "elsewhere", "4/4")
		d.misses("Dial", "Zen")
		if s := d.screen(); !(strings.Index(s, "Mode") < strings.Index(s, "Model") && strings.Index(s, "Model") < strings.Index(s, "Web search") && strings.Index(s, "Web search") < strings.Index(s, "raw")) {
			t.Errorf("not in the agent's order:\n%s", s)
		}
		d.types("model\n")
		d.sees("╭ Model", "Small 1", "› Big 7", "now", "Huge 9") // groups, and the cursor on the current one
		d.press("esc")
		d.misses("╭ Model")
		d.sees("╭ Options", "› model")
		d.press("esc", "esc") // the filter, then the list
		d.misses("╭ Options")
		d.called("session/set_config_option", 0)
		d.press("f4")
		d.types("model")
		d.press("enter", "down", "enter")
		d.wait(2 * time.Second)
		if got := d.called("session/set_config_option", 1); got[0] != `{"configId":"llm","sessionId":"s1","value":"huge"}` {
			t.Error(got)
		}
		// A boolean is switched at once, and shown as the agent has it.
		d.press("f4")
		d.types("web\n")
		d.misses("╭ Web")
		d.press("f4")
		d.sees("off")
		d.press("esc")
		d.wait(2 * time.Second)
		if got := d.called("session/set_config_option", 2); got[1] != `{"configId":"web","sessionId":"s1","type":"boolean","value":true}` {
			t.Error(got)
		}
		d.press("f4")
		d.sees("Web search", "on")
		d.misses("off")
		d.types("web\n")
		d.wait(2 * time.Second)
		if got := d.called("session/set_config_option", 3); !strings.Contains(got[2], `"value":false`) {
			t.Error(got)
		}
		d.press("f4")
		d.types("raw\n")
		d.sees("╭ raw", "x1")
	})
}

// Options are of a session: a change of one is not seen in another.
func TestOptionsOfTwoSessions(t *testing.T) {
	drive(t, func(d *driver, _ *Options) {
		d.fake.NewSessions(`,` + options("ask", false))
		d.fake.On("session/set_config_option", func(c *fakeagent.Call) (string, error) {
			time.Sleep(time.Second)
			if c.ID != "s1" {
				return "", fakeagent.Errorf(-32602, "the wrong session")
			}
			return `{` + options("code", false) + `}`, nil
		})
	}, func(d *driver) {
		d.connected()
		d.press("shift+tab")
		d.types("/new\n")
		d.wait(2 * time.Second)
		d.sees("fake · approval: ask · mode: Ask first")
		d.switchTo("1 new")
		d.sees("fake · approval: ask · mode: Code")
	})
}

// The agent offers nothing.
func TestNoOptions(t *testing.T) {
	drive(t, nil, func(d *driver) {
		d.connected()
		for command, what := range map[string]string{"/options\n": "options", "/mode\n": "modes", "/model\n": "models"} {
			d.types(command)
			d.sees("This agent has no " + what)
			d.wait(6 * time.Second)
		}
		d.press("shift+tab")
		d.sees("This agent has no modes")
		d.prompts("")
	})
}

func TestGoldenOptions(t *testing.T) {
	t.Parallel()
	drive(t, func(d *driver, o *Options) { o.Theme = "dark"; withOptions(d, o) }, func(d *driver) {
		d.connected()
		d.press("f4")
		d.golden("options")
		d.press("enter")
		d.golden("choices")
	})
}

// Where two options are of category model, the model is the one named so: cline puts
// its provider there, too, and first.
func TestModelIsTheOneNamedSo(t *testing.T) {
	drive(t, func(d *driver, _ *Options) {
		d.fake.NewSessions(`,"configOptions":[
			{"id":"provider","name":"Provider","category":"model","type":"select","currentValue":"acme","options":[{"value":"acme","name":"Acme Cloud"}]},
			{"id":"model","name":"Model","category":"model","type":"select","currentValue":"big","options":[{"value":"big","name":"Big 7"},{"value":"small","name":"Small 1"}]}]`)
	}, func(d *driver) {
		d.connected()
		d.sees("fake · Big 7")
		d.misses("Acme")
		d.types("/model\n")
		d.sees("╭ Model", "Big 7", "Small 1")
	})
}
