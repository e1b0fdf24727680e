// Package filetrust checks that only the user can change a file that decides what parley allows or
// starts.
package filetrust
