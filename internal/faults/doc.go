// Package faults tests parley's client with parley's server over a faulty network: a proxy
// between them cuts connections at any point, and delays, throttles, splits and joins the
// data; another layer lets the streams of HTTP overtake each other. It contains only tests.
//
// The agent is a separate process, played by the test program. What it received and sent is
// stored outside of it, in a ledger, before it is sent; the tests compare that with what
// the user has seen. A prompt that arrives twice is recorded twice.
//
// The faults are drawn from seeds. The tests have fixed ones; -seed or $PARLEY_FAULTS_SEED
// sets another, and a failure prints its seed. The scheduler has an influence too, so the
// same seed makes the same faults, but not always at the same moment of the conversation.
package faults
