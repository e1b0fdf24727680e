package status

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
)

// page is where lines can be said while it is free.
type page struct {
	busy bool
	said []string
}

func (p *page) say(line string) bool {
	if !p.busy {
		p.said = append(p.said, line)
	}
	return !p.busy
}

// Every line is said, in order, and none before there is room for it.
func TestNotices(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, lines := &page{busy: true}, make(chan string, 3)
		lines <- "one"
		lines <- "two"
		close(lines)
		cmd := Listen(context.Background(), p.say, lines)
		for range 2 {
			cmd = cmd().(notice).Handle()
		}
		if len(p.said) > 0 {
			t.Errorf("%q is said over something else", p.said)
		}
		p.busy = false
		for cmd != nil {
			switch msg := cmd().(type) {
			case notice:
				cmd = msg.Handle()
			default:
				cmd = nil
			}
		}
		if !slices.Equal(p.said, []string{"one", "two"}) {
			t.Errorf("said %q", p.said)
		}
	})
}
