//go:build !race

package uitest

// Raced says that the race detector looks on.
const Raced = false
