// Package record keeps wire logs of sessions: one file for each session of
// parley, of JSON lines, private to the user, bounded and without secrets.
//
// The first line is the Meta with the version of the format, the others are
// messages, later metas, or gaps:
//
//	{"parley":1,"agent":"claude",...}
//	{"t":"2026-01-02T03:04:05.678Z","dir":"in","n":1,"msg":{"jsonrpc":"2.0",...}}
//	{"meta":{...},"t":"..."}
//	{"t":"...","gap":12}
//	{"t":"...","gap":"limit"}
//
// After the limit comes only the newest meta, so that a full log still tells which
// sessions there are and when each was used.
//
// "n" is the ordinal of a received message among all of the log, those that are
// missing included. A log holds one connection, or several where one took the place
// of another that was lost: each begins with the request initialize. The sessions of
// them are told by the later metas.
//
// A Writer copies what it is given into a bounded queue and never waits for a
// disk; one goroutine of its own redacts and writes. Where the queue is full,
// messages are dropped and their number stands in their place. The first error
// ends the writing and is kept; the session goes on without its log.
//
// Secrets are taken out by package redact, of each message by itself.
package record

import (
	"encoding/json"
	"errors"
	"strings"
	"time"
	"unicode/utf8"

	"parley/internal/redact"
)

// Sentinels of the package.
var (
	ErrNotRecord = errors.New("record: not a log of parley")
	ErrClosed    = errors.New("record: closed")
	ErrBusy      = errors.New("record: still writing")
)

const (
	version      = 1
	defaultBytes = 32 << 20 // of a file
	defaultQueue = 8 << 20  // of messages that wait for the disk
	maxLine      = 64 << 20 // of one line, read or written
	suffix       = ".jsonl"

	maxMeta  = 24 << 10 // of an encoded Meta; must fit into window
	window   = 64 << 10 // read of the head and of the tail of a file to list it
	spacing  = 32 << 10 // at most between two meta lines once there is something to repeat
	maxTitle = 512      // bytes of the title an agent gives
	maxID    = 1 << 10  // bytes of the id of a session
	maxField = 4 << 10  // bytes of any other text
)

// Direction tells where a message came from.
type Direction string

// In is from the agent, Out to it, Err from its standard error; Gap is no
// message: its data is the number of messages that are missing, or "limit" where
// the file was full.
const (
	In  Direction = "in"
	Out Direction = "out"
	Err Direction = "err"
	Gap Direction = "gap"
)

// Meta says what a file is the log of. An id, a title or a path in it is as the
// peer or the user gave it: not safe for a terminal.
type Meta struct {
	Agent    string    `json:"agent,omitempty"`
	Name     string    `json:"name,omitempty"` // what the agent calls itself
	Command  string    `json:"command,omitempty"`
	Cwd      string    `json:"cwd,omitempty"` // where the agent was started
	Roots    []string  `json:"roots,omitempty"`
	Started  time.Time `json:"started"`
	Protocol int       `json:"protocol,omitempty"`
	// Sessions are those of the connection, the newest first and no more than fit:
	// the Writer finds them in the messages, whatever a caller says of them.
	Sessions []Session `json:"sessions,omitempty"`
}

// Line is one line of a log.
type Line struct {
	At  time.Time
	Dir Direction
	N   uint64 // ordinal of a received message; 0 for others and in older logs
	// Data is the whole JSON-RPC message; a JSON string for what was no JSON and
	// for standard error.
	Data json.RawMessage
}

// Options bound a Writer; zero values mean the defaults.
type Options struct {
	MaxBytes   int64 // of the file; 32 MiB, at least 4 KiB
	QueueBytes int   // of messages waiting for the disk; 8 MiB
	// Failed is told the error that ends the writing before Close does, once, on a
	// goroutine of the Writer's; nil: nobody is.
	Failed func(error)
}

func (o Options) orDefault() Options {
	if o.MaxBytes <= 0 {
		o.MaxBytes = defaultBytes
	}
	o.MaxBytes = max(o.MaxBytes, 4<<10)
	if o.QueueBytes <= 0 {
		o.QueueBytes = defaultQueue
	}
	return o
}

// encode returns m as bounded JSON without secrets.
func (m Meta) encode() []byte {
	m.Agent, m.Name, m.Command, m.Cwd = clip(m.Agent, maxField), clip(m.Name, 128), clip(redact.Command(m.Command), maxField), clip(m.Cwd, maxField)
	m.Started = m.Started.UTC()
	if y := m.Started.Year(); y < 0 || y > 9999 { // has no JSON
		m.Started = time.Time{}
	}
	data, fits := m.marshal()
	if !fits {
		m.Roots = nil
		data, fits = m.marshal()
	}
	if !fits { // escapes made it long
		m = Meta{Agent: clip(m.Agent, 128), Started: m.Started, Protocol: m.Protocol, Sessions: m.Sessions}
		data, _ = m.marshal()
	}
	return data
}

func (m Meta) marshal() (data []byte, fits bool) {
	data, err := json.Marshal(m)
	if err != nil { // there is nothing in a Meta that JSON cannot say
		return []byte("{}"), true
	}
	data = redact.JSON(nil, data)
	return data, len(data) <= maxMeta
}

func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return strings.Clone(s[:n])
}
