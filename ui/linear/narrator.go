package linear

import (
	"errors"
	"hash/maphash"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/internal/carried"
	"parley/internal/describe"
	"parley/internal/words"
	"parley/internal/workspace"
	"parley/ui/linear/plain"
)

// narrator prints what happens in a session, each thing once.
type narrator struct {
	*workspace.Session
	out    *printer
	tasks  *tasks
	stderr *stderr
	front  bool // its session is in front; for the others only the end of a turn is reported

	printed map[int]*printedItem // by item index
	open    []int                // messages that may continue, in order
	mute    int                  // items before this index were not printed and are printed only on request
	loading bool                 // the history is being loaded: nothing is printed
	calls   *calls
	slow    []int        // tool calls not announced yet
	held    *thread.Item // a tool call that is told when something else happens
	echoed  string       // the prompt that the terminal already shows
	plan    string       // the last line printed about the plan
	set     map[string]string
	done    bool // a turn ended while another session was in front
}

func newNarrator(s *workspace.Session, out *printer, tasks *tasks, stderr *stderr) *narrator {
	return &narrator{Session: s, out: out, tasks: tasks, stderr: stderr, printed: map[int]*printedItem{}, calls: &calls{thread: s.Thread}}
}

// printedItem records what was printed of an item.
type printedItem struct {
	words    *plain.Writer
	fed      int          // bytes of its text written to words
	hash     maphash.Hash // of those bytes
	gen      int
	begun    bool   // some of it was printed
	serial   uint64 // the printer's serial after it
	finished bool
	line     string // the last line printed, for items of one line
	state    thread.ToolState
	trust    thread.Trust
}

// applied prints what an event changed.
func (n *narrator) applied(e event.Event, items []int) {
	if !n.front || n.loading {
		n.unseen(e, items)
		return
	}
	if !aboutCalls(e) {
		n.release()
	}
	switch e.(type) {
	case event.HistoryBegan:
		n.loading = true
	case event.TurnEnded: // finish the messages before the rest of the turn's end is printed
		n.finishAll()
	}
	n.changed(items)
	if _, plan := e.(event.PlanChanged); plan {
		n.finishAll()
		n.tellPlan()
	}
}

// aboutCalls reports whether an event only changes tool calls.
func aboutCalls(e event.Event) bool {
	switch e.(type) {
	case event.ToolChanged, event.ToolExamined, event.TerminalOutput, event.TerminalReplaced, event.TerminalExited:
		return true
	}
	return false
}

// release tells the tool call that was held. What arrives together about a call is told in one line.
func (n *narrator) release() {
	if it := n.held; it != nil {
		n.held = nil
		n.tellTool(it, n.printed[it.Index])
	}
}

// unseen prints what the user must know of a session that is not in front or is being loaded.
func (n *narrator) unseen(e event.Event, items []int) {
	switch e.(type) {
	case event.HistoryBegan:
		n.loading = true
	case event.NoticeArrived:
		n.out.say("%s", notice(n.Thread.Items[items[0]]))
	case event.TurnEnded:
		if !n.front {
			n.done = true
			n.out.say("Notice: another session is done: %s. /sessions lists them.", title(n.Session))
		}
	}
}

// changed prints what is new in items. A session that is not in front prints it when it comes
// to the front.
func (n *narrator) changed(items []int) {
	if !n.front || n.loading {
		return
	}
	items = slices.Clone(items)
	slices.Sort(items)
	for _, i := range slices.Compact(items) {
		if i >= n.mute {
			n.tell(n.Thread.Items[i])
		}
	}
}

// tell prints what is new in an item. A new item ends the messages before it.
func (n *narrator) tell(it *thread.Item) {
	if it != n.held {
		n.release()
	}
	s := n.printed[it.Index]
	if s == nil {
		s = &printedItem{}
		n.printed[it.Index] = s
		if it.Kind != thread.Notice && !it.Blank() {
			n.finish(it.Index)
		}
	}
	switch it.Kind {
	case thread.AgentMessage:
		n.speak(it, s)
	case thread.UserMessage, thread.ThoughtMessage:
		n.reopen(it.Index, s)
		if it.Kind == thread.UserMessage && it.MessageID == "" && !it.At.IsZero() {
			n.finish(it.Index + 1) // it is complete, as it was sent
		}
	case thread.ToolCall:
		n.held = it
	case thread.Attachment:
		n.sayOnce(s, "Attachment: "+attachment(it.Attachment))
	case thread.Decision:
		n.sayOnce(s, decision(it.Answer))
	case thread.TurnEnd:
		if s.line == "" {
			s.line = "."
			n.turnEnd(it)
		}
	case thread.Notice:
		n.sayOnce(s, notice(it))
	}
}

// notice returns the line for a notice, labelled with its severity.
func notice(it *thread.Item) string {
	label := map[string]string{"": "Notice", "info": "Notice", "warning": "Warning", "error": "Error"}[it.Severity]
	if label == "" {
		label = "Notice: " + words.OneLine(strings.TrimLeft(it.Severity, "_"))
	}
	text := string(it.Text)
	if !strings.HasSuffix(text, "…") {
		text = strings.TrimRight(text, ".") + "."
	}
	return label + ": " + text
}

func (n *narrator) sayOnce(s *printedItem, line string) {
	if s.line != line {
		s.line = line
		n.out.say("%s", line)
	}
}

// reopen records that a message may continue.
func (n *narrator) reopen(i int, s *printedItem) {
	if s.finished = false; !slices.Contains(n.open, i) {
		n.open = append(n.open, i)
	}
}

