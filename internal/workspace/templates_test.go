package workspace_test

import (
	"strings"
	"testing"

	"parley/internal/template"
	"parley/internal/workspace"
)

var (
	explain   = template.Template{Name: "explain", Body: "Explain $1.", Path: "/c/explain.md"}
	deploy    = template.Template{Name: "deploy", Body: "Deploy\x1b[2J to $ARGUMENTS.", Path: "/p/.parley/commands/deploy.md", Project: true}
	coding    = template.Template{Name: "coding", Body: "Do it.", Mode: "code", Path: "/c/coding.md"}
	elsewhere = template.Template{Name: "elsewhere", Body: "Look at $ARGUMENTS", Agent: "other", Path: "/c/elsewhere.md"}
)

// using runs a test with these templates and a started agent that has modes.
func using(t *testing.T, f func(r *rig, use func(line string) (string, error)), all ...template.Template) {
	t.Helper()
	with(t, func(r *rig) {
		r.opts.Templates = all
		r.fake().Answer("session/new", `{"sessionId":"s1","modes":{"currentModeId":"ask","availableModes":[{"id":"ask","name":"Ask"},{"id":"code","name":"Code"}]}}`)
		r.fake().Answer("session/set_mode", `{}`)
	}, func(r *rig) {
		s := r.started(local)
		f(r, func(line string) (string, error) {
			preview, ok, err := s.Prompts.UseTemplate(workspace.Line{Text: line}, func() {})
			if !ok {
				t.Errorf("%s names no template", line)
			}
			r.settle()
			return preview, err
		})
	})
}

// sentTexts returns the prompts that the agents were sent, in order.
func (r *rig) sentTexts() string {
	var all []string
	for _, a := range r.Agents() {
		all = append(all, a.Prompts()...)
	}
	return strings.Join(all, "|")
}

func TestTemplate(t *testing.T) {
	using(t, func(r *rig, use func(string) (string, error)) {
		if preview, err := use("/explain\nmain.go"); preview != "" || err != nil {
			t.Errorf("%q, %v", preview, err)
		}
		if got := r.sentTexts(); got != "Explain main.go." {
			t.Errorf("sent %q", got)
		}
		if _, ok, _ := r.w.Front().Prompts.UseTemplate(workspace.Line{Text: "explain main.go"}, nil); ok {
			t.Error("used without a slash")
		}
	}, explain)
}

// A project's template is shown before it is sent, again for each different text, and what is
// shown is what is sent.
func TestProjectTemplate(t *testing.T) {
	using(t, func(r *rig, use func(string) (string, error)) {
		for _, args := range []string{"prod", "test"} {
			before := r.sentTexts()
			preview, err := use("/deploy " + args)
			if err != nil || !strings.HasPrefix(preview, "From this project: /p/.parley/commands/deploy.md\n") || !strings.HasSuffix(preview, "\n\nDeploy to "+args+".") {
				t.Errorf("%q, %v", preview, err)
			}
			if r.sentTexts() != before {
				t.Error("sent before it was confirmed")
			}
			if preview, err := use("/deploy " + args); preview != "" || err != nil {
				t.Errorf("%q, %v", preview, err)
			}
		}
		if got := r.sentTexts(); got != "Deploy to prod.|Deploy to test." {
			t.Errorf("sent %q", got)
		}
	}, deploy)
}

// The files that a template sends are named before it is sent: of the user's own only if one of them is
// sensitive.
func TestTemplateWithFiles(t *testing.T) {
	using(t, func(r *rig, use func(string) (string, error)) {
		for line, want := range map[string]string{
			"/deploy @main.go with @.env": "From this project: /p/.parley/commands/deploy.md\nSends files: .env (sensitive), main.go\n",
			"/deploy @main.go":            "From this project: /p/.parley/commands/deploy.md\nSends files: main.go\n",
			"/setup":                      "Your template: /c/setup.md\nSends files: .env (sensitive)\n",
		} {
			if preview, err := use(line); err != nil || !strings.HasPrefix(preview, want) {
				t.Errorf("%s: %q, %v", line, preview, err)
			}
		}
		if got := r.sentTexts(); got != "" {
			t.Errorf("sent %q", got)
		}
		use("/setup")
		use("/explain @.env")
		if got := r.sentTexts(); got != "Read @.env.|Explain @.env." {
			t.Errorf("sent %q", got)
		}
	}, deploy, explain, template.Template{Name: "setup", Body: "Read @.env.", Path: "/c/setup.md"})
}

// The mode is set before the prompt is sent. If that fails, the prompt is not sent.
func TestTemplateMode(t *testing.T) {
	using(t, func(r *rig, use func(string) (string, error)) {
		if _, err := use("/coding"); err != nil {
			t.Error(err)
		}
		if modes := r.Agent().Calls("session/set_mode"); len(modes) != 1 || r.sentTexts() != "Do it." {
			t.Errorf("set %q, sent %q", modes, r.sentTexts())
		}
	}, coding)
	unknown := coding
	unknown.Mode = "no such"
	using(t, func(r *rig, use func(string) (string, error)) {
		if _, err := use("/coding"); err == nil || err.Error() != "the agent has no mode no such" || r.sentTexts() != "" {
			t.Errorf("%v, sent %q", err, r.sentTexts())
		}
	}, unknown)
	var restored int
	with(t, func(r *rig) {
		r.opts.Templates = []template.Template{coding}
		r.fake().Answer("session/new", `{"sessionId":"s1","modes":{"currentModeId":"ask","availableModes":[{"id":"ask","name":"Ask"},{"id":"code","name":"Code"}]}}`)
		r.fake().Fail("session/set_mode", -32603, "no")
	}, func(r *rig) {
		s := r.started(local)
		s.Prompts.UseTemplate(workspace.Line{Text: "/coding"}, func() { restored++ })
		r.settle()
		if restored != 1 || r.sentTexts() != "" {
			t.Errorf("restored %d times, sent %q", restored, r.sentTexts())
		}
	})
}

func TestTemplateAgent(t *testing.T) {
	using(t, func(r *rig, use func(string) (string, error)) {
		if _, err := use("/elsewhere here"); err != nil {
			t.Error(err)
		}
		if front := r.w.Front(); front.Agent.Name() != "other" || r.sentTexts() != "Look at here" {
			t.Errorf("in front %s, sent %q", front.Agent.Name(), r.sentTexts())
		}
	}, elsewhere)
	unknown := elsewhere
	unknown.Agent = "nobody"
	using(t, func(r *rig, use func(string) (string, error)) {
		if _, err := use("/elsewhere here"); err == nil || !strings.Contains(err.Error(), "there is no agent nobody") {
			t.Error(err)
		}
	}, unknown)
}
