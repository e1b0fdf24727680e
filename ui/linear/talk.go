package linear

import (
	"errors"
	"fmt"
	"hash/maphash"
	"slices"
	"strings"
	"time"

	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/internal/workspace"
	"parley/ui/transcript"
)

// talk is a session, and what was said of it.
type talk struct {
	*workspace.Session
	told    map[int]*told // by the index of the item
	open    []int         // messages that may go on, in order
	mute    int           // items before it were not said, and will not be by themselves
	loading bool          // the history comes: nothing is said
	numbers []int         // indexes of the items that /output knows
	slow    []int         // tool calls that were not announced yet
	echoed  string        // the prompt that the terminal shows already
	plan    string        // what was said of the plan last
	set     map[string]string
	done    bool // a turn ended while another session was in front
}

func newTalk(s *workspace.Session) *talk { return &talk{Session: s, told: map[int]*told{}} }

// told is what was said of an item.
type told struct {
	speaker  *speaker
	fed      int          // bytes of the text
	hash     maphash.Hash // of them
	gen      int
	begun    bool   // something of it stands there
	serial   uint64 // the printer's, behind it
	finished bool
	line     string // of what is one line: the last one said
	state    thread.ToolState
	trust    thread.Trust
	number   int
}

// busy tells whether a turn runs.
func (t *talk) busy() bool { return t.Busy() || t.ACP != nil && t.ACP.Running() }

// title is what the session is called.
func (t *talk) title() string {
	if t.Thread.Title != "" {
		return t.Thread.Title
	}
	for _, it := range t.Thread.Items {
		if it.Kind == thread.UserMessage {
			_, own := transcript.SplitCarried(string(it.Text))
			return cut(oneLine(own), 60)
		}
	}
	return "new session"
}

// changed says what is new of items. Those of a session that is not in front are
// said when it comes there.
func (c *chat) changed(t *talk, items []int) {
	if t != c.talk || t.loading {
		return
	}
	items = slices.Clone(items)
	slices.Sort(items)
	for _, i := range slices.Compact(items) {
		if i >= t.mute {
			c.tell(t, t.Thread.Items[i])
		}
	}
}

// tell says what is new of an item. What stands behind a message ends it.
func (c *chat) tell(t *talk, it *thread.Item) {
	s := t.told[it.Index]
	if s == nil {
		s = &told{}
		t.told[it.Index] = s
		if it.Kind != thread.Notice && !it.Blank() {
			c.finish(t, it.Index)
		}
	}
	switch it.Kind {
	case thread.AgentMessage:
		c.speak(t, it, s)
	case thread.UserMessage, thread.ThoughtMessage:
		t.reopen(it.Index)
		s.finished = false
		if it.Kind == thread.UserMessage && it.MessageID == "" && !it.At.IsZero() {
			c.finish(t, it.Index+1) // as it was sent
		}
	case thread.ToolCall:
		c.tellTool(t, it, s)
	case thread.Attachment:
		c.sayOnce(s, "Attachment: "+attachment(it.Attachment))
	case thread.Decision:
		c.sayOnce(s, decision(it.Settled))
	case thread.TurnEnd:
		if s.line == "" {
			s.line = "."
			c.turnEnd(it)
		}
	case thread.Notice:
		c.sayOnce(s, notice(it))
	}
}

// notice is a quiet line, or what the agent wants to be known, with its weight.
func notice(it *thread.Item) string {
	label := "Notice: "
	switch it.Severity {
	case "", "info":
	case "warning":
		label = "Warning: "
	case "error":
		label = "Error: "
	default:
		label += oneLine(strings.TrimLeft(it.Severity, "_")) + ": "
	}
	text := string(it.Text)
	if !strings.HasSuffix(text, "…") {
		text = strings.TrimRight(text, ".") + "."
	}
	return label + text
}

func (c *chat) sayOnce(s *told, line string) {
	if s.line != line {
		s.line = line
		c.say("%s", line)
	}
}

// reopen notes that a message may go on.
func (t *talk) reopen(i int) {
	if !slices.Contains(t.open, i) {
		t.open = append(t.open, i)
	}
}

// finish ends the messages before an item, and says what was held back of them.
func (c *chat) finish(t *talk, before int) {
	for _, i := range slices.Clone(t.open) {
		if i >= before {
			continue
		}
		t.open = slices.DeleteFunc(t.open, func(o int) bool { return o == i })
		it, s := t.Thread.Items[i], t.told[i]
		if s.finished {
			continue
		}
		s.finished = true
		switch it.Kind {
		case thread.AgentMessage:
			s.speaker.finish()
		case thread.ThoughtMessage:
			c.sayOnce(s, thought(it))
		case thread.UserMessage:
			c.userSaid(t, it, s)
		}
	}
}

// speak says what has come of a message of the agent's.
func (c *chat) speak(t *talk, it *thread.Item, s *told) {
	if s.speaker == nil {
		s.speaker = &speaker{to: &saying{c: c, s: s, name: c.name()}}
	}
	if s.gen != it.Generation {
		s.gen = it.Generation
		var now maphash.Hash
		now.SetSeed(s.hash.Seed())
		now.Write(it.Text[:min(s.fed, len(it.Text))])
		if len(it.Text) < s.fed || now.Sum64() != s.hash.Sum64() { // it says something else now
			s.speaker.finish()
			s.speaker = &speaker{to: &saying{c: c, s: s, name: c.name() + ", corrected"}}
			s.hash.Reset()
			s.fed, s.begun = 0, false
		}
	}
	if len(it.Text) == s.fed {
		return
	}
	t.reopen(it.Index)
	s.finished = false
	more := it.Text[s.fed:]
	s.hash.Write(more)
	s.fed = len(it.Text)
	s.speaker.feed(string(more))
}

