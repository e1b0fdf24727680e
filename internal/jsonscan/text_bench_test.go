package jsonscan

import (
	"encoding/json"
	"strings"
	"testing"
)

// prose has what texts have: lines, quotes, and scripts that need more than a byte
// a letter.
var prose = strings.Repeat("It reads **one token** at a time and keeps `pos`, so that an error can say \"where\" it was.\n\n- 第二点は日本語で書かれている 🎉\n", 5)

func BenchmarkText(b *testing.B) {
	raw, _ := json.Marshal(prose)
	b.SetBytes(int64(len(raw)))
	for b.Loop() {
		Text(raw)
	}
}
