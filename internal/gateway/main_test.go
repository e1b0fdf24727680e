package gateway

import (
	"flag"
	"testing"
)

// Many tests here wait for a real clock or a process without using the CPU. So more of them
// run at a time than there are processors, unless -parallel sets a number.
func TestMain(m *testing.M) {
	flag.Set("test.parallel", "8")
	m.Run()
}
