//go:build !race

package seeds

// Raced says that the race detector looks on.
const Raced = false
