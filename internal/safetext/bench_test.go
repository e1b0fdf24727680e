package safetext

import (
	"strings"
	"testing"
)

func BenchmarkClean(b *testing.B) {
	for _, bb := range []struct{ name, text string }{
		{"chunk20", "twenty bytes of text"},
		{"ascii", strings.Repeat("A line of prose as agents write it, with code().\n", 2000)},
		{"cjk", strings.Repeat("你好世界，这是一个测试。\n", 3000)},
		{"emoji", strings.Repeat("done 🎉 and — “quoted” — é\n", 3000)},
		{"coloured", strings.Repeat("\x1b[32mok\x1b[0m  parley/ui 0.3s\n", 3000)},
	} {
		b.Run(bb.name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(bb.text)))
			for b.Loop() {
				Clean(bb.text)
			}
		})
	}
}
