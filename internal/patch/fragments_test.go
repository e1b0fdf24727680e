package patch

import (
	"slices"
	"strings"
	"testing"
)

func patchOf(lines ...string) string {
	return Begin + "\n" + strings.Join(lines, "\n") + "\n*** End Patch"
}

func TestFragments(t *testing.T) {
	for name, tc := range map[string]struct {
		patch string
		want  []Fragment
	}{
		"a change":         {patchOf("*** Update File: a b.go", "@@", " x", "-y", "+z"), []Fragment{{"modify", "a b.go", "", "x\ny\n", "x\nz\n"}}},
		"two of a file":    {patchOf("*** Update File: f", "@@ func a", "-y", "+z", "@@", "@@ class b", "-q"), []Fragment{{"modify", "f", "", "y\n", "z\n"}, {"modify", "f", "", "q\n", ""}}},
		"no head":          {patchOf("*** Update File: f", "-y", "+z"), []Fragment{{"modify", "f", "", "y\n", "z\n"}}},
		"an empty line":    {patchOf("*** Update File: f", " a", "", "-y", "*** End of File"), []Fragment{{"modify", "f", "", "a\n\ny\n", "a\n\n"}}},
		"a new file":       {patchOf("*** Add File: f", "+a", "+", "+*** Delete File: g"), []Fragment{{"add", "f", "", "", "a\n\n*** Delete File: g\n"}}},
		"an empty file":    {patchOf("*** Add File: f"), []Fragment{{"add", "f", "", "", ""}}},
		"a file less":      {patchOf("*** Delete File: f", "*** Delete File: g"), []Fragment{{"delete", "f", "", "", ""}, {"delete", "g", "", "", ""}}},
		"a move":           {patchOf("*** Update File: f", "*** Move to: g", "@@", "-y", "+z"), []Fragment{{"move", "f", "g", "", ""}, {"modify", "f", "", "y\n", "z\n"}}},
		"a move alone":     {patchOf("*** Update File: f", "*** Move to: g"), []Fragment{{"move", "f", "g", "", ""}}},
		"lines of Windows": {strings.ReplaceAll(patchOf("*** Update File: f", "@@", "-y", "+z"), "\n", "\r\n"), []Fragment{{"modify", "f", "", "y\r\n", "z\r\n"}}},
		"text like heads":  {patchOf("*** Update File: f", " *** End Patch", "-*** Update File: g", "+@@"), []Fragment{{"modify", "f", "", "*** End Patch\n*** Update File: g\n", "*** End Patch\n@@\n"}}},
	} {
		if got, ok := Fragments(tc.patch); !ok || !slices.Equal(got, tc.want) {
			t.Errorf("%s: %v\ngot  %+v\nwant %+v", name, ok, got, tc.want)
		}
	}
}

// A patch with an unknown line is rejected as a whole: it may mean something else.
func TestNoFragments(t *testing.T) {
	many := []string{"*** Update File: f"}
	for range MaxFragments + 1 {
		many = append(many, "@@", "-a", "+b")
	}
	for _, p := range []string{
		"", Begin, Begin + "\n" + end, "*** Update File: f\n-a\n", "*** Begin Patch: x\n-a\n*** End Patch", patchOf(""), patchOf("x"), patchOf("+x"), patchOf(" x"),
		patchOf("*** Update File: f"), patchOf("*** Update File: f", "@@"), patchOf("*** Update File: ", "-a"), patchOf("*** Update File: f", " a"),
		patchOf("*** Update File: f", "-a", "+a"), patchOf("*** Update File: f", "-a", "echo hi"), patchOf("*** Update File: f", "-a", "*** Move to: g"),
		patchOf("*** Move to: g"), patchOf("*** Add File: f", "x"), patchOf("*** Add File: f", "+x", " *** Delete File: g"), patchOf("*** Add File: f", "@@"),
		patchOf("*** Delete File: f", "-x"), patchOf("*** Delete File: f", ""), patchOf("*** Rename File: f"), patchOf("*** Update File: f", "*** Move to: "),
		patchOf("*** Update File: f", "-a", "***"), patchOf("*** Environment ID: x", "*** Delete File: f"), patchOf("*** Delete File: f") + "\nrm -rf x",
		"<<'EOF'\n" + patchOf("*** Delete File: f") + "\nEOF", patchOf(many...), patchOf(slices.Repeat([]string{"*** Delete File: f"}, MaxFragments+1)...),
	} {
		if got, ok := Fragments(p); ok {
			t.Errorf("%q: got %+v", p, got)
		}
	}
}

// FuzzFragments checks that each line of an accepted patch is a name, a heading, or in a
// text.
func FuzzFragments(f *testing.F) {
	f.Add(patchOf("*** Update File: f", "*** Move to: g", "@@ x", " a", "-b", "+c", "", "*** End of File", "*** Add File: h", "+", "*** Delete File: i"))
	f.Add(patchOf("*** Update File: f", "@@\r", "-a\r", "*** End Patch"))
	f.Add(Begin + "\n*** Add File: \x00\n+\xff\n" + end + "\n")
	f.Fuzz(func(t *testing.T, text string) {
		all, ok := Fragments(text)
		if !ok {
			return
		}
		lines, want := 0, 0
		for _, one := range all {
			if one.Path == "" || one.Operation == "move" && one.To == "" {
				t.Errorf("no name: %+v", one)
			}
			lines += strings.Count(one.Old, "\n") + strings.Count(one.New, "\n")
		}
		for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
			switch {
			case line == "" || line[0] == ' ':
				want += 2
			case line[0] == '+' || line[0] == '-':
				want++
			case line[0] != '*' && line[0] != '@':
				t.Errorf("%q is nowhere", line)
			}
		}
		if lines != want || len(all) > MaxFragments {
			t.Errorf("%d lines of %d in %+v", lines, want, all)
		}
	})
}
