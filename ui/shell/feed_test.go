package shell

import "testing"

// Output that nobody could read is bounded.
func TestFlood(t *testing.T) {
	f := newFeed()
	chunk := make([]byte, 100<<10)
	for range 50 {
		f.put(Output{Data: chunk})
	}
	if data, cut, end := f.take(); len(data) > maxFeed || !cut || end != nil {
		t.Errorf("%d bytes, cut %v", len(data), cut)
	}
}
