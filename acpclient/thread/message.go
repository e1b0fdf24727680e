package thread

import (
	"cmp"
	"strings"
	"time"
	"unsafe"

	"parley/acpclient/event"
)

var kindOf = map[event.Role]Kind{event.Agent: AgentMessage, event.User: UserMessage, event.Thought: ThoughtMessage}

// text appends a chunk to its message.
func (t *Thread) text(e event.TextArrived) {
	var held event.Span // of text that first looked like an echo
	if e.Role == event.User {
		if e.Text, held = t.echo.cut(e.Text, e.Wire); e.Text == "" {
			return
		}
	}
	it := t.message(e.Role, e.MessageID)
	if it == nil && e.Role == event.User {
		it = t.adopted(t.messages, e.MessageID, e.Text)
	}
	if it == nil {
		it = t.add(&Item{Kind: kindOf[e.Role], MessageID: e.MessageID, At: e.At})
		if e.MessageID != "" {
			t.messages[messageKey{e.Role, e.MessageID}] = it
		}
	} else {
		t.touch(it)
	}
	if it.local { // the agent's copy replaces the local one
		it.rewrite("")
	}
	it.Text = appendText(it.Text, e.Text, cmp.Or(e.Whole, e.Text))
	if held.First != 0 {
		it.from(held)
	}
	it.from(e.Wire)
	t.reconcile(it)
	for _, at := range []time.Time{e.At, e.Until} {
		if !at.IsZero() {
			it.Until = at
		}
	}
}

// appendText appends text, which is a piece of whole. The pieces of a huge text share its memory, because
// a copy of all would need as much again. Nothing writes to them: appending more copies them.
func appendText(before []byte, text, whole string) []byte {
	const huge = 16 << 20
	n := len(before)
	if start := unsafe.StringData(whole); len(whole) >= huge && (n == 0 || unsafe.SliceData(before) == start) &&
		uintptr(unsafe.Pointer(unsafe.StringData(text))) == uintptr(unsafe.Pointer(start))+uintptr(n) {
		return unsafe.Slice(start, n+len(text))
	}
	return append(before, text...)
}

// message returns the item that a chunk continues: by its id, or else the last message
// if it has the same role and no id either. Lines that only accompany the conversation
// do not separate messages. The end of a turn does: what an agent says afterwards is a
// separate remark, for example that the mode has changed.
func (t *Thread) message(role event.Role, id string) *Item {
	if id != "" {
		return t.messages[messageKey{role, id}]
	}
	for i := len(t.Items) - 1; i >= t.parted; i-- {
		switch it := t.Items[i]; it.Kind {
		case Notice, ShellCommand:
			continue
		case kindOf[role]:
			if it.MessageID == "" && (role != event.User || it.At.IsZero() && !it.MissingFromHistory) {
				return it
			}
			return nil
		default:
			return nil
		}
	}
	return nil
}

// echo is what the agent may repeat of a prompt, which the transcript already shows.
type echo struct {
	rest string // that it may still repeat
	said string // that it has repeated
	wire event.Span
}

// cut returns the part of the text that is no echo. Text that started like an echo and then differs is
// returned after all, with its messages, so it does not matter in which pieces a text arrives.
func (e *echo) cut(text string, wire event.Span) (string, event.Span) {
	if e.rest == "" {
		return text, event.Span{}
	}
	if rest, ok := strings.CutPrefix(e.rest, text); ok {
		e.rest, e.said, e.wire = rest, e.said+text, e.wire.Join(wire)
		return "", event.Span{}
	}
	was := *e
	*e = echo{}
	if rest, all := strings.CutPrefix(text, was.rest); all {
		return rest, event.Span{}
	}
	return was.said + text, was.wire
}

// attach adds a block that is not text.
func (t *Thread) attach(e event.ContentArrived) {
	if e.Role == event.User && t.running && !t.separate {
		return // an echo: attachments are shown with the prompt
	}
	it := t.add(&Item{Kind: Attachment, MessageID: e.MessageID, Attachment: &e.Content})
	it.from(e.Wire)
	if e.MessageID != "" {
		key := messageKey{e.Role, e.MessageID}
		t.attachments[key] = append(t.attachments[key], it)
	}
}

func (t *Thread) turnStarted(e event.TurnStarted) {
	t.giveUp(false)
	t.Turn++
	t.running, t.cancelled, t.output, t.emptyEnd = true, false, false, nil
	t.history = t.loading // v2: a turn may belong to the history or be started by the agent
	t.TurnStarted = e.At
	t.byItself, t.ownTurn = e.ByItself && !t.loading, nil
	if t.separate = e.SeparatePrompts; e.SeparatePrompts || e.ByItself {
		return
	}
	t.echo = echo{rest: e.Text}
	t.add(&Item{Kind: UserMessage, Text: []byte(e.Text), At: e.At, Request: e.Request})
}

