package gateway

import (
	"flag"
	"testing"
)

// Many tests here wait for a real clock or a process, and need no processor for that:
// more of them run at a time than there are processors, unless -parallel says how many.
func TestMain(m *testing.M) {
	flag.Set("test.parallel", "8")
	m.Run()
}
