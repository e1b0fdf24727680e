package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/ui/page"
	"parley/ui/uitest"
)

// golden compares the screen with a section of each page's file.
func (d *driver) golden(name string) {
	d.t.Helper()
	defer d.unwatched()()
	chosen := d.m.Options.Theme
	for _, p := range uitest.Pages() {
		d.m.Options.Theme = p.Theme
		d.send(tea.WindowSizeMsg{Width: p.Width, Height: p.Height})
		d.send(page.Refresh{})
		if d.m.Theme.Name != p.Theme {
			d.t.Fatalf("the theme is %s, not %s", d.m.Theme.Name, p.Theme)
		}
		uitest.Section(d.t, "screens", p, name, strings.Split(visible(d.m.View()), "\n"))
	}
	d.m.Options.Theme = chosen
}
