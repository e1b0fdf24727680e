package registry

import "testing"

func TestNewer(t *testing.T) {
	inOrder := []string{"0.9.9", "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.2", "1.0.0-alpha.10", "1.0.0-beta", "1.0.0", "1.0.0.1", "1.2.0", "1.10.0", "2026.08.11", "3000.5.20"}
	for i, a := range inOrder {
		for j, b := range inOrder {
			if got := Newer(a, b); got != (i > j) {
				t.Errorf("%s is newer than %s: %v", a, b, got)
			}
		}
	}
	if Newer("1.0.0+2", "1.0.0+1") {
		t.Error("build metadata counts")
	}
}
