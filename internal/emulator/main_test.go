package emulator

import (
	"os"
	"testing"

	"parley/internal/glyphs"
)

// The tests are laid out for a terminal that measures by clusters, as the library does
// that they are compared with.
func TestMain(m *testing.M) {
	glyphs.Measure(true)
	os.Exit(m.Run())
}
