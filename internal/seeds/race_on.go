//go:build race

package seeds

// Raced says that the race detector looks on, under which everything is many times as
// slow: what tries many of the same kind tries fewer.
const Raced = true
