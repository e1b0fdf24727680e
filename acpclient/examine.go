package acpclient

import (
	"fmt"
	"runtime/debug"
	"slices"
	"sync"

	"parley/acpclient/event"
	"parley/acpclient/jsonrpc"
	"parley/acpclient/wire"
	"parley/internal/safetext"
)

// Bounds of what waits for the disk on one connection: pieces of work, and bytes of the messages that
// they hold.
const (
	maxDiskWork      = 10_000
	maxDiskWorkBytes = 64 << 20
)

// diskWork is work that may wait for the disk, which the reader must not. It runs in the order in which
// it was added, on a goroutine that exists only while there is any. The nil diskWork runs it at once.
type diskWork struct {
	failed func(what string, data []byte) // reports a panic

	mu      sync.Mutex
	waiting []diskPiece // the first one runs
	bytes   int
}

type diskPiece struct {
	run  func()
	size int
}

// full reports whether too much waits.
func (d *diskWork) full() bool {
	if d == nil {
		return false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.waiting) >= maxDiskWork || d.bytes >= maxDiskWorkBytes
}

// add queues a piece of work that holds about size bytes.
func (d *diskWork) add(size int, run func()) {
	if d == nil {
		run()
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.waiting = append(d.waiting, diskPiece{run, size})
	d.bytes += size
	if len(d.waiting) == 1 {
		go d.work(d.waiting[0])
	}
}

// work runs the first piece and all that follow.
func (d *diskWork) work(p diskPiece) {
	for more := true; more; p, more = d.next() {
		d.run(p)
	}
}

// next removes the piece that has run and returns the next one, if there is any.
func (d *diskWork) next() (p diskPiece, more bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.bytes -= d.waiting[0].size
	d.waiting[0] = diskPiece{}
	if d.waiting = d.waiting[1:]; len(d.waiting) == 0 {
		d.waiting = nil
		return p, false
	}
	return d.waiting[0], true
}

func (d *diskWork) run(p diskPiece) {
	defer func() {
		if r := recover(); r != nil {
			d.failed(fmt.Sprintf("panic: %v\n%s", r, debug.Stack()), nil)
		}
	}()
	p.run()
}

// Examined returns a channel that is closed when what has arrived so far was examined, and what was
// found has been posted (event.ToolExamined).
func (c *Client) Examined() <-chan struct{} {
	done := make(chan struct{})
	c.disk.add(0, func() { close(done) })
	return done
}

// crowded returns the work that refuses a question because too many wait to be judged; nil if there is
// room for it.
func (d *diskWork) crowded() jsonrpc.Work {
	if !d.full() {
		return nil
	}
	return refuse(jsonrpc.Errorf(jsonrpc.CodeInternalError, "Too many questions at once"))
}

// examine finds out what the disk says about a change of a tool call, and posts it. size is about the
// bytes that the change holds; asked means that it comes with a question, so that nothing was done yet.
func (s *Session) examine(t, whole wire.ToolCall, size int, asked bool) {
	c := s.client
	services := &c.opts.Services
	reads := services.OldTexts != nil && asked && hasChange(whole.Content)
	locates := services.Locate != nil && hasChange(t.Content)
	judges := services.Forbids != nil && t.Status != nil && final(*t.Status) // only then it has done something
	if !reads && !locates && !judges {
		return
	}
	if c.disk.full() {
		c.unexamined.Do(func() {
			s.post(event.NoticeArrived{For: s.wireContext(), Severity: "warning", Title: "Too many tool calls at once",
				Description: "some were not checked against your rules"})
		})
		return
	}
	e := event.ToolExamined{For: s.wireContext(), ID: t.ID}
	c.disk.add(size, func() {
		root := s.root().id
		content := t.Content
		if reads {
			read := services.OldTexts(root, *whole.Content)
			if slices.ContainsFunc(read, func(c wire.ToolContent) bool { return c.Overwrites }) {
				content = &read
			}
		}
		if hasChange(content) {
			e.Diffs = s.located(*content)
		}
		e.Forbidden = judges && services.Forbids(root, whole)
		if len(e.Diffs) > 0 || e.Forbidden {
			s.post(e)
		}
	})
}

func hasChange(content *[]wire.ToolContent) bool {
	return content != nil && slices.ContainsFunc(*content, isChange)
}

// located returns the changes in content of which the disk says more than the agent.
func (s *Session) located(content []wire.ToolContent) (found []*event.Diff) {
	locate := s.client.opts.Services.Locate
	for _, c := range content {
		if c.Type != "diff" {
			continue
		}
		d := diffOf(c)
		var p *event.DiffContext
		if locate != nil {
			p = locate(s.root().id, c.Path, valueOf(c.OldText), c.NewText)
		}
		if p != nil {
			d.Context = &event.DiffContext{First: p.First, Before: safetext.Clean(p.Before), After: safetext.Clean(p.After)}
		}
		if p != nil || c.Overwrites {
			found = append(found, d)
		}
	}
	return found
}
