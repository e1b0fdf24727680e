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
	"parley/ui/guard"
)

// tellBroken says what there is to say of a screen that a mistake of parley's own
// has ended. Any other error is as it was.
func tellBroken(s cli.Streams, err error) error {
	var broke *guard.Broken
	if !errors.As(err, &broke) {
		return err
	}
	report(s, err) // before where there is more to read
	for _, line := range reportBroken(broke, time.Now()) {
		fmt.Fprintln(s.Err, safetext.Clean(line))
	}
	return cli.ExitCode(1)
}

// reportBroken writes down where a mistake of parley's own was, for the user alone
// to read, and returns the lines that say where that is. Where nothing can be
// written, what was to be written is said instead.
func reportBroken(b *guard.Broken, now time.Time) (lines []string) {
	text := redact.Command(fmt.Sprintf("parley %s, %s, %s/%s\n%s\n\n%s\n", cli.Version(), runtime.Version(), runtime.GOOS, runtime.GOARCH, b.What, b.Trace))
	path, err := brokenPath(now)
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

// brokenPath is a file of the state directory that is not there yet.
func brokenPath(now time.Time) (string, error) {
	state, err := record.StateDir()
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(state, 0o700); err != nil {
		return "", err
	}
	return filepath.Join(state, fmt.Sprintf("broken-%s-%d.txt", now.UTC().Format("20060102T150405Z"), os.Getpid())), nil
}
