//go:build linux

package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// screens are the environment variables with the paths of peers that have a screen. They start
// unconfigured, with empty directories.
var screens = []string{"PEER_CRUSH", "PEER_OPENCODE", "PEER_QWEN"}

// headlessPeer is the variable of an ACP client without a screen, which runs the same agent.
const headlessPeer = "PEER_ACPX"

// peerName returns a peer's name in the table.
func peerName(variable string) string {
	return strings.ToLower(strings.TrimPrefix(variable, "PEER_"))
}

// peerStarts measures one start of each peer against parley's, in milliseconds.
func (b *bench) peerStarts(own float64) error {
	for _, variable := range screens {
		path := os.Getenv(variable)
		if path == "" {
			continue
		}
		s, err := b.begin([]string{path})
		if err != nil {
			return fmt.Errorf("%s: %w", peerName(variable), err)
		}
		s.close()
		b.table.beside("start: the same, beside "+peerName(variable), "ms", own, peerName(variable), millis(s.first))
	}
	return nil
}

// peerRun measures one prompt against the time that parley took.
func (b *bench) peerRun(own time.Duration) error {
	path := os.Getenv(headlessPeer)
	if path == "" {
		return nil
	}
	r, _, err := b.ask(path, "--agent", strings.Join(b.agent(), " "), "exec", "hello t=1")
	if err != nil {
		return fmt.Errorf("%s: %w", peerName(headlessPeer), err)
	}
	b.table.beside("run: the same, beside "+peerName(headlessPeer), "ms", millis(own), peerName(headlessPeer), millis(r.wall))
	return nil
}

// peers lists the peers that were not measured.
func (b *bench) peers(w io.Writer) {
	var absent []string
	for _, variable := range append(screens[:len(screens):len(screens)], headlessPeer) {
		if os.Getenv(variable) == "" {
			absent = append(absent, variable)
		}
	}
	if len(absent) > 0 {
		fmt.Fprintf(w, "peers absent (no path in the environment): %s\n", strings.Join(absent, ", "))
	}
}
