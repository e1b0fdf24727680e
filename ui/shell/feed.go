package shell

import (
	"sync"
	"time"
)

// frame is the shortest time between two portions of output.
const frame = 16 * time.Millisecond

// maxFeed bounds the output that waits for the screen, in bytes. Older output is dropped.
const maxFeed = 1 << 20

// feed holds the news of a command until the screen takes them. It may be used on any
// goroutine.
type feed struct {
	ready chan struct{} // holds one while there is news
	gone  chan struct{}
	once  sync.Once

	mu   sync.Mutex
	data []byte
	cut  bool
	end  *Output
	last time.Time
}

func newFeed() *feed {
	return &feed{ready: make(chan struct{}, 1), gone: make(chan struct{})}
}

// put adds news. It never waits for the screen.
func (f *feed) put(n Output) {
	f.mu.Lock()
	f.data = append(f.data, n.Data...)
	if over := len(f.data) - maxFeed; over > 0 {
		f.data, f.cut = append(f.data[:0:0], f.data[over:]...), true
	}
	if n.Ended {
		f.end = &n
	}
	f.mu.Unlock()
	select {
	case f.ready <- struct{}{}:
	default:
	}
}

// wait returns when there is news and a frame has passed; false if no more will come.
func (f *feed) wait() bool {
	select {
	case <-f.ready:
	case <-f.gone:
		return false
	}
	f.mu.Lock()
	rest := frame - time.Since(f.last)
	f.mu.Unlock()
	if rest > 0 {
		time.Sleep(rest)
	}
	return true
}

func (f *feed) take() (data []byte, cut bool, end *Output) {
	f.mu.Lock()
	defer f.mu.Unlock()
	data, cut, f.last = f.data, f.cut, time.Now()
	f.data, f.cut = nil, false
	return data, cut, f.end
}

func (f *feed) close() { f.once.Do(func() { close(f.gone) }) }
