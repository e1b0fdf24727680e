// Package version names this build: by what Go has recorded in the program, and for builds from an archive
// of the source, where that is missing, by what the linker was told.
package version

import (
	"runtime"
	"runtime/debug"
	"strings"
	"time"
)

// linked is the version that the linker sets, as in
// go build -ldflags "-X parley/internal/version.linked=v1.2.3".
var linked string

// Name returns the version, such as "v1.2.3"; "dev" if nobody has given it one.
func Name() string { return name(read()) }

// Long returns the version with the commit, its date and the Go that built it, as far as they are known, for
// a line that starts with the program's name.
func Long() string { return long(read()) }

func read() *debug.BuildInfo {
	if info, ok := debug.ReadBuildInfo(); ok {
		return info
	}
	return &debug.BuildInfo{GoVersion: runtime.Version()}
}

func name(info *debug.BuildInfo) string {
	switch {
	case linked != "":
		return linked
	case info.Main.Version != "" && info.Main.Version != "(devel)":
		return info.Main.Version
	}
	return "dev"
}

func long(info *debug.BuildInfo) string {
	var parts []string
	if commit := setting(info, "vcs.revision"); commit != "" {
		commit = "commit " + commit[:min(len(commit), 12)]
		if setting(info, "vcs.modified") == "true" {
			commit += " with changes"
		}
		parts = append(parts, commit)
	}
	if day := date(info); !day.IsZero() {
		parts = append(parts, day.Format(time.DateOnly))
	}
	parts = append(parts, info.GoVersion, runtime.GOOS+"/"+runtime.GOARCH)
	return name(info) + " (" + strings.Join(parts, ", ") + ")"
}

// Date returns when what was built was committed; zero if that is not known.
func Date() time.Time { return date(read()) }

func date(info *debug.BuildInfo) time.Time {
	t, _ := time.Parse(time.RFC3339, setting(info, "vcs.time"))
	return t
}

func setting(info *debug.BuildInfo, key string) string {
	for _, s := range info.Settings {
		if s.Key == key {
			return s.Value
		}
	}
	return ""
}
