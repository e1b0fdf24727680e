package permissions

import (
	"slices"
	"testing"
)

// Case 113: a policy allows with an option that says so, or not at all.
func TestApproveAll(t *testing.T) {
	for name, tc := range map[string]struct {
		options []Option
		want    string // "" when the policy must leave it alone
	}{
		"once before always":       {[]Option{{ID: "A", Name: "Always", Kind: AllowAlways}, {ID: "B", Name: "Once", Kind: AllowOnce}, {ID: "C", Name: "No", Kind: RejectOnce}}, "B"},
		"always where alone":       {[]Option{{ID: "C", Name: "No", Kind: RejectOnce}, {ID: "A", Name: "Always", Kind: AllowAlways}}, "A"},
		"first of two":             {[]Option{{ID: "1", Name: "Plan", Kind: AllowOnce}, {ID: "2", Name: "Code", Kind: AllowOnce}}, "1"},
		"only rejections":          {[]Option{{ID: "C", Name: "Yes!", Kind: RejectOnce}, {ID: "D", Name: "Allow", Kind: RejectAlways}}, ""},
		"unknown kinds":            {[]Option{{ID: "allow_once", Name: "Allow", Kind: "allow"}, {ID: "B", Name: "Yes", Kind: ""}, {ID: "C", Name: "Yes", Kind: "ALLOW_ONCE"}, {ID: "D", Name: "Yes", Kind: "allow_once "}}, ""},
		"named like an allowance":  {[]Option{{ID: "allow_always", Name: "allow_always", Kind: RejectAlways}}, ""},
		"nothing to choose from":   {nil, ""},
		"unknown before the known": {[]Option{{ID: "x", Name: "Maybe", Kind: "allow_some"}, {ID: "B", Name: "Once", Kind: AllowOnce}}, "B"},
	} {
		a, ok := ApproveAll("--approve-all")(Question{Options: tc.options})
		if ok != (tc.want != "") || a.OptionID != tc.want || a.Cancelled || ok && a.By != "--approve-all" {
			t.Errorf("%s: %+v, %v, want %q", name, a, ok, tc.want)
		}
	}
}

func TestApproveReads(t *testing.T) {
	inside := Facts{Files: []FileFact{{Path: "/p/f", Inside: true}}}
	for name, tc := range map[string]struct {
		q    Question
		want bool
	}{
		"read":                 {Question{Kind: "read", Facts: inside}, true},
		"search":               {Question{Kind: "search", Facts: inside}, true},
		"read outside":         {Question{Kind: "read", Facts: inside, Outside: true}, false},
		"read a secret":        {Question{Kind: "read", Facts: inside, Secret: true}, false},
		"search outside":       {Question{Kind: "search", Facts: inside, Outside: true}, false},
		"edit":                 {Question{Kind: "edit", Facts: inside}, false},
		"execute":              {Question{Kind: "execute", Facts: inside}, false},
		"fetch":                {Question{Kind: "fetch", Facts: inside}, false},
		"no kind":              {Question{Facts: inside}, false},
		"odd kind":             {Question{Kind: "Read", Facts: inside}, false},
		"no file":              {Question{Kind: "read"}, false},
		"not all of it known":  {Question{Kind: "read", Facts: with(inside, func(f *Facts) { f.Partial = true })}, false},
		"it does more":         {Question{Kind: "read", Facts: with(inside, func(f *Facts) { f.OtherEffects = true })}, false},
		"a command":            {Question{Kind: "read", Facts: with(inside, func(f *Facts) { f.Commands = []CommandFact{{Line: "ls"}} })}, false},
		"a host":               {Question{Kind: "search", Facts: with(inside, func(f *Facts) { f.Hosts = []string{"example.com"} })}, false},
		"a file is written":    {Question{Kind: "read", Facts: with(inside, func(f *Facts) { f.Files[0].Write = true })}, false},
		"a second one outside": {Question{Kind: "read", Facts: with(inside, func(f *Facts) { f.Files = append(f.Files, FileFact{Path: "/x"}) })}, false},
		"a sensitive one":      {Question{Kind: "read", Facts: with(inside, func(f *Facts) { f.Files[0].Secret = true })}, false},
	} {
		tc.q.Options = four
		left := false
		a, ok := ApproveReads("--approve-reads", func(Question) (Answer, bool) { left = true; return Answer{Cancelled: true}, true })(tc.q)
		if !ok || left == tc.want || a.Cancelled == tc.want || tc.want && a.OptionID != "o" {
			t.Errorf("%s: %+v, left to the next: %v", name, a, left)
		}
	}
	// A read that cannot be allowed is left to the next policy too.
	a, ok := ApproveReads("x", DenyAll("y", nil))(Question{Kind: "read", Options: []Option{{ID: "r", Name: "No", Kind: RejectOnce}}})
	if !ok || a.OptionID != "r" || a.By != "y" {
		t.Errorf("%+v, %v", a, ok)
	}
}

