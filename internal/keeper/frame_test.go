package keeper

import (
	"bufio"
	"bytes"
	"slices"
	"strings"
	"testing"

	"parley/internal/must"
)

func TestFrames(t *testing.T) {
	var wire bytes.Buffer
	for _, content := range []string{"", "x", strings.Repeat("y", maxFrame)} {
		must.Do(t, writeFrame(&wire, inputFrame, []byte(content)))
	}
	r := bufio.NewReader(&wire)
	var buffer []byte
	for _, want := range []int{0, 1, maxFrame} {
		kind, content, b, err := readFrame(r, buffer)
		if buffer = b; kind != inputFrame || len(content) != want || err != nil {
			t.Errorf("got %c with %d bytes, %v; want %d", kind, len(content), err, want)
		}
	}
	for _, bad := range []string{"", "I", "I\x00\x00\x00\x02x", "I\xff\xff\xff\xff", "I\x00\x01\x00\x01" + strings.Repeat("z", maxFrame+1)} {
		if _, _, _, err := readFrame(bufio.NewReader(strings.NewReader(bad)), nil); err == nil {
			t.Errorf("%.10q is a frame", bad)
		}
	}
	for _, size := range [][2]int{{1, 1}, {80, 24}, {65535, 65535}} {
		if cols, rows := sizeOf(sizeContent(size[0], size[1])); cols != size[0] || rows != size[1] {
			t.Errorf("%v became %d, %d", size, cols, rows)
		}
	}
	if cols, rows := sizeOf([]byte("x")); cols != 0 || rows != 0 {
		t.Errorf("a size of %d, %d", cols, rows)
	}
}

// Only the variables of a terminal travel.
func TestVariables(t *testing.T) {
	got := ofTerminal([]string{"TERM=x", "SECRET=1", "SSH_AUTH_SOCK=/s", "TERMINAL=2", "NO_COLOR"})
	if want := []string{"TERM=x", "SSH_AUTH_SOCK=/s", "NO_COLOR"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
