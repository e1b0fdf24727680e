package cli

import (
	"fmt"
	"sync"
	"time"

	"parley/acpclient"
	"parley/acpclient/event"
	"parley/internal/agents"
	"parley/internal/record"
)

// Limits of all session logs together. The least recently used are removed first.
const (
	maxRecords     = 200
	maxRecordBytes = 512 << 20
)

// Record is the log of the messages exchanged with an agent. It continues over reconnects. Safe for
// use by several goroutines.
type Record struct {
	w       *record.Writer // nil if no log is written
	numbers acpclient.Numbers
	log     *event.Log
	ended   sync.Once
}

// record starts the log of a session, of a chat or a run, unless the configuration turns logs off. If the log cannot be
// written, the session runs without it and a warning is shown.
func (s *Setup) record(a agents.Agent, place Directories, log *event.Log, run bool) *Record {
	r := &Record{log: log}
	if s.Config.Record != nil && !*s.Config.Record {
		return r
	}
	dir, err := record.Dir()
	if err != nil {
		s.warn(log, notKept("no log of this session is kept", err))
		return r
	}
	r.w, err = record.Create(dir, record.Meta{Agent: a.Name, Command: a.CommandLine(), Cwd: place.Cwd, Roots: place.Roots, Started: time.Now(), Run: run},
		record.Options{Failed: func(err error) { s.warn(log, notKept("the log of this session is incomplete", err)) }})
	if err != nil {
		s.warn(log, notKept("no log of this session is kept", err))
		return r
	}
	log.Add(event.LogClient, "log of this session: "+r.w.Path())
	go record.Prune(dir, maxRecordBytes, maxRecords)
	return r
}

// tap returns a tap that logs the messages of a connection; nil if no log is written.
func (r *Record) tap() acpclient.Tap {
	if r.w == nil {
		return nil
	}
	return func(out bool, n uint64, data []byte) {
		dir := record.In
		if out {
			dir = record.Out
		}
		r.w.Message(dir, n, data)
	}
}

// introduced records the name the agent reports and the protocol version in use.
func (r *Record) introduced(info event.AgentInfo) {
	if r.w != nil {
		r.w.Update(func(m *record.Meta) { m.Name, m.Protocol = info.Label(), info.ProtocolVersion })
	}
}

// Close closes the log, once, and notes a write failure in the event log.
func (r *Record) Close() {
	r.ended.Do(func() {
		if r.w == nil {
			return
		}
		if err := r.w.Close(); err != nil {
			r.log.Add(event.LogClient, fmt.Sprintf("the log of this session is incomplete: %v", err))
		}
	})
}

// Path returns the path of the log, "" if none is written.
func (r *Record) Path() string {
	if r.w == nil {
		return ""
	}
	return r.w.Path()
}
