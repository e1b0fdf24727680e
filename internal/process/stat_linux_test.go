package process

import (
	"os"
	"testing"
)

func TestParseStat(t *testing.T) {
	const rest = " S 7 8 9 0 -1 4194304 1 0 0 0 0 0 0 0 20 0 1 0 4242 1000 1\n"
	for _, tc := range []struct {
		stat string
		ok   bool
	}{
		{"12 (sh)" + rest, true},
		{"12 (a) b) (c)" + rest, true},
		{"12 (sh) S 7", false},
		{"12", false},
		{"", false},
		{")", false},
	} {
		got, ok := parseStat(12, []byte(tc.stat))
		if ok != tc.ok || (ok && got != entry{pid: 12, parent: 7, group: 8, session: 9, started: 4242}) {
			t.Errorf("parseStat(%q) = %+v, %v", tc.stat, got, ok)
		}
	}
	self, ok := readTable()[os.Getpid()]
	if !ok || self.parent != os.Getppid() || self.started == 0 || self.dead {
		t.Errorf("own entry: %+v, %v", self, ok)
	}
}

func BenchmarkReadTable(b *testing.B) {
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		n = len(readTable())
	}
	b.ReportMetric(float64(n), "processes")
}
