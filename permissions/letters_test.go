package permissions

import (
	"path/filepath"
	"strings"
	"testing"
)

// File systems that fold or normalise letters open a file by several names.
func TestDeniedLetters(t *testing.T) {
	look := func(path string) FileFact {
		path = filepath.Clean(path)
		return FileFact{Path: path, RequestedPath: path, Exists: true, Inside: strings.HasPrefix(path, "/w"), Roots: []string{"/w"}}
	}
	for _, c := range []struct{ rule, file string }{
		{"Caf\u00e9.txt", "Cafe\u0301.txt"}, {"Cafe\u0301.txt", "Caf\u00e9.txt"}, {"Caf\u00e9.txt", "CAFE\u0301.TXT"}, {"**/Cafe\u0301*", "src/caf\u00c9.txt"},
		{"stra\u00dfe", "STRASSE"}, {"STRASSE", "stra\u00dfe"}, {"\ufb01le", "FILE"}, {"\u03c3\u03c2", "\u03a3\u03a3"}, {"\u212a.txt", "k.txt"},
	} {
		f := lineFacts("cat " + c.file)
		f.Resolve = look
		if got := mustBook(t, []Rule{{Effect: Deny, Path: c.rule}}).Judge(f); got.Effect != Deny {
			t.Errorf("deny path %q says %v of %q", c.rule, got.Effect, c.file)
		}
		f = Facts{Kind: "read", Files: []FileFact{look("/w/" + c.file)}}
		if got := mustBook(t, []Rule{{Effect: Deny, Path: c.rule}}).Judge(f); got.Effect != Deny {
			t.Errorf("deny path %q says %v of the file %q", c.rule, got.Effect, c.file)
		}
		outside := look("/w/" + c.file)
		outside.Inside = false
		if got := mustBook(t, []Rule{{Effect: Allow, Path: c.rule}}).Judge(Facts{Kind: "read", Files: []FileFact{outside}}); got.Effect == Allow {
			t.Errorf("allow path %q allows %q", c.rule, c.file)
		}
	}
}
