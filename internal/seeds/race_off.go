//go:build !race

package seeds

// Raced reports whether the race detector is on.
const Raced = false
