//go:build linux

package main

import (
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// reportVar is the environment variable with the socket that an agent reports to.
const reportVar = "BENCH_PARLEY_REPORTS"

// report is a message from the agent: "begin" before the first byte of an answer, "mark" and a
// letter before it sends the chunk with that letter.
type report struct {
	what, detail string
	at           time.Time
}

// reporter is the agent's end of the socket. Without a socket it reports nothing.
type reporter struct{ conn net.Conn }

func dialReports() *reporter {
	conn, err := net.Dial("unixgram", os.Getenv(reportVar))
	if err != nil {
		return &reporter{}
	}
	return &reporter{conn}
}

func (r *reporter) tell(what, detail string) {
	if r.conn != nil {
		fmt.Fprintf(r.conn, "%s %s %d", what, detail, time.Now().UnixNano())
	}
}

// reports is the bench's end of the socket. One agent runs at a time.
type reports struct {
	path string
	conn *net.UnixConn
	in   chan report
}

func listen(path string) (*reports, error) {
	conn, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		return nil, fmt.Errorf("listen for reports of the agent: %w", err)
	}
	r := &reports{path, conn, make(chan report, 4096)}
	go r.read()
	return r, nil
}

func (r *reports) read() {
	defer close(r.in)
	buf := make([]byte, 256)
	for {
		n, err := r.conn.Read(buf)
		if err != nil {
			return
		}
		f := strings.Fields(string(buf[:n]))
		if len(f) != 3 {
			continue
		}
		ns, _ := strconv.ParseInt(f[2], 10, 64)
		r.in <- report{f[0], f[1], time.Unix(0, ns)}
	}
}

func (r *reports) close() { r.conn.Close() }

// forget drops the reports of earlier agents.
func (r *reports) forget() {
	for len(r.in) > 0 {
		<-r.in
	}
}

// wait returns the next report of one kind, and drops those before it.
func (r *reports) wait(what string) (report, error) {
	late := time.After(patience)
	for {
		select {
		case got := <-r.in:
			if got.what == what {
				return got, nil
			}
		case <-late:
			return report{}, fmt.Errorf("the agent has not reported %q", what)
		}
	}
}

// alphabet is a list of letters that do not occur in the corpus, one cell wide each.
type alphabet []rune

var (
	ends    = letters(unicode.Vai)                 // at the ends of answers
	streams = letters(unicode.Ethiopic)            // within a paced stream
	keys    = letters(unicode.Canadian_Aboriginal) // typed
)

func letters(table *unicode.RangeTable) (out alphabet) {
	for _, r := range table.R16 {
		for c := r.Lo; c <= r.Hi; c += r.Stride {
			if unicode.Is(unicode.Lo, rune(c)) {
				out = append(out, rune(c))
			}
		}
	}
	return out
}

func (a alphabet) at(i int) string { return string(a[i%len(a)]) }
