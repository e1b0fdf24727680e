package linear

import "parley/ui"

// history keeps prompts for later runs, in order, without anybody waiting for the disk.
type history struct {
	texts  chan string
	failed chan error // why one was not kept: the first; the others say the same
	done   chan struct{}
}

// newHistory returns a history that writes to a store; nil keeps none.
func newHistory(store ui.History) *history {
	const most = 100
	h := &history{texts: make(chan string, most), failed: make(chan error, 1), done: make(chan struct{})}
	go func() {
		defer close(h.done)
		failed := false
		for text := range h.texts {
			if store == nil {
				continue
			}
			if err := store.Add(text); err != nil && !failed {
				failed = true
				h.failed <- err
			}
		}
	}()
	return h
}

func (h *history) add(text string) {
	select {
	case h.texts <- text:
	default: // the disk does not keep up: it is no reason to wait
	}
}

// end waits for the last one.
func (h *history) end() {
	close(h.texts)
	<-h.done
}
