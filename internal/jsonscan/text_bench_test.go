package jsonscan

import (
	"encoding/json"
	"strings"
	"testing"
)

// prose is like usual text: lines, quotes, and scripts with multi-byte letters.
var prose = strings.Repeat("It reads **one token** at a time and keeps `pos`, so that an error can say \"where\" it was.\n\n- 第二点は日本語で書かれている 🎉\n", 5)

func BenchmarkText(b *testing.B) {
	raw, _ := json.Marshal(prose)
	b.SetBytes(int64(len(raw)))
	for b.Loop() {
		Text(raw)
	}
}
