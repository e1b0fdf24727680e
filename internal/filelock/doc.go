// Package filelock reports whether a file belongs to a running program: files left by
// programs that have ended may be removed.
package filelock
