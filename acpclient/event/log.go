package event

import (
	"sync"
	"time"
)

// LogSource says where a log line comes from.
type LogSource string

// The sources of log lines.
const (
	LogStderr   LogSource = "stderr"   // the agent's stderr
	LogProtocol LogSource = "protocol" // messages that could not be used
	LogClient   LogSource = "parley"
)

// LogLine is one line of the log, safe to show.
type LogLine struct {
	At     time.Time
	Source LogSource
	Text   string
}

// maxLogLines bounds a Log; the oldest lines are dropped.
const maxLogLines = 2000

// Log holds the lines that are not part of a conversation, newest last and bounded. It
// is safe for use by several goroutines.
type Log struct {
	mu    sync.Mutex
	lines []LogLine
	total int
}

// NewLog returns an empty log.
func NewLog() *Log { return &Log{} }

// Add appends a line, which must already be safe to show.
func (l *Log) Add(source LogSource, text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.total++
	l.lines = append(l.lines, LogLine{time.Now(), source, text})
	if len(l.lines) > 2*maxLogLines {
		l.lines = append(l.lines[:0:0], l.lines[len(l.lines)-maxLogLines:]...)
	}
}

// Lines returns a copy of the lines in the log, and how many lines were ever added.
func (l *Log) Lines() ([]LogLine, int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	kept := l.lines
	if len(kept) > maxLogLines {
		kept = kept[len(kept)-maxLogLines:]
	}
	return append([]LogLine(nil), kept...), l.total
}

// Total returns how many lines were ever added.
func (l *Log) Total() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.total
}
