package event

import (
	"sync"
	"time"
)

// LogSource says where a log line is from.
type LogSource string

// The sources of log lines.
const (
	LogStderr   LogSource = "stderr"   // the agent's stderr
	LogProtocol LogSource = "protocol" // what the agent sent and nobody could use
	LogClient   LogSource = "parley"
)

// LogLine is one line of the log, safe to show.
type LogLine struct {
	At     time.Time
	Source LogSource
	Text   string
}

// maxLogLines bounds a Log; the oldest go first.
const maxLogLines = 2000

// Log keeps what went on beside the conversation, newest last, bounded. Safe
// for use by several goroutines.
type Log struct {
	mu    sync.Mutex
	lines []LogLine
	total int
}

// NewLog returns an empty log.
func NewLog() *Log { return &Log{} }

// Add appends a line, which must be safe to show already.
func (l *Log) Add(source LogSource, text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.total++
	l.lines = append(l.lines, LogLine{time.Now(), source, text})
	if len(l.lines) > 2*maxLogLines {
		l.lines = append(l.lines[:0:0], l.lines[len(l.lines)-maxLogLines:]...)
	}
}

// Lines returns a copy of what is kept, and how many lines there have been.
func (l *Log) Lines() ([]LogLine, int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	kept := l.lines
	if len(kept) > maxLogLines {
		kept = kept[len(kept)-maxLogLines:]
	}
	return append([]LogLine(nil), kept...), l.total
}
