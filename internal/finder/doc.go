// Package finder lists the files below a directory, finds them by parts of their names, and
// reads those that a prompt mentions.
//
// A [Tree] lists on its own goroutine, at the first search and again when the list is older
// than a few seconds; meanwhile it answers from the list that it has. Paths are relative to
// the root, with slashes; those of directories end in one. They are as the file system has
// them and not safe to show. Symbolic links to directories are not followed, and nothing
// outside the root is listed. All functions may be called from any goroutine.
package finder
