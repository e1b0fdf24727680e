package permissions

import "testing"

// What a line creates counts for what follows it, or for everything if the order is unknown.
func TestMadeInOrder(t *testing.T) {
	rules := allowing("mv *", "cat *", "true")
	for line, want := range map[string]Effect{
		"cat x && mv k x": Allow, "mv k x && cat x": None, "mv k x && cat y": Allow, "cat x & mv k x": None, "true && cat x && mv k x": Allow,
		"for f in a b; do cat x; mv k x; done": None, "for f in a b; do mv k x; done": Allow, "mv k x &": Allow,
	} {
		if got := rulebook(t, rules).Judge(lineFacts(line)); got.Effect != want {
			t.Errorf("%q is %v, want %v: %s", line, got.Effect, want, reasons(got))
		}
	}
	for line, want := range map[string]Effect{
		"cat src/*.go && mv a src/b.go": Allow, "mv a src/b.go && cat src/*.go": None, "cat src/*.go & mv a src/b.go": None, "mv a src/b.go & cat docs/*": Allow,
	} {
		if got := rulebook(t, rules).Judge(corpusFacts(line)); got.Effect != want {
			t.Errorf("%q is %v, want %v: %s", line, got.Effect, want, reasons(got))
		}
	}
	denied := rulebook(t, rules+"[[deny]]\npath = \"secrets/**\"\n").Judge(lineFacts("mv k x && cat x"))
	if denied.MayHide != Deny {
		t.Errorf("what a line makes may be what a rule denies: %v", denied.MayHide)
	}
	denied = rulebook(t, rules+"[[deny]]\npath = \"secrets/**\"\n").Judge(corpusFacts("mv k src/x && cat src/*.go"))
	if denied.MayHide != Deny {
		t.Errorf("what a pattern means after the line made something may be what a rule denies: %v", denied.MayHide)
	}
}
