package uitest

import (
	"time"

	"parley/ui/widget/syntax"
)

// KeepTime keeps the clock running that patterns of the highlighter share, for as
// long as the program runs. Whoever needs it first starts it, and it stops by
// itself: one started inside a bubble of testing/synctest would tell that
// bubble's time to all others, and outlive it. It is to be called before any
// test.
func KeepTime() {
	tick := func() { syntax.Lines("x.go", []string{"package x"}) }
	tick()
	go func() {
		for range time.Tick(200 * time.Millisecond) {
			tick()
		}
	}()
}
