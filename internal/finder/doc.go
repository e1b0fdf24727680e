// Package finder knows the files below a directory: it lists them, finds them by
// parts of their names, and reads those that a prompt mentions.
//
// A [Tree] lists on a goroutine of its own, the first time it is asked and again
// when what it knows is older than a few seconds; meanwhile it answers from what
// is there. Paths are relative to the root, with slashes; those of directories
// end in one. They are as the file system has them: nothing in them is safe to
// show. Symbolic links to directories are not followed, and nothing outside the
// root is listed. All functions may be called from any goroutine.
package finder
