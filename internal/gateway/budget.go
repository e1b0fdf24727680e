package gateway

import (
	"sync"
	"sync/atomic"
)

// reservedPart is the part of the budget (one in reservedPart) that is divided among the
// connections in advance, so that a busy connection leaves something to each of the others.
const reservedPart = 4

// budget bounds the bytes that wait in all connections together.
type budget struct {
	common int64 // shared by all connections
	share  int64 // reserved for one connection, in each direction
	used   atomic.Int64
}

func newBudget(most int64, connections int) *budget {
	reserved := most / reservedPart
	return &budget{common: most - reserved, share: reserved / 2 / int64(max(1, connections))}
}

// account is the share of the budget that one connection uses.
type account struct {
	budget *budget

	mu    sync.Mutex
	used  int64
	ended bool
}

// fits reports whether more bytes may wait in addition to the connection's own. A nil
// account has no limit.
func (a *account) fits(own, more int64) bool {
	return a == nil || own+more <= a.budget.share || a.budget.used.Load()+more <= a.budget.common
}

// add counts n more bytes; n may be negative.
func (a *account) add(n int64) {
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.ended {
		a.used += n
		a.budget.used.Add(n)
	}
}

// release returns all bytes to the budget.
func (a *account) release() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.budget.used.Add(-a.used)
	a.used, a.ended = 0, true
}
