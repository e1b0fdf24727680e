package uitest

import (
	"fmt"
	"strings"
)

// Answer is about so many bytes of an answer with a lot of code in it.
func Answer(bytes int) string {
	var b strings.Builder
	for n := 1; b.Len() < bytes; n++ {
		fmt.Fprintf(&b, "## Step %d\n\n", n)
		for range 3 {
			b.WriteString(strings.Repeat("A sentence with `code()` in it, **words** of weight, 日本語 and a [link](https://example.com/a). ", 3) + "\n\n")
		}
		b.WriteString("- one of the points\n- another *one* of them\n\n```go\n")
		for i := range 10 {
			fmt.Fprintf(&b, "func step%d(n int) error {\n\treturn fmt.Errorf(\"step %%d: %%w\", n, errors.ErrUnsupported) // %d\n}\n", i, n)
		}
		b.WriteString("```\n\n| name | time | count |\n|---|---:|---:|\n| one | 17 | 4 |\n| two | 1200 | 44 |\n\n> quoted\n\n")
	}
	return b.String()
}
