//go:build !unix

package faults

// lives cannot tell here; that an agent lets go of the ledger is the sign of its
// end.
func lives(int) bool { return false }
