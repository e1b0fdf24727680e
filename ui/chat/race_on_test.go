//go:build race

package chat

// raced says that the race detector looks on, under which everything is many times as
// slow: what tries many of the same kind tries fewer.
const raced = true
