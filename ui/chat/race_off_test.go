//go:build !race

package chat

const raced = false
