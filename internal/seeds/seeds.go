// Package seeds says how much a generated test tries: a tenth of what it can, so that
// the tests stay quick enough to be run all day, or all of it where the environment has
// PARLEY_LONG, as before a change lands.
package seeds

import "os"

// All reports whether the tests are to try all they can, which takes minutes.
func All() bool { return os.Getenv("PARLEY_LONG") != "" }

// Of is how many of so many cases a test tries: all of them or a tenth.
func Of(all int) int {
	if All() {
		return all
	}
	return (all + 9) / 10
}
