package thread

import (
	"fmt"
	"testing"
)

// Calls are found by id among many, and unknown ids are not found.
func TestCalls(t *testing.T) {
	var c calls
	var items []*Item
	want := map[string]*Item{}
	for n := range 5000 {
		items = append(items, &Item{Index: n, Kind: AgentMessage}) // items that are not calls lie between
		if n%3 > 0 {
			continue
		}
		id := fmt.Sprintf("call_%d", n/2)
		if c.find(items, id) != want[id] {
			t.Fatalf("%s is found as another, or too early", id)
		}
		if want[id] != nil {
			continue
		}
		items[n].Tool = &Tool{ID: id}
		want[id] = items[n]
		c.add(items[n])
	}
	for id, it := range want {
		if c.find(items, id) != it {
			t.Errorf("%s is not found", id)
		}
	}
	for _, id := range []string{"", "call_", "call_999999"} {
		if c.find(items, id) != nil {
			t.Errorf("%q is found", id)
		}
	}
	if new(calls).find(nil, "x") != nil {
		t.Error("found in nothing")
	}
}
