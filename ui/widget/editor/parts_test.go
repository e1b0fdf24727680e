package editor

import (
	"slices"
	"strings"
	"testing"
)

func TestEditorParts(t *testing.T) {
	pasted, other := strings.Repeat("\tline\n", 20), strings.Repeat("x", 3000)
	c := New()
	c.Insert("see ")
	c.InsertPaste(pasted)
	c.Insert(" and\nthen ")
	c.InsertPaste(other)
	want := []Part{{"see ", false}, {pasted, true}, {" and\nthen ", false}, {other, true}}
	parts := c.Parts()
	if !slices.Equal(parts, want) {
		t.Errorf("got %+v", parts)
	}
	again := New()
	again.SetParts(parts)
	if again.Value() != c.Value() || !slices.Equal(again.Parts(), want) || again.at != again.end() {
		t.Errorf("put there again: %+v", again.Parts())
	}
	again.SetEdited("please see " + pasted + " and the other: " + other[1:])
	if got := again.Parts(); !slices.Equal(got, []Part{{"please see ", false}, {pasted, true}, {" and the other: " + other[1:], false}}) {
		t.Errorf("edited: %+v", got)
	}
	if New().Parts() != nil {
		t.Error("an empty editor has parts")
	}
	for text, want := range map[string]bool{"!ls": true, " !ls": false, "x\n!ls": false, "!": true} {
		c.SetValue(text)
		if c.HasPrefix("!") != want {
			t.Errorf("%q begins with !: %v", text, !want)
		}
	}
	c.Reset()
	c.InsertPaste("!" + other)
	if c.HasPrefix("!") {
		t.Error("a chip is no shell line")
	}
}
