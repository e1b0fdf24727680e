package redact

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/must"
)

// recorded calls f with the messages of the transcripts in testdata, and of recordings of
// real agents if available.
func recorded(t *testing.T, f func(msg []byte)) {
	t.Helper()
	scripts, _ := filepath.Glob(filepath.Join("..", "..", "testdata", "*", "*.txtar"))
	if len(scripts) < 100 {
		t.Fatalf("%d scripts", len(scripts))
	}
	each := func(path string, f func(line []byte)) {
		data := must.Get(os.ReadFile(path))(t)
		for line := range bytes.Lines(data) {
			f(line)
		}
	}
	for _, path := range scripts {
		each(path, func(line []byte) {
			if at := bytes.IndexByte(line, '{'); at >= 0 && json.Valid(line[at:]) {
				f(bytes.TrimSpace(line[at:]))
			}
		})
	}
	dir := os.Getenv("ACP_TRANSCRIPT_DIR")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared", "acp", "transcripts")
	}
	recordings, _ := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if len(recordings) == 0 {
		t.Logf("no recordings in %s, set ACP_TRANSCRIPT_DIR", dir)
	}
	for _, path := range recordings {
		each(path, func(line []byte) {
			var entry struct{ Line string }
			if json.Unmarshal(line, &entry) == nil && json.Valid([]byte(entry.Line)) {
				f([]byte(entry.Line))
			}
		})
	}
}

// Messages of transcripts stay unchanged except for their secrets; one without any is
// unchanged byte for byte, also when it is embedded in a text.
func TestTranscripts(t *testing.T) {
	messages, changed := 0, 0
	recorded(t, func(msg []byte) {
		messages++
		out := JSON(nil, msg)
		if !json.Valid(out) {
			t.Fatalf("not JSON: %s\nfrom %s", out, msg)
		}
		sameShape(t, msg, out)
		if again := JSON(nil, out); !bytes.Equal(again, out) {
			t.Errorf("again, %s\nfrom %s", again, out)
		}
		if !bytes.Equal(msg, out) {
			changed++
		}
		if text := string(msg); Text(text) != text && bytes.Equal(msg, out) {
			t.Errorf("a secret is found in %.300s, but not member by member", strings.TrimSpace(text))
		}
	})
	if messages < 1000 || changed*20 > messages {
		t.Errorf("%d of %d messages have secrets", changed, messages)
	}
}
