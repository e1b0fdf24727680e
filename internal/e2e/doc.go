// Package e2e has only tests: of the real binary, in a pseudo-terminal, with
// its screen read from an emulator, the way a user sees it.
//
// Every test has directories of its own (home, configuration, work), and a PATH
// with a handful of plain tools, so that neither the machine's agents nor its
// settings are seen. A test waits for what appears on the screen, with a
// deadline, and never for time to pass. After each of them the terminal has to
// be as it was and nothing that was started may be left.
package e2e
