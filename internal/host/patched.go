package host

import (
	"strings"

	"parley/internal/patch"
)

// patched returns the files that a patch changes, in one of the two formats that agents send: that of
// patch.Begin, or unified diffs. ok is false if it may change other files, or change them otherwise than
// it shows.
func patched(text string) (files []string, ok bool) {
	if strings.HasPrefix(strings.TrimSpace(text), patch.Begin) {
		_, ok = patch.Fragments(text)
	} else {
		_, ok = patch.Strict(text)
	}
	return patch.Names(text), ok
}
