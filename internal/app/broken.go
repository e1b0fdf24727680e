package app

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"parley/internal/atomicfile"
	"parley/internal/cli"
	"parley/internal/record"
	"parley/internal/redact"
	"parley/internal/safetext"
	"parley/internal/version"
	"parley/ui/guard"
)

// reportCrash reports an internal error of parley that ended it, and writes a crash report.
// It returns any other error unchanged.
func reportCrash(s cli.Streams, err error) error {
	var broke *guard.PanicError
	if !errors.As(err, &broke) {
		return err
	}
	report(s, err) // first, before the lines that name files
	for _, line := range writeCrashReport(broke, time.Now()) {
		fmt.Fprintln(s.Err, safetext.Clean(line))
	}
	return cli.ExitCode(1)
}

// writeCrashReport saves the stack of an internal error to a file only the user can read, and
// returns lines that name the file. If it cannot be written, the lines hold the report itself.
func writeCrashReport(b *guard.PanicError, now time.Time) (lines []string) {
	text := redact.Command(fmt.Sprintf("parley %s, %s, %s/%s\n%s\n\n%s\n", version.Name(), runtime.Version(), runtime.GOOS, runtime.GOARCH, b.What, b.Trace))
	path, err := crashReportPath(now)
	if err == nil {
		err = atomicfile.Write(path, []byte(text))
	}
	if err != nil {
		lines = append(lines, text, "cannot write the crash report: "+err.Error())
	} else {
		lines = append(lines, "crash report: "+path)
	}
	for _, log := range b.Logs {
		lines = append(lines, "log of the session: "+log)
	}
	return lines
}

// crashReportPath returns the path of a new file in the state directory.
func crashReportPath(now time.Time) (string, error) {
	state, err := record.StateDir()
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(state, 0o700); err != nil {
		return "", err
	}
	return filepath.Join(state, fmt.Sprintf("broken-%s-%d.txt", now.UTC().Format("20060102T150405Z"), os.Getpid())), nil
}
