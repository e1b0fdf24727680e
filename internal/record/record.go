// Package record writes and reads the wire logs: one file of JSON lines for each session of
// parley, private to the user, bounded and without secrets.
//
// The first line is the Meta with the version of the format; the others are messages, later
// metas, or gaps:
//
//	{"parley":1,"agent":"claude",...}
//	{"t":"2026-01-02T03:04:05.678Z","dir":"in","n":1,"msg":{"jsonrpc":"2.0",...}}
//	{"meta":{...},"t":"..."}
//	{"t":"...","gap":12}
//	{"t":"...","gap":"limit"}
//
// Only the newest meta follows the limit, so a full log still lists its sessions and when
// each was used.
//
// "n" is the number of a received message in the log, counting those that are missing. A
// log holds one connection, or several if lost ones were replaced; each begins with the
// request initialize. The later metas name the sessions.
//
// A Writer copies messages into a bounded queue and never waits for the disk; its goroutine
// redacts and writes. If the queue is full, messages are dropped and counted in a gap. The
// first error ends the writing and is reported by Err; the session continues without its
// log.
//
// Package redact removes the secrets of each message.
package record

import (
	"encoding/json"
	"errors"
	"time"

	"parley/internal/redact"
	"parley/internal/words"
)

// Errors of the package, to be matched with errors.Is.
var (
	ErrNotRecord = errors.New("record: not a log of parley")
	ErrBusy      = errors.New("record: still writing")
)

const (
	version      = 1
	defaultBytes = 32 << 20 // of a file
	defaultQueue = 8 << 20  // of messages waiting for the disk
	maxLine      = 64 << 20 // of one line
	suffix       = ".jsonl"

	maxMeta  = 24 << 10 // of an encoded Meta; must fit into window
	window   = 64 << 10 // read from the head and the tail of a file to list it
	spacing  = 32 << 10 // at most between two meta lines once there is something to repeat
	maxTitle = 512      // bytes of a title given by an agent
	maxID    = 1 << 10  // bytes of the id of a session
	maxField = 4 << 10  // bytes of any other text
)

// Direction is where a message came from.
type Direction string

// In is from the agent, Out to it, Err from its standard error. Gap is not a message: its
// data is the number of missing messages, or "limit" if the file was full.
const (
	In  Direction = "in"
	Out Direction = "out"
	Err Direction = "err"
	Gap Direction = "gap"
)

// Meta describes the log. Ids, titles and paths are as the peer or the user gave them, so
// they are not safe for a terminal.
type Meta struct {
	Agent    string    `json:"agent,omitempty"`
	Name     string    `json:"name,omitempty"` // the name that the agent reports
	Command  string    `json:"command,omitempty"`
	Cwd      string    `json:"cwd,omitempty"` // the directory the agent was started in
	Roots    []string  `json:"roots,omitempty"`
	Started  time.Time `json:"started"`
	Protocol int       `json:"protocol,omitempty"`
	Run      bool      `json:"run,omitempty"` // without a chat: parley run or compare
	// SideSessions are the ids of sessions that answered side questions: they belong to another one.
	SideSessions []string `json:"sideSessions,omitempty"`
	// Sessions are those of the connection, the newest first, as many as fit. The Writer
	// finds them in the messages and ignores what a caller sets.
	Sessions []Session `json:"sessions,omitempty"`
}

// Line is one line of a log.
type Line struct {
	At  time.Time
	Dir Direction
	N   uint64 // number of a received message; 0 for others and in older logs
	// Data is the whole JSON-RPC message, or a JSON string for text that was not JSON and
	// for standard error.
	Data json.RawMessage
}

// Options bound a Writer; zero values mean the defaults.
type Options struct {
	MaxBytes   int64 // bytes of the file; 32 MiB, at least 4 KiB
	QueueBytes int   // bytes of messages waiting for the disk; 8 MiB
	// Failed, if not nil, is called once with the error that ends the writing before Close,
	// on a goroutine of the Writer.
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
	m.Agent, m.Name, m.Command, m.Cwd = words.Clip(m.Agent, maxField), words.Clip(m.Name, 128), words.Clip(redact.Command(m.Command), maxField), words.Clip(m.Cwd, maxField)
	m.Started = m.Started.UTC()
	if y := m.Started.Year(); y < 0 || y > 9999 { // JSON has no such year
		m.Started = time.Time{}
	}
	data, fits := m.marshal()
	if !fits {
		m.Roots = nil
		data, fits = m.marshal()
	}
	if !fits { // escapes made it longer
		m = Meta{Agent: words.Clip(m.Agent, 128), Started: m.Started, Protocol: m.Protocol, Sessions: m.Sessions}
		data, _ = m.marshal()
	}
	return data
}

func (m Meta) marshal() (data []byte, fits bool) {
	data, err := json.Marshal(m)
	if err != nil { // impossible: JSON can encode any Meta
		return []byte("{}"), true
	}
	data = redact.JSON(nil, data)
	return data, len(data) <= maxMeta
}
