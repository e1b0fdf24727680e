package cli

import (
	"path/filepath"

	"parley/internal/config"
)

// TemplateDir returns the directory of the user's prompt templates, "" if there is none.
func TemplateDir() string {
	path, err := config.Path()
	if err != nil {
		return ""
	}
	return filepath.Join(filepath.Dir(path), "commands")
}
