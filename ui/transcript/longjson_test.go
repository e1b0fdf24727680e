package transcript

import (
	"encoding/json"
	"strings"
	"testing"

	"parley/internal/seeds"
)

// Of long raw output the beginning is read, however it is cut, and it is said
// that there is more; what is copied is all of it.
func TestLongRawOutput(t *testing.T) {
	for _, line := range []string{"words of it\n", "日本\\n \"x\" 🎉\t\u0001<\n", `\\`, "\n"} {
		text := strings.Repeat(line, (maxRead+maxRead/8)/len(line))
		whole, _ := json.Marshal(text)
		all := rawText(string(whole))
		for name, raw := range map[string]string{
			"string": string(whole),
			"object": `{"exit": 0, "meta": {"output": "not this", "list": ["}", "output"]}, "stderr": "", "output" : ` + string(whole) + `}`,
			"first":  `{"stdout":"", "text":` + string(whole) + `,"output":"later"}`,
		} {
			for pad := range seeds.Of(14) {
				shown := shownRaw(strings.Repeat(" ", pad) + raw)
				head, _, ok := strings.Cut(shown, "\n… first part of ")
				if !ok {
					t.Fatalf("%s of %q: %.40q … %q", name, line, head, shown[len(shown)-40:])
				}
				if !strings.HasPrefix(all, head) || len(head) < maxRead/8 {
					t.Errorf("%s of %q: %d bytes that are not its beginning", name, line, len(head))
				}
			}
		}
	}
	for _, raw := range []string{`{"output":"short"}`, `"short"`, `{"a":1}`, `[1,2]`} {
		if got, want := shownRaw(raw), rawText(raw); got != want {
			t.Errorf("%s: got %q, want %q", raw, got, want)
		}
	}
	long := `{"other":"` + strings.Repeat("x", 2*maxRead) + `"}`
	if got := shownRaw(long); got != long {
		t.Errorf("an object of something else: %.40q", got)
	}
}
