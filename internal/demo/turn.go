package demo

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"parley/acpclient/jsonrpc"
)

// errCancelled is the cause when the client sends session/cancel.
var errCancelled = errors.New("the client cancelled the turn")

// chunkSizes are the lengths of successive chunks, in characters: uneven like a model's, but the
// same on every run.
var chunkSizes = [...]int{5, 9, 3, 12, 7, 4, 10, 6, 11, 8}

// turn is one session/prompt. Only its goroutine uses it, except for cancel.
//
// Its steps return an error only if the turn is over and nothing more may be sent. All other
// failures are reported to the user in prose.
type turn struct {
	agent   *agent
	session *session
	caps    clientCapabilities
	words   words
	errand  errand

	ctx    context.Context
	cancel context.CancelCauseFunc

	steps  []string // entries of the plan; empty without one
	open   []string // tool calls without a final status
	chunks int      // number sent so far
	sent   int      // bytes of prose, for the usage
}

func newTurn(a *agent, s *session, w words) *turn {
	t := &turn{agent: a, session: s, caps: a.capabilities(), words: w, errand: errandOf(w)}
	t.ctx, t.cancel = context.WithCancelCause(context.Background())
	return t
}

// work answers the session/prompt. session/cancel, $/cancel_request and the end of the connection
// cancel the turn.
func (t *turn) work(ctx context.Context) (any, error) {
	stop := context.AfterFunc(ctx, func() { t.cancel(context.Cause(ctx)) })
	defer func() {
		stop()
		t.cancel(nil)
		t.session.mu.Lock()
		t.session.turn = nil
		t.session.mu.Unlock()
	}()
	t.nameSession()
	err := t.play()
	for _, id := range t.open {
		t.emit(update{SessionUpdate: "tool_call_update", ToolCallID: id, Status: "failed"})
	}
	t.reportUsage()
	if err != nil {
		return promptResult{StopReason: "cancelled"}, nil
	}
	return promptResult{StopReason: "end_turn"}, nil
}

// play does what the prompt asks for, in a fixed order.
func (t *turn) play() error {
	wants := t.errand.wants
	var todo []func() error
	if wants["think"] {
		if err := t.think(); err != nil {
			return err
		}
	}
	for _, d := range []struct {
		word, entry string
		do          func() error
	}{
		{"read", "Read " + t.errand.read, t.read},
		{"edit", "Edit " + t.errand.edit, t.edit},
		{"hunks", "Change " + hunksFile + " in three places", t.hunks},
		{"run", "Run `" + t.errand.command + "`", t.run},
		{"unasked", "Report a command that nobody was asked about", t.unasked},
		{"long", "Write something long", t.long},
	} {
		if wants[d.word] {
			todo = append(todo, d.do)
			t.steps = append(t.steps, d.entry)
		}
	}
	if len(todo) == 0 || wants["about"] {
		todo = append([]func() error{t.greet}, todo...)
		t.steps = append([]string{"Say what the demo agent can do"}, t.steps...)
	}
	if wants["plan"] {
		t.steps = append(t.steps, "Sum up")
		todo = append(todo, t.close)
		return t.follow(todo)
	}
	for _, do := range append(todo, t.close) {
		if err := do(); err != nil {
			return err
		}
	}
	return nil
}

// follow carries out the steps of a plan and keeps the plan up to date.
func (t *turn) follow(todo []func() error) error {
	t.emitPlan(-1)
	if err := t.say("This is the plan. Its entries change while I work."); err != nil {
		return err
	}
	for i, do := range todo {
		t.emitPlan(i)
		if err := do(); err != nil {
			return err
		}
	}
	t.emitPlan(len(todo))
	return nil
}

