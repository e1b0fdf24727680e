package linear

import (
	"testing"
	"time"

	"parley/internal/template"
)

// A project's template is printed first, and sent when its line is entered again.
func TestTemplates(t *testing.T) {
	talkTo(t, func(r *rig) {
		r.opts.Templates = []template.Template{
			{Name: "explain", Description: "Explain a file", Hint: "[file]", Body: "Explain $1 in short.", Path: "/c/explain.md"},
			{Name: "deploy", Body: "Deploy to $ARGUMENTS now, with @.env.", Path: "/p/.parley/commands/deploy.md", Project: true},
		}
	}, func(r *rig) {
		r.fresh()
		r.types("/help")
		r.sees("/explain: Explain a file; takes [file]", "/deploy.")
		r.types("/explain main.go")
		time.Sleep(time.Second)
		r.sees("Explain main.go in short.")
		r.types("/deploy prod")
		r.sees("From this project: /p/.parley/commands/deploy.md", "Sends files: .env (sensitive)", "Deploy to prod now, with @.env.", "Enter the same line again to send it.")
		if got, _, _ := r.seen(); got != "Explain main.go in short." {
			t.Errorf("sent %q", got)
		}
		r.types("/deploy prod")
		time.Sleep(time.Second)
		if got, _, _ := r.seen(); got != "Explain main.go in short.|Deploy to prod now, with @.env." {
			t.Errorf("sent %q", got)
		}
	})
}
