//go:build race

package seeds

// Raced reports whether the race detector is on. It makes tests many times slower, so
// tests that try many similar cases try fewer.
const Raced = true
