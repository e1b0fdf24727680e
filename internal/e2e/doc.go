// Package e2e tests the real binary in a pseudo-terminal. It reads the screen from an emulator, so
// it sees what a user sees. It contains only tests.
//
// Every test has its own directories (home, configuration, work) and a PATH with a few plain tools,
// so the machine's agents and settings do not affect it. A test waits, with a deadline, for what
// appears on the screen, and not for a fixed time. After each test the terminal must be restored,
// and no process that the test started may still run.
package e2e