// saying puts what a speaker says behind the name of who said it. Lines behind
// the first are indented.
type saying struct {
	c    *chat
	s    *told
	name string
}

// head is what a line of the message begins with.
func (v *saying) head() string {
	switch {
	case !v.s.begun:
		return v.name + ": "
	case v.s.serial != v.c.out.serial:
		return v.name + ", continued: "
	}
	return "  "
}

func (v *saying) say(words string) {
	if !v.c.out.holds(v.s) {
		words = v.head() + words
	}
	v.c.out.piece(v.s, words)
	v.s.begun, v.s.serial = true, v.c.out.serial
}

func (v *saying) verbatim(line string) {
	v.end()
	v.c.out.line(v.head() + line)
	v.s.begun, v.s.serial = true, v.c.out.serial
}

func (v *saying) end() {
	if v.c.out.holds(v.s) {
		v.c.out.fresh()
	}
}

// thought says that the agent thought, and for how long.
func thought(it *thread.Item) string {
	if d := it.Until.Sub(it.At); !it.At.IsZero() && d >= time.Second {
		return "Thought (" + spoken(d) + ")."
	}
	return "Thought."
}

// userSaid says what the user did, unless it stands there already.
func (c *chat) userSaid(t *talk, it *thread.Item, s *told) {
	carried, text := transcript.SplitCarried(string(it.Text))
	if t.echoed != "" && strings.TrimSpace(text) == strings.TrimSpace(t.echoed) {
		t.echoed, s.line = "", text
		return
	}
	if len(carried) > 0 {
		text = strings.TrimSpace(text + fmt.Sprintf("\n(with %s)", count(len(carried), "command")))
	}
	if s.line == text {
		return
	}
	s.line = text
	first, rest, more := strings.Cut(strings.TrimSpace(text), "\n")
	c.say("You: %s", first)
	if more {
		c.out.lines(rest)
	}
}

// decision says what became of a question.
func decision(e *event.PermissionSettled) string {
	line := "Decision: " + e.Decision
	if e.By != "" {
		line += ", by " + e.By
	}
	if e.Subject != "" {
		line += ": " + oneLine(e.Subject) // a command, and no Markdown
	}
	return line + "."
}

// endWords are how turns end that do not end as usual.
var endWords = map[string]string{
	"":                  "it gave no reason",
	"cancelled":         "stopped",
	"max_tokens":        "the answer reached the model's limit of tokens",
	"max_turn_requests": "the turn reached the agent's limit of requests",
	"refusal":           "the agent refused; this prompt and what followed are no longer part of the context",
}

func (c *chat) turnEnd(it *thread.Item) {
	end := it.End
	switch {
	case end.Err != nil:
		c.failed("The turn ended with an error", end.Err)
		var lost *event.LostError
		if errors.As(end.Err, &lost) && !it.At.IsZero() {
			c.say("What the agent makes of the prompt is not known; it is not sent again.")
		}
	case end.Empty:
		c.say("Turn ended: %s said nothing.", c.name())
	case end.StopReason == "end_turn":
		c.say("Turn ended.")
	case endWords[end.StopReason] != "":
		c.say("Turn ended: %s.", endWords[end.StopReason])
	default:
		c.say("Turn ended: %s.", end.StopReason)
	}
}

// rest says what nothing more is to come of: after the end of a turn whatever is
// there.
func (t *talk) rest(c *chat) {
	if t.loading {
		return
	}
	if len(t.open) > 0 && !t.busy() {
		c.finish(t, len(t.Thread.Items))
	}
	c.announce(t)
	c.tellSettings(t)
}

// attachment names a block that is not text.
func attachment(b *event.Content) string {
	name := b.Name
	if name == "" {
		name = b.URI
	}
	kinds := map[event.ContentKind]string{event.ImageContent: "an image", event.AudioContent: "a sound", event.LinkContent: "a link",
		event.ResourceContent: "a resource", event.UnknownContent: "something of a kind that parley does not know"}
	kind := kinds[b.Kind]
	if kind == "" {
		return oneLine(b.Text)
	}
	return strings.TrimSpace(strings.Join(strings.Fields(kind+" "+b.MimeType+" "+name), " "))
}

// spoken is a time as one says it.
func spoken(d time.Duration) string {
	d = d.Round(time.Second)
	h, m, s := int(d.Hours()), int(d.Minutes())%60, int(d.Seconds())%60
	switch {
	case h > 0:
		return count(h, "hour") + " " + count(m, "minute")
	case m > 0:
		return count(m, "minute") + " " + count(s, "second")
	}
	return count(s, "second")
}

// cut is at most that many runes of a line.
func cut(s string, most int) string {
	n := 0
	for i := range s {
		if n++; n > most {
			return s[:i] + "…"
		}
	}
	return s
}

// splitLines are the lines of a text, without the newline at its end.
func splitLines(s string) []string {
	return strings.Split(strings.TrimSuffix(s, "\n"), "\n")
}
