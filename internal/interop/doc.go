// Package interop tries parley against agents and clients that were written with
// other people's code: the ACP SDKs for Go, TypeScript and Python. It holds tests
// only.
//
// The agents are in testdata. Each is told what to do by the first word of the
// prompt, and says the same in every language: the tests are one table over all
// of them. What an agent receives and did not expect becomes text that begins
// with "FAIL: ", which no test lets pass.
//
// The clients are there, too, for `parley serve`. They play one script with the
// agent in Go and print what comes back, thing by thing, and all of that is
// compared.
//
// The tests run only where $PARLEY_INTEROP is set, because they install the SDKs:
// once, into parley-interop in the user's cache directory, never into the tree.
// "auto" skips those that cannot be had, "required" fails.
package interop
