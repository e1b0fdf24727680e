package ui

import (
	"testing"
	"time"

	"parley/internal/template"
)

// A template is offered with the commands and becomes a prompt; a project's is shown first, and the
// draft stays for it.
func TestTemplates(t *testing.T) {
	drive(t, func(_ *driver, o *Options) {
		o.Templates = []template.Template{
			{Name: "explain", Description: "Explain a file", Hint: "[file]", Body: "Explain $1 in short.", Path: "/c/explain.md"},
			{Name: "deploy", Body: "Deploy to $ARGUMENTS now.", Path: "/p/.parley/commands/deploy.md", Project: true},
			{Name: "setup", Body: "Set up what @.env says.", Path: "/c/setup.md"},
		}
	}, func(d *driver) {
		d.connected()
		d.types("/expl")
		d.sees("/explain  Explain a file  [file]", "yours │")
		d.press("tab")
		d.sees("╰─ [file] ─")
		d.types("main.go\n")
		d.wait(time.Second)
		d.sees("▌ Explain main.go in short.")
		d.types("/dep")
		d.sees("/deploy", "project")
		d.types("loy prod\n")
		d.sees("╭ Template", "From this project: /p/.parley/commands/deploy.md", "Deploy to prod now.")
		d.prompts("Explain main.go in short.")
		d.press("esc")
		d.misses("╭ Template")
		d.press("enter")
		d.wait(time.Second)
		d.prompts("Explain main.go in short.|Deploy to prod now.")
		d.types("/setup\n")
		d.sees("╭ Template", "Your template: /c/setup.md", "Sends files: .env (sensitive)", "Set up what @.env says.", "Press esc, then enter to send it.")
		d.prompts("Explain main.go in short.|Deploy to prod now.")
	})
}

// /compare gives agents the prompt of a template, not the line that names it.
func TestCompareTemplates(t *testing.T) {
	comparing(t, func(d *driver, o *Options) {
		d.fake.Turn(nil)
		o.Templates = []template.Template{
			{Name: "explain", Body: "Explain $1 in short.", Path: "/c/explain.md"},
			{Name: "deploy", Body: "Deploy to $ARGUMENTS now.", Path: "/p/.parley/commands/deploy.md", Project: true},
			{Name: "careful", Body: "Look.", Mode: "plan", Path: "/c/careful.md"},
		}
	}, func(d *driver) {
		d.types("/compare /explain main.go\n")
		d.wait(time.Second)
		d.types("/compare /deploy prod\n")
		d.sees("╭ Template", "Deploy to prod now.")
		d.press("esc", "enter")
		d.wait(time.Second)
		d.types("/compare /careful\n")
		d.sees("Not sent: /careful sets an agent or a mode: send it to one agent")
		d.draft("/compare /careful")
		for _, name := range []string{"fake", "other"} {
			if prompts, _, _ := seen(d.agentCalled(name)); prompts != "try it|Explain main.go in short.|Deploy to prod now." {
				t.Errorf("%s got %q", name, prompts)
			}
		}
	})
}
