// Package faults tries parley's client against parley's server over a network
// that misbehaves: a proxy between them cuts connections in the midst of
// anything, delays, throttles, splits and joins what it carries, and a layer
// above it lets the streams of HTTP overtake each other. It holds tests only.
//
// The agent is a process of its own, played by the test program. What it got
// and what it said is recorded outside of it, before it is sent, in a ledger:
// by that the tests judge what the user has seen. A prompt that arrives twice
// stands there twice.
//
// What goes wrong is drawn from seeds. Those of the tests are fixed; another one
// is set by -seed or $PARLEY_FAULTS_SEED, and a failure prints its own. The
// scheduler has a say as well, so the same seed makes the same faults, but not
// always at the same moment of the conversation.
package faults
