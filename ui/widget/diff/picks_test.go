package diff

import (
	"fmt"
	"strings"
	"testing"

	"parley/internal/linediff"
	"parley/internal/tty"
	"parley/ui/theme"
)

// Without all changes, without none, and without one after the other. The texts differ
// from those that were compared, as they do when invisible characters are shown.
func TestDrawPicks(t *testing.T) {
	var before strings.Builder
	for i := range 40 {
		fmt.Fprintf(&before, "line %d\n", i)
	}
	after := strings.NewReplacer("line 3\n", "drei\n", "line 5\n", "", "line 30\n", "line 30\nand more\n").Replace(before.String())
	c := linediff.Compare(linediff.Texts{Old: before.String(), New: after})
	th := theme.For("dark", tty.Colours{Dark: true})
	look := Look{Width: 50, Theme: th}
	plain, _ := Draw(c, look)
	rows, heads := DrawPicks(c, look, []Pick{{Head: "H0"}, {Head: "H1", Refused: true}, {Head: "H2"}})
	if len(heads) != 3 || len(rows) != len(plain)+3 {
		t.Fatalf("%d rows with %d heads, %d without", len(rows), len(heads), len(plain))
	}
	var rest []string
	for i, row := range rows {
		if strings.HasPrefix(row, "H") {
			if rows[heads[int(row[1]-'0')]] != row {
				t.Errorf("%s is in row %d, not in %v", row, i, heads)
			}
			continue
		}
		rest = append(rest, row)
	}
	for i := range rest {
		refused := strings.Contains(rest[i], "line 5")
		if same := rest[i] == plain[i]; same == refused {
			t.Errorf("row %d is %q, without marks %q", i, rest[i], plain[i])
		}
	}
}
