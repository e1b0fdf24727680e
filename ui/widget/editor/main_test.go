package editor

import (
	"os"
	"testing"

	"parley/internal/glyphs"
)

// The tests measure text by grapheme clusters, as the library that they compare with does.
func TestMain(m *testing.M) {
	glyphs.Measure(true)
	os.Exit(m.Run())
}
