package linear

import "parley/ui"

// history keeps prompts for later runs, in order, without anybody waiting for the disk. A
// nil history keeps none.
type history struct {
	texts  chan string
	failed chan error // why one was not kept: the first; the others say the same
	done   chan struct{}
}

// newHistory returns a history that writes to a store; nil where there is none.
func newHistory(store ui.History) *history {
	if store == nil {
		return nil
	}
	const most = 100
	h := &history{texts: make(chan string, most), failed: make(chan error, 1), done: make(chan struct{})}
	go func() {
		defer close(h.done)
		failed := false
		for text := range h.texts {
			if err := store.Add(text); err != nil && !failed {
				failed = true
				h.failed <- err
			}
		}
	}()
	return h
}

func (h *history) add(text string) {
	if h == nil {
		return
	}
	select {
	case h.texts <- text:
	default: // the disk does not keep up: it is no reason to wait
	}
}

// failure yields why a prompt was not kept.
func (h *history) failure() <-chan error {
	if h == nil {
		return nil
	}
	return h.failed
}

// end waits for the last one.
func (h *history) end() {
	if h != nil {
		close(h.texts)
		<-h.done
	}
}
