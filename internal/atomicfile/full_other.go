//go:build !windows

package atomicfile

func fullHere(error) bool { return false }
