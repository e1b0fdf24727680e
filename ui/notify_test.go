package ui

import (
	"os"
	"slices"
	"testing"
	"time"

	"parley/internal/fakeagent"

	tea "charm.land/bubbletea/v2"

	"parley/ui/uitest"
)

// The title and the progress bar show the state of the session.
func TestTitleAndProgress(t *testing.T) {
	drive(t, func(_ *driver, o *Options) { o.Terminal.Progress = true }, func(d *driver) {
		d.connected()
		shows := func(title string, state tea.ProgressBarState) {
			t.Helper()
			v := d.m.View()
			bar := tea.ProgressBarNone
			if v.ProgressBar != nil {
				bar = v.ProgressBar.State
			}
			if v.WindowTitle != title || bar != state {
				t.Errorf("%q %v, want %q %v", v.WindowTitle, bar, title, state)
			}
		}
		shows("fake - parley", tea.ProgressBarNone)
		release := make(chan struct{})
		d.fake.Turn(func(t *fakeagent.Turn) string { <-release; return "end_turn" })
		d.types("go")
		d.press("enter")
		d.wait(50 * time.Millisecond)
		shows("… fake - parley", tea.ProgressBarIndeterminate)
		close(release)
		d.wait(50 * time.Millisecond)
		shows("fake - parley", tea.ProgressBarNone)
	})
}

// The terminal is told the directory of the page, in which it opens new tabs.
func TestDirectoryIsTold(t *testing.T) {
	drive(t, nil, func(d *driver) {
		d.connected()
		d.wait(time.Minute)
		host, _ := os.Hostname()
		if want := []string{"file://" + host + uitest.Dir, "file://" + host + d.Cwd}; !slices.Equal(d.toldDirs, want) {
			t.Errorf("told %q, want %q", d.toldDirs, want)
		}
	})
}
