// Package undo knows what changed in the roots of a session while an agent was
// at work, shows it, and puts it back. It knows nothing of ACP and nothing of a
// screen.
//
// # What is seen
//
// Two things: what parley wrote for the agent (Written), anywhere; and, in roots
// that lie in a git work tree, what is different on the disk after a turn from
// what was there before it (Before, After). Git is asked for one thing only, the
// names: those it tracks and those it would take. What the files hold is read,
// hashed and kept by this package, in a private file of its own, and not by `git
// add` or `git stash`: those run filters that the repository names, and write to
// its index and objects. So the index, HEAD, the refs, the stash and the objects
// of the user stay as they are, and a repository that an agent may write to can
// run nothing through us: see list.
//
// A Journal keeps the stat of each file beside its hash, so that a second look
// reads only what may have changed.
//
// # What cannot be had
//
// A file that the user, an editor or another session changes during the turn
// cannot be told from one that the agent changed: both are OnDisk. Callers
// compare the paths with those that tool calls named, and mark the others.
//
// Not seen: what git ignores, what is in .git (commits, the index, branches),
// empty directories, submodules and repositories within the repository unless
// they are roots themselves, owners, times, attributes and access lists. Seen and
// not put back: files above MaxKept bytes, files that cannot be read, and files
// of which it is not known whether they were there before, because git ignored
// them before the turn and does not any longer.
//
// Undo looks at a file, compares it with what the agent left, and replaces or
// removes it: no system gives these as one step. What a program writes between
// that look and the rename, a matter of microseconds, is lost.
//
// # Goroutines
//
// Every method may be called from any goroutine. Before, After, Undo, Redo, Look,
// Texts and Close wait for the disk, the first two also for git: never call them
// from the goroutine of a screen. Changes never waits for those. Paths come from
// the disk: make them safe before they are shown.
package undo
