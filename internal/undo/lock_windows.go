package undo

import "os"

// lock has nothing to do: a file that is open cannot be removed.
func lock(*os.File) bool { return true }

func inUse(string) bool { return false }
