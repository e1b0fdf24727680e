// Package alive tells tests whether a process runs.
package alive
