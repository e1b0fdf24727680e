// Package interop tests parley with third-party agents and clients, based on the ACP SDKs
// for Go, TypeScript and Python. It contains only tests.
//
// The agents are in testdata. The first word of a prompt tells each what to do, and all say
// the same in every language: the tests are one table over all of them. Whatever an agent
// receives unexpectedly becomes text that begins with "FAIL: ", which fails every test.
//
// The clients, for `parley serve`, are there too. They play one script with the Go agent
// and print what they receive, item by item, and all of that is compared.
//
// The tests run only if $PARLEY_INTEROP is set, because they install the SDKs: once, into
// parley-interop in the user's cache directory, never into the tree. "auto" skips SDKs that
// are not available, "required" fails.
package interop
