package uitest

import (
	"time"

	"parley/ui/widget/syntax"
)

// KeepTime keeps the shared clock of the highlighter's regular expressions running. The first
// user starts that clock, and it stops when idle: one started inside a bubble of
// testing/synctest would give that bubble's time to all other tests, and outlive it. KeepTime
// must be called before the tests run.
func KeepTime() {
	tick := func() { syntax.Lines("x.go", []string{"package x"}) }
	tick()
	go func() {
		for range time.Tick(200 * time.Millisecond) {
			tick()
		}
	}()
}
