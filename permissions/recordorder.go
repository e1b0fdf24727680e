package permissions

import (
	"cmp"
	"os"
	"slices"
)

// newest returns the most recently changed files, at most that many.
func newest(names []string, most int) []string {
	at := map[string]int64{}
	for _, n := range names {
		if info, err := os.Stat(n); err == nil {
			at[n] = info.ModTime().UnixNano()
		}
	}
	names = slices.DeleteFunc(slices.Clone(names), func(n string) bool { return at[n] == 0 })
	slices.SortFunc(names, func(a, b string) int { return cmp.Compare(at[b], at[a]) })
	return names[:min(most, len(names))]
}

// sortEntries sorts entries, newest first.
func sortEntries(all []Entry) {
	slices.SortStableFunc(all, func(a, b Entry) int { return b.Time.Compare(a.Time) })
}
