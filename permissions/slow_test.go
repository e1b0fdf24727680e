//go:build !race

package permissions

const slow = 1
