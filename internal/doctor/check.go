package doctor

import (
	"fmt"
	"strings"
)

// good returns a finding without a fault.
func good(check, format string, args ...any) Finding {
	return Finding{Check: check, State: OK, Text: fmt.Sprintf(format, args...)}
}

// warn returns a fault that something suffers from, and fail one that keeps parley from working.
func warn(check, text, fix string) Finding {
	return Finding{Check: check, State: Warn, Text: text, Fix: fix}
}

func fail(check, text, fix string) Finding {
	return Finding{Check: check, State: Fail, Text: text, Fix: fix}
}

// Summary counts the findings of each state.
func Summary(all []Finding) string {
	var parts []string
	for _, state := range []State{OK, Pass, Warn, Fail, Skip} {
		if n := Count(all, state); n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, state))
		}
	}
	return strings.Join(parts, ", ")
}
