// Package balancer tries `parley serve` behind real load balancers: nginx and
// HAProxy, with two servers each. It holds tests only.
//
// The configurations, and the command lines of the servers, are those of
// docs/remote.md, section "Behind a load balancer": the tests take its fenced blocks and
// replace addresses, paths of files and, in some tests, times and protocols. The agent is
// test binary itself (agent_test.go); it does what the first word of a prompt
// says and tells the test about it, so that nothing here waits by the clock.
//
// The tests run only where $PARLEY_BALANCERS is set, because they need
// programs. "auto" skips those that are not installed, "required" fails. They
// need no rights: everything runs as a child of the test, on loopback.
package balancer
