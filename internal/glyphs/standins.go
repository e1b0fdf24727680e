package glyphs

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// StandIns lets text pass through a layout that always measures by clusters, such as that of a
// table: Replace replaces a cluster with as many runes of one cell as the terminal has cells
// for it, and Restore restores the clusters. The zero value is ready to use.
type StandIns struct{ clusters []string }

// The runes are in a private use area; a rune of the text that is in it is replaced like a
// cluster.
const (
	firstStandIn = 0x100000
	maxStandIns  = 0xf000
	filler       = 0x10fe00
)

// Replace returns the text for the layout.
func (st *StandIns) Replace(s string) string {
	if ByClusters() {
		return s
	}
	var b strings.Builder
	for s != "" {
		cluster, width := ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
		if len(cluster) == 0 {
			break
		}
		s = s[len(cluster):]
		r, _ := utf8.DecodeRuneInString(cluster)
		cells := ansi.WcWidth.StringWidth(cluster)
		if cells == width && r < firstStandIn || cells == 0 || len(st.clusters) == maxStandIns {
			b.WriteString(cluster)
			continue
		}
		b.WriteRune(rune(firstStandIn + len(st.clusters)))
		b.WriteString(strings.Repeat(string(rune(filler)), cells-1))
		st.clusters = append(st.clusters, cluster)
	}
	b.WriteString(s)
	return b.String()
}

// Restore returns the laid out text with the clusters in place of the stand-ins.
func (st *StandIns) Restore(s string) string {
	if len(st.clusters) == 0 || strings.IndexByte(s, 0xf4) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch i := int(r - firstStandIn); {
		case i >= 0 && i < len(st.clusters):
			b.WriteString(st.clusters[i])
		case r != filler:
			b.WriteRune(r)
		}
	}
	return b.String()
}
