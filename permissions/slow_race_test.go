//go:build race

package permissions

// slow is by how much the race detector slows what is measured.
const slow = 15
