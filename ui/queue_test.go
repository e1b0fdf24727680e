package ui

import (
	"slices"
	"testing"
	"time"

	"parley/internal/fakeagent"
)

// Any queued prompt can be picked from the list, edited, moved and dropped.
func TestQueueList(t *testing.T) {
	drive(t, nil, func(d *driver) {
		release := make(chan struct{}, 10)
		defer close(release)
		d.fake.Turn(func(t *fakeagent.Turn) string { <-release; return "end_turn" })
		d.connected()
		wants := func(want ...string) {
			d.t.Helper()
			if !slices.Equal(d.m.Front.Prompts.Queue.Texts(), want) {
				d.t.Fatalf("queued %q, want %q", d.m.Front.Prompts.Queue.Texts(), want)
			}
		}
		d.types("/queue\n")
		d.sees("No queued prompts")
		d.press("esc")
		d.types("go\n")
		d.soon()
		for _, text := range []string{"one", "two", "three"} {
			d.types(text + "\n")
		}
		d.press("alt+q")
		d.sees("╭ Queue", "› 1  one", "  3  three", "alt+up earlier", "ctrl+x drop")
		d.press("end", "alt+up", "alt+up", "alt+up")
		wants("three", "one", "two")
		d.sees("› 1  three")
		d.press("alt+down")
		wants("one", "three", "two")
		d.sees("› 2  three")
		d.press("ctrl+x")
		wants("one", "two")
		d.sees("› 2  two") // the place stays
		d.press("esc")

		d.types("a draft")
		d.press("alt+q", "home", "enter")
		d.draft("one")
		wants("two")
		d.press("alt+q", "enter") // another one instead
		d.draft("two")
		wants("one")
		d.types("!")
		d.press("enter")
		wants("one", "two!")

		d.press("alt+q")
		release <- struct{}{} // the first is sent
		d.wait(50 * time.Millisecond)
		d.sees("› 1  two!")
		d.press("ctrl+x")
		wants()
		d.sees("No queued prompts")
		d.press("esc")
	})
}
