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
		}
	}, func(d *driver) {
		d.connected()
		d.types("/expl")
		d.sees("/explain  Explain a file", "[file] · yours")
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
	})
}
