package version

import (
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
)

func TestVersion(t *testing.T) {
	built := func(version string, settings ...string) *debug.BuildInfo {
		info := &debug.BuildInfo{GoVersion: "go1.26.0", Main: debug.Module{Version: version}}
		for _, s := range settings {
			key, value, _ := strings.Cut(s, "=")
			info.Settings = append(info.Settings, debug.BuildSetting{Key: key, Value: value})
		}
		return info
	}
	system := ", " + runtime.GOOS + "/" + runtime.GOARCH + ")"
	for _, c := range []struct {
		linked     string
		info       *debug.BuildInfo
		name, long string
	}{
		{"", built(""), "dev", "dev (go1.26.0"},
		{"", built("(devel)"), "dev", "dev (go1.26.0"},
		{"", built("v1.2.3", "vcs.revision=0123456789abcdef0123", "vcs.time=2026-11-28T10:00:00Z", "vcs.modified=false"), "v1.2.3", "v1.2.3 (commit 0123456789ab, 2026-11-28, go1.26.0"},
		{"", built("v1.2.3+dirty", "vcs.revision=0123", "vcs.modified=true"), "v1.2.3+dirty", "v1.2.3+dirty (commit 0123 with changes, go1.26.0"},
		{"v2.0.0", built("(devel)"), "v2.0.0", "v2.0.0 (go1.26.0"},
	} {
		linked = c.linked
		if got := name(c.info); got != c.name {
			t.Errorf("got %s, want %s", got, c.name)
		}
		if got := long(c.info); got != c.long+system {
			t.Errorf("got %s, want %s", got, c.long+system)
		}
	}
	linked = ""
	if got := Long(); !strings.HasPrefix(got, Name()+" (") || !strings.Contains(got, runtime.Version()) {
		t.Errorf("this test is %s", got)
	}
}
