package permissions

import "testing"

// Case 113: a policy allows by an option that says it allows, or not at all.
func TestApproveAll(t *testing.T) {
	for name, tc := range map[string]struct {
		options []Option
		want    string // "" when the policy must leave it alone
	}{
		"once before always":       {[]Option{{"A", "Always", AllowAlways}, {"B", "Once", AllowOnce}, {"C", "No", RejectOnce}}, "B"},
		"always where alone":       {[]Option{{"C", "No", RejectOnce}, {"A", "Always", AllowAlways}}, "A"},
		"first of two":             {[]Option{{"1", "Plan", AllowOnce}, {"2", "Code", AllowOnce}}, "1"},
		"only rejections":          {[]Option{{"C", "Yes!", RejectOnce}, {"D", "Allow", RejectAlways}}, ""},
		"unknown kinds":            {[]Option{{"allow_once", "Allow", "allow"}, {"B", "Yes", ""}, {"C", "Yes", "ALLOW_ONCE"}, {"D", "Yes", "allow_once "}}, ""},
		"named like an allowance":  {[]Option{{"allow_always", "allow_always", RejectAlways}}, ""},
		"nothing to choose from":   {nil, ""},
		"unknown before the known": {[]Option{{"x", "Maybe", "allow_some"}, {"B", "Once", AllowOnce}}, "B"},
	} {
		a, ok := ApproveAll("--approve-all")(Question{Options: tc.options})
		if ok != (tc.want != "") || a.OptionID != tc.want || a.Cancelled || ok && a.By != "--approve-all" {
			t.Errorf("%s: %+v, %v, want %q", name, a, ok, tc.want)
		}
	}
}

func TestApproveReads(t *testing.T) {
	for name, tc := range map[string]struct {
		q    Question
		want bool
	}{
		"read":           {Question{Kind: "read"}, true},
		"search":         {Question{Kind: "search"}, true},
		"read outside":   {Question{Kind: "read", Outside: true}, false},
		"read a secret":  {Question{Kind: "read", Secret: true}, false},
		"search outside": {Question{Kind: "search", Outside: true}, false},
		"edit":           {Question{Kind: "edit"}, false},
		"execute":        {Question{Kind: "execute"}, false},
		"fetch":          {Question{Kind: "fetch"}, false},
		"no kind":        {Question{}, false},
		"odd kind":       {Question{Kind: "Read"}, false},
	} {
		tc.q.Options = four
		left := false
		a, ok := ApproveReads("--approve-reads", func(Question) (Answer, bool) { left = true; return Answer{Cancelled: true}, true })(tc.q)
		if !ok || left == tc.want || a.Cancelled == tc.want || tc.want && a.OptionID != "o" {
			t.Errorf("%s: %+v, left to the next: %v", name, a, left)
		}
	}
	// A read that cannot be allowed is left to the next policy too.
	a, ok := ApproveReads("x", DenyAll("y", nil))(Question{Kind: "read", Options: []Option{{"r", "No", RejectOnce}}})
	if !ok || a.OptionID != "r" || a.By != "y" {
		t.Errorf("%+v, %v", a, ok)
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
		{[]Option{{"never", "Never", RejectAlways}, {"o", "Once", AllowOnce}}, Answer{Cancelled: true, By: "--deny-all"}},
		{[]Option{{"o", "Once", AllowOnce}, {"x", "No", "reject"}}, Answer{Cancelled: true, By: "--deny-all"}},
		{nil, Answer{Cancelled: true, By: "--deny-all"}},
	} {
		if got, ok := deny(Question{Heading: "h", Options: tc.options}); !ok || got != tc.want {
			t.Errorf("%+v: %+v, %v", tc.options, got, ok)
		}
	}
	if len(told) != 4 {
		t.Errorf("told of %d questions", len(told))
	}
	if _, ok := DenyAll("x", nil)(Question{}); !ok {
		t.Error("left open")
	}
}

func TestOptionAllows(t *testing.T) {
	for kind, want := range map[string]bool{AllowOnce: true, AllowAlways: true, RejectOnce: false, RejectAlways: false, "": false, "allow": false} {
		if (Option{Kind: kind}).Allows() != want {
			t.Errorf("%q", kind)
		}
	}
}
