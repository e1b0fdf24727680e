// Package undo finds out what changed in the roots of a session during an agent's turns, shows it,
// and reverts it. It knows nothing of ACP or of a screen.
//
// # What is tracked
//
// Writes that parley made for the agent are tracked everywhere (Written). The files on disk before and
// after a turn are compared as well (BeginTurn, EndTurn): in roots inside a git worktree all that git
// does not ignore, elsewhere those that the agent names (Name). It does not use `git add` or `git
// stash`, which run filters that the repository names and write to its index and objects. So the index,
// HEAD, refs, stash and objects stay unchanged, and a repository that an agent can write runs nothing.
//
// # A scan
//
// This package reads git's index itself, and the directories in it, and asks git which of the other
// names there it ignores (check-ignore). A tracked file with the times, size and inode that the index
// has is the same as its blob, so it is not read, and no copy is kept: if it changes, its old content
// comes from git's objects, by way of a repository of our own (openObjects). Only the index that was
// read before the first turn is trusted for that; an agent may write a later one. Other files are read
// and hashed, and copied into a private file. A Journal remembers the stat of each with its hash, and of
// each directory with its names, so that the next scan only reads what may have changed.
//
// # What outlives a Journal
//
// Close removes the copies, unless the Journal has a Kept: then the changes, and the copies that they
// need, are written at the end of each turn and after each undo, and a Journal of the same session
// continues them, in the same process or in a later one. Only one Journal at a time has a Kept. What
// is read from it may be damaged: it is checked as a whole, each copy by its hash, and Undo checks the
// files as always. A change outside the roots of the Journal that continues is listed, and not undone.
//
// # Limits
//
// A file that the user, an editor or another session changes during a turn cannot be distinguished
// from one that the agent changed: both are OnDisk. Callers compare the paths with those of tool
// calls, and mark the others.
//
// Not tracked: ignored files that are not named, .git itself (commits, index, branches), empty
// directories, submodules and nested repositories unless they are roots, owners, times, attributes and
// access lists. Tracked but not reverted: files above MaxKept bytes, unreadable files, files that git
// ignored before the turn but not afterwards, since they may have existed, and files that had changed in
// the turn before they were named.
//
// Copies take at most Options.MaxBytes, those that outlive the Journal as much again. Once most of that is
// used, EndTurn removes those that the oldest turns need, but not of what files hold now.
//
// Undo examines a file, compares it with what the agent left, and replaces or removes it. No system
// offers that as one step: what a program writes between the check and the rename, a few
// microseconds, is lost.
//
// # Goroutines
//
// All methods are safe for concurrent use. BeginTurn, EndTurn, Name, Undo, Redo, Rewrite, Texts, Keep,
// List and Close wait for the disk, BeginTurn and EndTurn also for git: do not call them from the
// goroutine of a screen. Changes never waits for them. Paths come from the disk: sanitise them before
// showing them.
package undo
