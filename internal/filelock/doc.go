// Package filelock tells whether a file belongs to a program that still runs: what
// one has left behind may be removed, what another writes may not.
package filelock
