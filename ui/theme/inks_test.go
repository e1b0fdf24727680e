package theme_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"parley/internal/tty"
	"parley/ui/theme"
	"parley/ui/uitest"
)

// The style sheet: what each ink of each theme writes before text. Screens are compared by the names of inks.
func TestGoldenInks(t *testing.T) {
	var b strings.Builder
	for _, name := range theme.Names() {
		if name == "auto" {
			continue
		}
		v := reflect.ValueOf(*theme.For(name, tty.Colours{Dark: true}))
		fmt.Fprintf(&b, "== %s\n", name)
		for i := range v.NumField() {
			field := v.Type().Field(i).Name
			switch value := v.Field(i).Interface().(type) {
			case theme.Ink:
				fmt.Fprintf(&b, "%s %s\n", field, strings.ReplaceAll(value.On(), "\x1b[", "␛["))
			case bool:
				fmt.Fprintf(&b, "%s %v\n", field, value)
			}
		}
	}
	uitest.GoldenText(t, "inks.golden", b.String())
}
