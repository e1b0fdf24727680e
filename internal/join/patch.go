package join

import (
	"fmt"
	"strconv"
	"strings"

	"parley/acpclient/event"
	"parley/internal/linediff"
)

// maxPatch bounds the texts that are compared for a client, in bytes. Of a larger change it gets the name of the
// file.
const maxPatch = 256 << 10

// gitPatch returns the change of a file as a patch of git's, with absolute paths and no prefix before them.
func gitPatch(c *event.Diff, operation string) string {
	name := c.Path
	if strings.ContainsAny(name, "\"\\\n\t") || strings.IndexFunc(name, func(r rune) bool { return r < ' ' || r > '~' }) >= 0 {
		name = strconv.Quote(name)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "diff --git %s %s\n", name, name)
	before, after := name, name
	switch operation {
	case "add":
		b.WriteString("new file mode 100644\n")
		before = "/dev/null"
	case "delete":
		b.WriteString("deleted file mode 100644\n")
		after = "/dev/null"
	}
	body := linediff.Compare(c.Texts()).Unified()
	if body == "" {
		return b.String()
	}
	fmt.Fprintf(&b, "--- %s\n+++ %s\n%s", before, after, body)
	return b.String()
}
