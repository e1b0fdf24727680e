package app

import (
	"slices"
	"testing"

	"parley/internal/config"
	"parley/ui/theme"
)

// The configuration and the flag accept exactly the existing themes.
func TestThemesAreOneList(t *testing.T) {
	if !slices.Equal(config.Themes, theme.Names()) {
		t.Errorf("the configuration takes %q, the screen has %q", config.Themes, theme.Names())
	}
	for _, name := range append(theme.Names(), "") {
		if err := checkTheme(name); err != nil {
			t.Error(err)
		}
	}
	if checkTheme("pink") == nil {
		t.Error("takes pink")
	}
}