// emitPlan sends the plan with the entry at current in progress, earlier ones completed and later
// ones pending.
func (t *turn) emitPlan(current int) {
	entries := make([]planEntry, len(t.steps))
	for i, s := range t.steps {
		entries[i] = planEntry{Content: s, Priority: "medium", Status: "pending"}
		switch {
		case i < current:
			entries[i].Status = "completed"
		case i == current:
			entries[i].Status = "in_progress"
		}
		if i == 0 {
			entries[i].Priority = "high"
		}
	}
	t.emit(update{SessionUpdate: "plan", Entries: entries})
}

// nameSession gives the session a title, once.
func (t *turn) nameSession() {
	s := t.session
	s.mu.Lock()
	first := !s.titled
	s.titled = true
	s.mu.Unlock()
	if first {
		t.emit(update{SessionUpdate: "session_info_update", Title: titleOf(t.words.text)})
	}
}

func titleOf(prompt string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(prompt), "\n")
	if line = clip(strings.Join(strings.Fields(line), " "), 48); line == "" {
		return "Demo"
	}
	return line
}

// reportUsage counts four bytes as a token. The number is only for show.
func (t *turn) reportUsage() {
	s := t.session
	s.mu.Lock()
	s.used = min(s.used+(len(t.words.text)+t.sent)/4+1, contextSize)
	used, size := s.used, contextSize
	s.mu.Unlock()
	t.emit(update{SessionUpdate: "usage_update", Used: &used, Size: &size})
}

// say streams one message that is not the last of its turn. It ends with a blank line, because
// clients that ignore message ids append the next message directly.
func (t *turn) say(format string, args ...any) error {
	text := format
	if len(args) > 0 {
		text = fmt.Sprintf(format, args...)
	}
	return t.stream("agent_message_chunk", strings.TrimRight(text, "\n")+"\n\n", 1)
}

// stream sends text in chunks under one message id. times makes it that much faster than the
// configured pace, with chunks that much longer.
func (t *turn) stream(kind, text string, times int) error {
	id := newID("msg")
	for text != "" {
		size := chunkSizes[t.chunks%len(chunkSizes)] * times
		n := 0
		for ; size > 0 && n < len(text); size-- {
			_, width := utf8.DecodeRuneInString(text[n:])
			n += width
		}
		if err := t.pause(times); err != nil {
			return err
		}
		t.emit(update{SessionUpdate: kind, MessageID: id, Content: textOf(text[:n])})
		t.chunks++
		t.sent += n
		text = text[n:]
	}
	return nil
}

// pause waits for the duration of one chunk. It fails once the turn is over.
func (t *turn) pause(times int) error {
	if t.agent.opts.Pace > 0 {
		timer := time.NewTimer(t.agent.opts.Pace / time.Duration(times))
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-t.ctx.Done():
		}
	}
	return context.Cause(t.ctx)
}

func (t *turn) emit(u update) { t.agent.update(t.session.id, u) }

// call sends a request to the client. It returns early when the turn is over; callers use over to
// tell that from a refusal.
func (t *turn) call(method string, params, result any) error {
	return t.agent.peer.Call(t.ctx, method, params, result)
}

// over returns why the turn has ended, or nil while it is running.
func (t *turn) over() error {
	if err := context.Cause(t.ctx); err != nil {
		return err
	}
	if err := t.agent.peer.Err(); err != nil {
		return err
	}
	return nil
}

// isMissing tells "no such file" from other refusals. Not every client uses the error code for it.
func isMissing(err error) bool {
	var e *jsonrpc.Error
	if !errors.As(err, &e) {
		return false
	}
	if e.Code == jsonrpc.CodeResourceNotFound {
		return true
	}
	text := strings.ToLower(e.Error())
	for _, sign := range []string{"no such file", "not found", "enoent", "does not exist", "cannot find the file"} {
		if strings.Contains(text, sign) {
			return e.Code != jsonrpc.CodeMethodNotFound
		}
	}
	return false
}

// clip shortens s to n characters.
func clip(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i] + "…"
		}
		n--
	}
	return s
}
