package keeper

import (
	"os"
	"strings"
)

// Adopt sets the variables of the terminal that attaches in the environment of this process, for the programs that it
// starts from now on, and removes those that the terminal does not have.
func (c Change) Adopt() {
	for _, name := range Variables {
		os.Unsetenv(name)
	}
	for _, v := range ofTerminal(c.Environ) {
		name, value, _ := strings.Cut(v, "=")
		os.Setenv(name, value)
	}
}