// finish ends the messages before an item and prints what was held back of them.
func (n *narrator) finish(before int) {
	for _, i := range slices.Clone(n.open) {
		if i >= before {
			continue
		}
		n.open = slices.DeleteFunc(n.open, func(o int) bool { return o == i })
		it, s := n.calls.thread.Items[i], n.printed[i]
		if s.finished {
			continue
		}
		s.finished = true
		switch it.Kind {
		case thread.AgentMessage:
			s.words.End()
		case thread.ThoughtMessage:
			n.sayOnce(s, thought(it))
		case thread.UserMessage:
			n.userSaid(it, s)
		}
	}
}

func (n *narrator) finishAll() { n.finish(len(n.calls.thread.Items)) }

// mostSpoken is how many bytes of a message are printed at once.
const mostSpoken = 1 << 20

// speak prints what was added to a message of the agent's.
func (n *narrator) speak(it *thread.Item, s *printedItem) {
	if s.words == nil {
		s.words = plain.NewWriter(&saying{out: n.out, s: s, name: called(n.Agent)})
	}
	if s.gen != it.Generation {
		s.gen = it.Generation
		var now maphash.Hash
		now.SetSeed(s.hash.Seed())
		now.Write(it.Text[:min(s.fed, len(it.Text))])
		if len(it.Text) < s.fed || now.Sum64() != s.hash.Sum64() { // the text before was replaced
			s.words.End()
			s.words = plain.NewWriter(&saying{out: n.out, s: s, name: called(n.Agent) + ", corrected"})
			s.hash.Reset()
			s.fed, s.begun = 0, false
		}
	}
	if len(it.Text) == s.fed {
		return
	}
	n.reopen(it.Index, s)
	for s.fed < len(it.Text) {
		more := it.Text[s.fed:]
		if len(more) > mostSpoken {
			n := mostSpoken
			for !utf8.RuneStart(more[n]) {
				n--
			}
			more = more[:n]
		}
		s.hash.Write(more)
		s.fed += len(more)
		s.words.Write(string(more))
	}
}

// saying prints a message after the speaker's name. Further lines are indented.
type saying struct {
	out  *printer
	s    *printedItem
	name string
}

// head returns what the next line of the message begins with.
func (v *saying) head() string {
	switch {
	case !v.s.begun:
		return v.name + ": "
	case v.s.serial != v.out.serial:
		return v.name + ", continued: "
	}
	return "  "
}

func (v *saying) Say(words string) {
	if !v.out.holds(v.s) {
		words = v.head() + words
	}
	v.out.piece(v.s, words)
	v.s.begun, v.s.serial = true, v.out.serial
}

func (v *saying) Verbatim(line string) {
	v.End()
	v.out.line(v.head() + line)
	v.s.begun, v.s.serial = true, v.out.serial
}

func (v *saying) End() {
	if v.out.holds(v.s) {
		v.out.fresh()
	}
}

// thought says that the agent thought, and for how long.
func thought(it *thread.Item) string {
	if d := it.Until.Sub(it.At); !it.At.IsZero() && d >= time.Second {
		return "Thought (" + spoken(d) + ")."
	}
	return "Thought."
}

// userSaid prints the user's message, unless the terminal shows it already.
func (n *narrator) userSaid(it *thread.Item, s *printedItem) {
	blocks, text := carried.Split(string(it.Text))
	if n.echoed != "" && strings.TrimSpace(text) == strings.TrimSpace(n.echoed) {
		n.echoed, s.line = "", text
		return
	}
	if len(blocks) > 0 {
		text = strings.TrimSpace(text + "\n(with " + carried.Line(blocks...) + ")")
	}
	if s.line == text {
		return
	}
	s.line = text
	first, rest, more := strings.Cut(strings.TrimSpace(text), "\n")
	who := "You"
	if n.Thread.Subagent(n.calls.thread.Session) != nil { // its user is the agent that has started it
		who = "Task"
	}
	n.out.say("%s: %s", who, first)
	if more {
		n.out.lines(rest)
	}
}

// decision describes the outcome of a question.
func decision(e *event.PermissionAnswered) string {
	line := e.Outcome()
	line = strings.ToUpper(line[:1]) + line[1:]
	if e.Subject != "" {
		line += ": " + words.OneLine(e.Subject) // a command, not Markdown
	}
	return line + "."
}

func (n *narrator) turnEnd(it *thread.Item) {
	end := it.End
	switch {
	case end.Err != nil && it.At.IsZero(): // outside of a turn
		if !dialing(n.Agent) { // otherwise the outcome of the start says why
			n.stderr.failed(n.Agent, "The connection ended", end.Err)
		}
	case end.Err != nil:
		n.stderr.failed(n.Agent, "The turn ended with an error", end.Err)
		var lost *event.LostError
		if errors.As(end.Err, &lost) && !end.Arrived {
			n.out.say("%s.", describe.MaybeSent)
		}
	default:
		why := strings.TrimPrefix(describe.TurnEnd(end, called(n.Agent)), "stopped: ")
		n.out.say("%s.", strings.TrimSuffix("Turn ended: "+why, ": "))
	}
}

// beforeInput runs before the chat waits for input. It ends all messages when no turn runs,
// announces tool calls that take long, and prints changed settings.
func (n *narrator) beforeInput() {
	n.release()
	if n.loading {
		return
	}
	if len(n.open) > 0 && !busy(n.Session) {
		n.finishAll()
	}
	n.announce()
	n.tellSettings()
}
