package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"time"

	"parley/acpclient"
	"parley/acpclient/event"
	"parley/internal/record"
	"parley/internal/safetext"
	"parley/internal/workspace"
)

// ErrNoLog is returned by Messages if no log is written.
var ErrNoLog = errors.New("this session has no log: logs are off (record = false) or could not be written")

// ErrLogFull is returned by Messages if the log reached its size limit before the messages.
var ErrLogFull = errors.New("the log of this session was full before this entry")

// logged is a session of which parley has logs, one for each time it was opened.
type logged struct {
	workspace.Logged
	titled bool // Title is the agent's
	begun  bool // it has a conversation
	files  []loggedFile
}

// loggedFile is one log. The files of a session are ordered by start time.
type loggedFile struct {
	path     string
	started  time.Time
	protocol int
}

// Logs returns the sessions in a directory of logs (record.Dir) that have a conversation, the
// last used first. It reads only the ends of the files.
func Logs(dir string) ([]workspace.Logged, error) {
	entries, err := record.List(dir)
	if err != nil {
		return nil, err
	}
	type key struct{ agent, dir, session string } // an agent may number its sessions per directory
	found := map[key]*logged{}
	for _, e := range entries { // newest first
		for _, s := range e.Sessions {
			if slices.Contains(e.SideSessions, s.ID) {
				continue
			}
			k := key{e.Agent, cmp.Or(s.Cwd, e.Cwd), s.ID}
			if found[k] == nil {
				found[k] = &logged{Logged: workspace.Logged{Agent: safetext.Line(e.Agent, 80), Session: s.ID, Cwd: safetext.Line(k.dir, 1000), Dir: k.dir, Run: true, Name: safetext.Line(e.Name, 80), Command: e.Command}}
			}
			found[k].add(e, s)
		}
	}
	var all []workspace.Logged
	for _, g := range found {
		if !g.begun {
			continue
		}
		slices.SortFunc(g.files, func(a, b loggedFile) int { return cmp.Or(a.started.Compare(b.started), cmp.Compare(a.path, b.path)) })
		g.Replay, g.Search, g.Messages = g.replay, g.search, g.messages
		all = append(all, g.Logged)
	}
	slices.SortFunc(all, func(a, b workspace.Logged) int {
		return cmp.Or(b.Updated.Compare(a.Updated), cmp.Compare(a.Agent, b.Agent), cmp.Compare(a.Session, b.Session), cmp.Compare(a.Dir, b.Dir))
	})
	return all, nil
}

// add merges what a log says about the session. Logs are added newest first.
func (g *logged) add(e record.Entry, s record.Session) {
	g.Prompts += s.Prompts
	g.begun, g.Run = g.begun || s.Begun(), g.Run && e.Run
	g.files = append(g.files, loggedFile{e.Path, e.Started, e.Protocol})
	used := s.Used
	if used.IsZero() || len(e.Sessions) == 1 {
		used = e.Updated
	}
	if used.After(g.Updated) {
		g.Updated = used
	}
	switch {
	case g.titled: // a newer log has the agent's title
	case s.Title != "":
		g.Title, g.titled = safetext.Line(s.Title, 200), true
	case s.First != "":
		g.Title = safetext.Line(s.First, 200)
	}
	if s.First != "" { // the oldest log wins
		g.First = safetext.Line(s.First, 200)
	}
}

// replay posts the events of the session, as acpclient.Replay does, and returns at the end. It
// starts at the last point where the agent replayed the whole conversation, since that repeats
// everything before it. If a log cannot be read completely, the rest is posted and the error returned.
// Ordinals and request ids are only valid for messages: they include the number of the file.
func (g *logged) replay(ctx context.Context, sink event.Sink) error {
	var told [][]event.Event // by file, newest first
	var failed error
	for i := len(g.files) - 1; i >= 0; i-- {
		events, err := g.replayFile(ctx, i)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil && failed == nil {
			failed = err
		}
		events, whole := sinceWhole(events)
		told = append(told, events)
		if whole {
			break
		}
	}
	for _, events := range slices.Backward(told) {
		for _, e := range events {
			sink.Post(e)
		}
	}
	return failed
}

// fileShift is the bit from which ordinals and request ids hold the file's number. No connection
// has that many messages.
const fileShift = 40

