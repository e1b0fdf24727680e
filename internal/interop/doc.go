// Package interop tests parley with third-party agents and clients, based on the ACP SDKs for Go,
// TypeScript and Python. It contains only tests.
//
// The agents are in testdata. The first word of a prompt tells an agent what to do. All of them
// behave alike, so the tests are one table over all of them. Whatever an agent receives
// unexpectedly becomes text that begins with "FAIL: ", which fails every test.
//
// The clients for `parley serve` are in testdata too. They play one script with the Go agent and
// print everything that they receive, and the tests compare all of it.
//
// The tests run only if $PARLEY_INTEROP is set, because they install the SDKs: once, into
// parley-interop in the user's cache directory, never into the tree. "auto" skips SDKs that are not
// available, "required" fails.
package interop
