package smallfile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/must"
)

func TestRead(t *testing.T) {
	dir := t.TempDir()
	must.Do(t, os.WriteFile(filepath.Join(dir, "file"), []byte("12345"), 0o600))
	for _, c := range []struct {
		name string
		most int
		want string
	}{{"file", 5, "12345"}, {"file", 4, "larger than 4 bytes"}, {"none", 4, "no such file"}, {".", 4, "not a regular file"}} {
		data, err := Read(filepath.Join(dir, c.name), c.most)
		got := string(data)
		if err != nil {
			got += Cause(err).Error()
		}
		if !strings.HasPrefix(got, c.want) || strings.Contains(got, dir) {
			t.Errorf("%s, at most %d bytes: got %q, want %q", c.name, c.most, got, c.want)
		}
	}
}