// replayFile returns the events of one log.
func (g *logged) replayFile(ctx context.Context, i int) ([]event.Event, error) {
	file := g.files[i]
	r, err := record.Open(file.path)
	if errors.Is(err, fs.ErrNotExist) { // removed by pruning
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer r.Close()
	queue := event.NewQueue()
	replay := acpclient.NewReplay(g.Session, file.protocol, queue)
	for lines := 0; ; lines++ {
		if lines%1000 == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		l, err := r.Next()
		if err != nil {
			replay.End()
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return ofFile(queue.Drain(), i), err
		}
		switch {
		case l.Dir == record.Gap:
			missing, _ := strconv.Atoi(string(l.Data))
			replay.Gap(l.At, missing, missing == 0)
		case l.Dir == record.In && l.N > 0:
			replay.Message(l.At, false, l.N+uint64(i)<<fileShift, l.Data)
		case l.Dir != record.Err:
			replay.Message(l.At, l.Dir == record.Out, 0, l.Data)
		}
	}
}

// ofFile adds the file's number to request ids.
func ofFile(events []event.Event, i int) []event.Event {
	for n, e := range events {
		switch e := e.(type) {
		case event.TurnStarted:
			if e.Request != 0 {
				e.Request += int64(i) << fileShift
			}
			events[n] = e
		case event.PromptHeld:
			e.Request += int64(i) << fileShift
			events[n] = e
		}
	}
	return events
}

// sinceWhole drops the events before the last replay of the whole conversation, unless that replay
// was empty. Some agents send the replay only after they have declared it finished.
func sinceWhole(events []event.Event) (rest []event.Event, whole bool) {
	from, began := 0, -1
	told, ended := false, false
	for i, e := range events {
		switch e := e.(type) {
		case event.HistoryBegan:
			began, told, ended = i, false, false
		case event.HistoryEnded:
			if ended = true; e.Err != nil {
				began = -1
			}
		case event.TurnStarted:
			if !e.SeparatePrompts {
				began = -1
			}
		case event.PromptHeld:
			began = -1
		case event.TextArrived, event.ContentArrived, event.ToolChanged, event.MessageReplaced:
			told = true
		}
		if began >= 0 && told && ended {
			from, began, whole = began, -1, true
		}
	}
	return events[from:], whole
}

// messages returns the messages that produced an item of a replayed session (thread.Item: Wire and
// Request): what the agent sent, the request with its answer, and the answers to the agent's
// requests.
func (g *logged) messages(ctx context.Context, session string, spans []event.Span, request int64) (found []workspace.Message, err error) {
	for i, file := range g.files {
		var of []event.Span
		low := uint64(i) << fileShift
		for _, s := range spans {
			if s.First>>fileShift == uint64(i) {
				of = append(of, event.Span{First: s.First - low, Last: min(s.Last-low, 1<<fileShift-1)})
			}
		}
		id := int64(0)
		if request>>fileShift == int64(i) {
			id = request & (1<<fileShift - 1)
		}
		if len(of) == 0 && id == 0 {
			continue
		}
		more, err := loggedMessages(ctx, file.path, cmp.Or(session, g.Session), of, id)
		if err != nil {
			return found, err
		}
		found = append(found, more...)
	}
	return found, nil
}

// HideLog leaves a session, which answers side questions, out of Logs.
func (c *Connection) HideLog(session string) {
	if w := c.Record.w; w != nil {
		w.Update(func(m *record.Meta) { m.SideSessions = append(slices.Clip(m.SideSessions), session) })
	}
}

// Messages is like Logged.Messages, for an item of a live session: it reads the log being written. It
// returns ErrNoLog if there is none. It may be called after Close.
func (c *Connection) Messages(ctx context.Context, session string, spans []event.Span, request int64) (found []workspace.Message, err error) {
	if c.Record.w == nil {
		return nil, ErrNoLog
	}
	broken := c.Record.w.Sync(ctx)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	found, err = loggedMessages(ctx, c.Record.Path(), session, spans, request)
	if len(found) == 0 && broken != nil {
		return nil, fmt.Errorf("the log is incomplete: %w", broken)
	}
	return found, err
}

func loggedMessages(ctx context.Context, path, session string, spans []event.Span, request int64) ([]workspace.Message, error) {
	want := record.Query{Session: session, Request: request}
	for _, s := range spans {
		want.Spans = append(want.Spans, record.Span(s))
	}
	s, err := record.Select(ctx, path, want)
	if err != nil {
		return nil, err
	}
	if len(s.Lines) == 0 && s.Full {
		return nil, ErrLogFull
	}
	found := make([]workspace.Message, 0, len(s.Lines))
	for _, l := range s.Lines {
		found = append(found, workspace.Message{At: l.At, Out: l.Dir == record.Out, JSON: l.Data, CutBytes: l.CutBytes, OmittedBefore: l.OmittedBefore})
	}
	return found, nil
}
