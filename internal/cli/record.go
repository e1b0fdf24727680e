package cli

import (
	"fmt"
	"time"

	"parley/acpclient"
	"parley/internal/agents"
	"parley/internal/record"
)

// Bounds of all session logs together; the oldest go first.
const (
	maxRecords     = 200
	maxRecordBytes = 512 << 20
)

// record begins the log of a session, unless the configuration says not to. A
// log that cannot be written is no reason not to talk: that is noted, and the
// tap is nil.
func (s *Setup) record(a agents.Agent, place Place, log *acpclient.Log) (*record.Writer, acpclient.Tap) {
	if s.Config.Record != nil && !*s.Config.Record {
		return nil, nil
	}
	dir, err := record.Dir()
	if err != nil {
		s.warn(log, notKept("no log of this session is kept", err))
		return nil, nil
	}
	w, err := record.Create(dir, record.Meta{Agent: a.Name, Command: a.CommandLine(), Cwd: place.Cwd, Roots: place.Roots, Started: time.Now()},
		record.Options{Failed: func(err error) { s.warn(log, notKept("the log of this session ends before its end", err)) }})
	if err != nil {
		s.warn(log, notKept("no log of this session is kept", err))
		return nil, nil
	}
	log.Add(acpclient.LogClient, "the log of this session: "+w.Path())
	go record.Prune(dir, maxRecordBytes, maxRecords)
	return w, func(out bool, n uint64, data []byte) {
		dir := record.In
		if out {
			dir = record.Out
		}
		w.Message(dir, n, data)
	}
}

// introduced notes in a log which version of the protocol is spoken.
func introduced(w *record.Writer, info acpclient.AgentInfo) {
	if w != nil {
		w.Update(func(m *record.Meta) { m.Protocol = info.ProtocolVersion })
	}
}

// closeRecord ends a log and says what went wrong with it.
func closeRecord(w *record.Writer, log *acpclient.Log) {
	if w == nil {
		return
	}
	if err := w.Close(); err != nil {
		log.Add(acpclient.LogClient, fmt.Sprintf("the log of this session is not whole: %v", err))
	}
}

// RecordPath is the file of the log of what is said; "" where none is written.
func (c *Connection) RecordPath() string {
	if c.recorder == nil {
		return ""
	}
	return c.recorder.Path()
}
