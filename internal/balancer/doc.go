// Package balancer tests `parley serve` behind real load balancers: nginx and HAProxy, with
// two servers each. It contains only tests.
//
// The configurations and the command lines of the servers are those of docs/remote.md,
// section "Behind a load balancer": the tests take its fenced blocks and replace addresses,
// file names and, in some tests, times and protocols. The agent is the test binary
// (agent_test.go). It does what the first word of a prompt says and reports to the test, so
// that no test waits for time to pass.
//
// The tests run only if $PARLEY_BALANCERS is set, because they need programs. "auto" skips
// those that are not installed, "required" fails. They need no privileges: everything runs
// as a child of the test, on loopback.
package balancer
