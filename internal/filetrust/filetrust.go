// Package filetrust tells whether a file is the user's alone to change: one that decides what parley allows, or starts.
package filetrust