// with returns a changed copy of facts.
func with(f Facts, change func(*Facts)) Facts {
	f.Files = slices.Clone(f.Files)
	change(&f)
	return f
}

// "accept edits" allows known changes of files inside and nothing else. "read only" rejects what
// writes, whatever it is called.
func TestModesLookAtFacts(t *testing.T) {
	edit := Facts{Files: []FileFact{{Path: "/p/f", Inside: true, Write: true}}}
	for name, tc := range map[string]struct {
		kind         string
		facts        Facts
		accept, read Effect
	}{
		"an edit":             {"edit", edit, Allow, Deny},
		"no file":             {"edit", Facts{}, None, Deny},
		"not all of it known": {"edit", with(edit, func(f *Facts) { f.Partial = true }), None, Deny},
		"it does more":        {"edit", with(edit, func(f *Facts) { f.OtherEffects = true }), None, Deny},
		"a command":           {"edit", with(edit, func(f *Facts) { f.Commands = []CommandFact{{Line: "ls"}} }), None, Deny},
		"a host":              {"edit", with(edit, func(f *Facts) { f.Hosts = []string{"example.com"} }), None, Deny},
		"one outside":         {"edit", with(edit, func(f *Facts) { f.Files = append(f.Files, FileFact{Path: "/x", Write: true}) }), None, Deny},
		"a sensitive one":     {"edit", with(edit, func(f *Facts) { f.Files[0].Secret = true }), None, Deny},
		"called a read":       {"read", edit, None, Deny},
		"called nothing":      {"", edit, None, Deny},
		"a read":              {"read", with(edit, func(f *Facts) { f.Files[0].Write = false }), None, None},
	} {
		q := Question{Kind: tc.kind, Facts: tc.facts}
		if a, r := AcceptEdits.decide(&q), ReadOnlyMode.decide(&q); a != tc.accept || r != tc.read {
			t.Errorf("%s: accept edits: %v, want %v; read only: %v, want %v", name, a, tc.accept, r, tc.read)
		}
	}
}

func TestDenyAll(t *testing.T) {
	var told []string
	deny := DenyAll("--deny-all", func(q Question) { told = append(told, q.Heading) })
	for _, tc := range []struct {
		options []Option
		want    Answer
	}{
		{four, Answer{OptionID: "r", By: "--deny-all"}},
		{[]Option{{ID: "never", Name: "Never", Kind: RejectAlways}, {ID: "o", Name: "Once", Kind: AllowOnce}}, Answer{Cancelled: true, By: "--deny-all"}},
		{[]Option{{ID: "o", Name: "Once", Kind: AllowOnce}, {ID: "x", Name: "No", Kind: "reject"}}, Answer{Cancelled: true, By: "--deny-all"}},
		{nil, Answer{Cancelled: true, By: "--deny-all"}},
	} {
		if got, ok := deny(Question{Heading: "h", Options: tc.options}); !ok || got != tc.want {
			t.Errorf("%+v: %+v, %v", tc.options, got, ok)
		}
	}
	if len(told) != 4 {
		t.Errorf("%d questions reported", len(told))
	}
	if _, ok := DenyAll("x", nil)(Question{}); !ok {
		t.Error("left open")
	}
}

func TestOptionAllows(t *testing.T) {
	for kind, want := range map[string]bool{AllowOnce: true, AllowAlways: true, RejectOnce: false, RejectAlways: false, "": false, "allow": false} {
		if (Option{Kind: kind}).Allows() != want {
			t.Errorf("got %q", kind)
		}
	}
}
