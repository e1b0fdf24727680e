//go:build !unix

package faults

// lives cannot tell on this system. There an agent counts as ended when it disconnects from the
// ledger.
func lives(int) bool { return false }
