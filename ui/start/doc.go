// Package start is what comes before a session: the choice of an agent, the wait for it,
// and the ways to log in to it. It knows nothing of the pages of the screen: data comes
// as values, and what it wants done goes through the small interfaces that it declares.
package start