// steered adds a prompt that was put into the running turn. In v2 the agent's copy of it follows.
func (t *Thread) steered(e event.PromptSteered) {
	it := t.add(&Item{Kind: UserMessage, Text: []byte(e.Text), At: e.At, Steered: true})
	it.from(e.Wire)
	if t.separate {
		it.local = true
		t.nameless = append(t.nameless, it)
	}
}

func (t *Thread) turnCancelled() {
	t.cancelled = true
	for _, it := range t.unfinished() {
		it.Tool.Stopped = true
		t.touch(it)
	}
}

func (t *Thread) turnEnded(e event.TurnEnded) {
	stopped := t.cancelled
	t.giveUp(stopped)
	t.running, t.cancelled, t.waits = false, false, false
	t.echo = echo{}
	if e.Origin == "" { // agents report nothing of what they began by themselves
		t.LastTurn = e.Usage
	}
	if e.Usage != nil {
		t.Spent.Add(*e.Usage)
	}
	if why := event.OwnTurnReasons[e.Origin]; why != "" && t.ownTurn != nil {
		t.ownTurn.rewrite(string(t.ownTurn.Text) + ": " + why)
		t.touch(t.ownTurn)
	}
	arrived := t.output || t.separate && t.Prompted()
	end := &End{StopReason: e.StopReason, Err: e.Err, Arrived: arrived, NoReason: e.Err == nil && e.StopReason == "" && !t.separate, Empty: e.Err == nil && !stopped && e.StopReason == "end_turn" && !t.output && t.Prompted()}
	if !t.TurnStarted.IsZero() {
		end.Duration = e.At.Sub(t.TurnStarted)
	}
	if e.StopReason == "refusal" {
		t.exclude()
	}
	it := t.add(&Item{Kind: TurnEnd, End: end, At: e.At})
	it.from(e.Wire)
	if end.Empty {
		t.emptyEnd = it
	}
}

// heard records that the agent has sent output. After the end of a turn it means that the turn was not empty.
func (t *Thread) heard() {
	t.output = true
	if t.byItself {
		t.byItself = false
		if !t.Prompted() {
			t.ownTurn = t.add(&Item{Kind: Notice, Text: []byte("the agent began this turn by itself"), At: t.TurnStarted})
		}
	}
	if t.emptyEnd != nil {
		t.emptyEnd.End.Empty = false
		t.touch(t.emptyEnd)
		t.emptyEnd = nil
	}
}

// isOutput reports whether the agent says, does or asks something with an event. What only describes the
// session, such as its title and usage, is no output.
func (t *Thread) isOutput(e event.Event) bool {
	switch e := e.(type) {
	case event.TextArrived:
		return e.Role != event.User && strings.TrimSpace(e.Text) != ""
	case event.MessageReplaced:
		return e.Role != event.User && (strings.TrimSpace(e.Text) != "" || len(e.Attachments) > 0)
	case event.ContentArrived:
		return e.Role != event.User
	case event.PlanChanged:
		return len(e.Entries) > 0 || e.Markdown != ""
	case event.ToolChanged, event.TerminalStarted, event.TerminalOutput, event.TerminalReplaced, event.FileWritten, event.PermissionRequested,
		event.PermissionAnswered, event.ElicitationAsked, event.NoticeArrived, event.SubagentChanged, event.CompactionChanged, event.UnknownArrived:
		return true
	case event.ModeChanged: // between turns, the user has changed it
		return t.running
	}
	return false
}

// disconnected ends the session. The reason is shown once: by the turn that was
// interrupted, or in a line of its own.
func (t *Thread) disconnected(err error) {
	t.disconnectCalls()
	t.running, t.Err, t.State = false, err, Ended
	t.Background = nil
	if err == nil || err == event.ErrClosed {
		return
	}
	if n := len(t.Items); n > 0 && t.Items[n-1].Kind == TurnEnd && t.Items[n-1].End.Err != nil {
		return
	}
	t.add(&Item{Kind: TurnEnd, End: &End{Err: err}})
}

// NotConnected adds why an ended session could not be connected again, once.
func (t *Thread) NotConnected(err error) {
	n := len(t.Items)
	if n == 0 || t.Items[n-1].Kind != TurnEnd || t.Items[n-1].End.Err == nil || t.Items[n-1].End.Err.Error() != err.Error() {
		t.add(&Item{Kind: TurnEnd, End: &End{Err: err}})
	}
}

// compaction keeps one item per compaction, where it first appeared.
func (t *Thread) compaction(e event.CompactionChanged) {
	it := t.compactions[e.ID]
	if it == nil {
		it = t.add(&Item{Kind: Notice})
		t.compactions[e.ID] = it
	} else {
		t.touch(it)
	}
	it.from(e.Wire)
	switch {
	case e.Error != nil && *e.Error != "":
		it.Text = []byte("compacting the context went wrong: " + *e.Error)
	case e.Status == "completed":
		it.Text = []byte("the context was compacted")
	case e.Status != "" || len(it.Text) == 0:
		it.Text = []byte("compacting the context…")
	}
	if e.Summary != nil {
		it.Detail = *e.Summary
	}
	if len(it.Detail) < maxTerminal {
		it.Detail += e.Append
	}
}
