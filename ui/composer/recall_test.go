package composer

import (
	"fmt"
	"slices"
	"testing"
)

func TestRecall(t *testing.T) {
	var h recall
	if _, ok := h.prev("draft"); ok {
		t.Error("an empty history has an entry")
	}
	for _, s := range []string{"one", "two", "two", "", "three"} {
		h.add(s)
	}
	step := func(name string, got string, ok bool, want string) {
		t.Helper()
		if got != want || ok != (want != "") {
			t.Errorf("%s: %q, %v, want %q", name, got, ok, want)
		}
	}
	got, ok := h.prev("draft")
	step("prev", got, ok, "three")
	got, ok = h.prev(got)
	step("prev", got, ok, "two")
	got, ok = h.prev(got)
	step("prev", got, ok, "one")
	_, ok = h.prev(got)
	step("prev at the oldest", "", ok, "")
	got, ok = h.next()
	step("next", got, ok, "two")
	got, ok = h.next()
	step("next", got, ok, "three")
	got, ok = h.next()
	step("next to the draft", got, ok, "draft")
	if _, ok := h.next(); ok {
		t.Error("there is something after the draft")
	}
	for i := range 3 * recallLimit {
		h.add(fmt.Sprint(i))
	}
	if n := len(h.entries); n != recallLimit {
		t.Errorf("%d entries kept", n)
	}
	var few recall
	few.add("c")
	few.add("b")
	few.setOlder([]string{"x", "a", "b"}, nil)
	if want := []string{"x", "a", "c", "b"}; !slices.Equal(few.entries, want) { // b was sent since
		t.Errorf("with those of before: %q, want %q", few.entries, want)
	}
	few.prev("")
	few.prev("b")
	few.setOlder([]string{"w", "x", "y", "z"}, nil) // while an entry is shown
	if got, ok := few.prev("c"); !ok || got != "z" {
		t.Errorf("moved on to %q", got)
	}
	if got, ok := few.prev("y"); !ok || got != "x" {
		t.Errorf("an entry equal to what is shown is passed over: %q", got)
	}
	for range recallLimit {
		few.add(fmt.Sprint(len(few.entries)))
	}
	if few.setOlder([]string{"old"}, nil); len(few.entries) > recallLimit {
		t.Errorf("%d entries", len(few.entries))
	}
}
