// Package seeds says how many cases a generated test tries: a tenth of them, so that the
// tests stay quick enough for daily work, or all of them if PARLEY_LONG is set, as
// before a change lands.
package seeds

import "os"

// All reports whether tests should try all of their cases, which takes minutes.
func All() bool { return os.Getenv("PARLEY_LONG") != "" }

// Of returns how many of n cases a test tries: all of them or a tenth.
func Of(all int) int {
	if All() {
		return all
	}
	return (all + 9) / 10
}
