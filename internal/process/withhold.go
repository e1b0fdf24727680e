package process

import (
	"os"
	"strings"
	"sync"
)

// withheld holds the variables that Withhold has taken out of the environment.
var withheld struct {
	sync.Mutex
	values map[string]string
}

// Withhold takes the variables that secret names out of the environment of this process: nothing that it starts from now
// on gets them, and on Linux /proc/<pid>/environ, which every program of the same user can read, no longer shows them.
// Withheld still returns their values. What was started before keeps what it got.
//
// To clear the process's dumpable flag would hide /proc/<pid>/environ, too, but not from root, and at a price: a parley
// inside of another one would no longer be found by its mark, nor would terminals find its working directory.
func Withhold(secret func(name string) bool) {
	withheld.Lock()
	defer withheld.Unlock()
	found := false
	for _, v := range os.Environ() {
		name, value, _ := strings.Cut(v, "=")
		if name == "" || !secret(name) { // Windows has names that begin with =
			continue
		}
		if withheld.values == nil {
			withheld.values = map[string]string{}
		}
		withheld.values[name] = value
		os.Unsetenv(name)
		found = true
	}
	if found {
		// Without a /proc to write to there is, as a rule, none to read, either.
		conceal(secret)
	}
}

// Withheld returns the value of a variable, whether it is in the environment or was taken out of it; "" for one that is
// not set.
func Withheld(name string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	withheld.Lock()
	defer withheld.Unlock()
	return withheld.values[name]
}
