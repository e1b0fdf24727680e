package app

import (
	"parley/internal/cli"
	"parley/internal/intent"
	"parley/internal/template"
)

// templates reads the prompt templates of the user and of the session's directories, except those
// with the name of a command of parley. Each template that cannot be used is reported to warn in
// one line.
func templates(place cli.Directories, warn func(string)) []template.Template {
	all, errs := template.Load(cli.TemplateDir(), append([]string{place.Cwd}, place.Roots...))
	for _, err := range errs {
		warn(err.Error())
	}
	var usable []template.Template
	for _, t := range all {
		if _, own := intent.CommandNamed(t.Name); own {
			warn(t.Path + ": /" + t.Name + " is a command of parley: give the file another name")
			continue
		}
		usable = append(usable, t)
	}
	return usable
}
