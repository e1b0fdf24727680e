// Package packages has the tests of what a release consists of: they install what goreleaser has made, and
// start it. $PARLEY_DIST names its directory; without it they are skipped.
package packages
