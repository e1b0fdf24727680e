package process

import (
	"os"
	"strings"
	"sync"
)

// withheld holds the variables that Withhold removed from the environment.
var withheld struct {
	sync.Mutex
	values map[string]string
}

// Withhold removes the variables that secret accepts from the environment of this process. Programs
// started from now on do not get them, and on Linux /proc/<pid>/environ, which every program of the
// user can read, no longer shows them. Withheld still returns their values. Programs started before
// keep them.
//
// Clearing the dumpable flag would also hide /proc/<pid>/environ, though not from root, but a
// nested parley would no longer be found by its mark, nor would terminals find its working
// directory.
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
		// Without a writable /proc there is usually none to read, either.
		conceal(secret)
	}
}

// Withheld returns the value of a variable, whether it is in the environment or was withheld; "" if
// it is not set.
func Withheld(name string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	withheld.Lock()
	defer withheld.Unlock()
	return withheld.values[name]
}
