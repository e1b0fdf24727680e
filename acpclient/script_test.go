package acpclient_test

import (
	"flag"
	"path/filepath"
	"strings"
	"testing"

	"parley/acpclient/acptest"
)

var _ = flag.Bool("update", false, "rewrite the expectations of scripts")

const scripts = "../testdata/acp"

// TestScripts plays every script to the engine. The file names have the number of the
// case, or the peculiarity of a real agent.
func TestScripts(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(scripts, "*.txtar"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			archive := acptest.Read(t, path)
			r := acptest.Run(t, archive)
			acptest.Golden(t, path, archive, "events", r.Lines)
			acptest.Golden(t, path, archive, "log", r.Log)
			checkSent(t, r)
		})
	}
}
