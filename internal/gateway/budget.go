package gateway

import (
	"sync"
	"sync/atomic"
)

// reservedPart is the part of the budget that is shared out among the connections in
// advance, so that one that takes much leaves something to each of the others.
const reservedPart = 4

// budget bounds what waits in all connections together, in bytes.
type budget struct {
	common int64 // that all may use up
	share  int64 // that a connection has for itself each way
	used   atomic.Int64
}

func newBudget(most int64, connections int) *budget {
	reserved := most / reservedPart
	return &budget{common: most - reserved, share: reserved / 2 / int64(max(1, connections))}
}

// account is what a connection uses of the budget.
type account struct {
	of *budget

	mu    sync.Mutex
	used  int64
	ended bool
}

// fits tells whether more may wait where own bytes of the connection wait already. A
// nil account has no bound.
func (a *account) fits(own, more int64) bool {
	return a == nil || own+more <= a.of.share || a.of.used.Load()+more <= a.of.common
}

// add counts n more bytes, or -n less.
func (a *account) add(n int64) {
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.ended {
		a.used += n
		a.of.used.Add(n)
	}
}

// end gives everything back.
func (a *account) end() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.of.used.Add(-a.used)
	a.used, a.ended = 0, true
}
