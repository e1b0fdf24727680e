package headless

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf16"

	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/internal/describe"
	"parley/internal/safetext"
	"parley/internal/words"
	"parley/permissions"
)

// printer writes events in one of the formats.
type printer interface {
	// connected is called first, unless connecting fails.
	connected(agent event.AgentInfo)
	started(agent event.AgentInfo, session, cwd string)
	// event is called after the thread has applied e.
	event(e event.Event, t *thread.Thread)
	// subagent is the same for an event of a sub-agent of the session.
	subagent(e event.Event, s *thread.Subagent)
	denied(q permissions.Question)
	// remark says something about the run itself.
	remark(line string)
	// unasked is called before the end, once for each call; by is nil for those of the session itself.
	unasked(t *thread.Tool, by *thread.Subagent)
	ended(stopReason string, err error, code int, took time.Duration, t *thread.Thread)
}

func newPrinter(o Options) printer {
	switch o.Format {
	case "json":
		stream := jsonStream{out: bufio.NewWriter(o.Stdout)}
		note := func(line string) { fmt.Fprintf(o.Stderr, "parley: %s\n", line) }
		return newJSONPrinter(o.Host.Agent, note, func(r Result) { stream.write(r) })
	case "stream-json":
		return &streamPrinter{agent: o.Host.Agent, stream: jsonStream{out: bufio.NewWriter(o.Stdout)}}
	}
	return &textPrinter{out: o.Stdout, err: o.Stderr, oneTerminal: o.OneTerminal, tools: map[string]string{}, written: map[string]*strings.Builder{}}
}

// textPrinter writes the answer to stdout and everything else to stderr.
type textPrinter struct {
	out, err        io.Writer
	oneTerminal     bool                        // stdout and stderr are one terminal
	open            bool                        // a line of the answer is unfinished on the terminal
	tools           map[string]string           // last line written for a tool call, by id
	written         map[string]*strings.Builder // what was written of a message, by id
	wrote           bool
	message         string // id of the message being written
	begun           bool   // part of that message was written
	pendingNewlines int    // newlines at its end, written when more text follows
	tool            bool   // a tool call came in between: the next text starts a paragraph
	between         bool   // anything else came in between, which separates messages without an id
}

func (p *textPrinter) connected(event.AgentInfo) {}

func (p *textPrinter) started(event.AgentInfo, string, string) {}

func (p *textPrinter) event(e event.Event, t *thread.Thread) {
	switch e := e.(type) {
	case event.TextArrived:
		if e.Role == event.Agent {
			p.text(e)
		} else {
			p.between = true
		}
	case event.MessageReplaced:
		p.replaced(e)
	case event.ContentArrived, event.TurnStarted:
		p.between = true
	case event.ElicitationAsked:
		p.note("%s", declinedLine(e))
	case event.ToolChanged:
		p.toolChanged(e.ID, t.Tool(e.ID), "")
	case event.PermissionAnswered:
		if e.By != "" {
			p.note("%s: %s", e.Subject, e.Outcome())
		}
	case event.NoticeArrived:
		p.note("%s: %s", e.Severity, strings.TrimSuffix(e.Title+": "+e.Description, ": "))
	}
}

// replaced writes the part of a message that was not written yet. Written text cannot be
// taken back, so a message that has changed is written again.
func (p *textPrinter) replaced(e event.MessageReplaced) {
	if e.Role != event.Agent || e.KeepContent {
		p.between = p.between || e.Role != event.Agent
		return
	}
	said := ""
	if b := p.written[e.MessageID]; b != nil {
		said = b.String()
	}
	rest, grown := strings.CutPrefix(e.Text, said)
	if !grown {
		rest, p.between, p.message = e.Text, true, ""
		delete(p.written, e.MessageID)
	}
	if rest != "" {
		p.text(event.TextArrived{Role: e.Role, MessageID: e.MessageID, Text: rest})
	}
}

// declinedLine says what an agent asked for and did not get.
func declinedLine(e event.ElicitationAsked) string {
	if e.URL != "" {
		return "declined to open " + safetext.Line(e.URL, maxURL) + ": " + firstLine(e.Message)
	}
	return "declined to fill in a form: " + firstLine(e.Message)
}

// text writes messages as paragraphs separated by one blank line, whatever white space they
// begin and end with.
func (p *textPrinter) text(e event.TextArrived) {
	if p.tool || e.MessageID != p.message || p.between && e.MessageID == "" {
		p.begun = false
	}
	p.message, p.tool, p.between = e.MessageID, false, false
	text := e.Text
	if e.MessageID != "" {
		b := p.written[e.MessageID]
		if b == nil {
			b = &strings.Builder{}
			p.written[e.MessageID] = b
		}
		b.WriteString(text)
	}
	if !p.begun {
		if text = strings.TrimLeft(text, "\n"); text == "" {
			return
		}
		p.pendingNewlines = 0
		switch {
		case p.wrote && p.oneTerminal && !p.open: // a note has ended the line
			p.pendingNewlines = 1
		case p.wrote:
			p.pendingNewlines = 2
		}
		p.begun = true
	}
	body := strings.TrimRight(text, "\n")
	if body == "" {
		p.pendingNewlines += len(text)
		return
	}
	if p.pendingNewlines > 0 {
		io.WriteString(p.out, strings.Repeat("\n", p.pendingNewlines))
	}
	io.WriteString(p.out, body)
	p.open = true
	p.pendingNewlines, p.wrote = len(text)-len(body), true
}

// subagent writes what a sub-agent does. What it says is for the agent, which answers.
func (p *textPrinter) subagent(e event.Event, s *thread.Subagent) {
	switch e := e.(type) {
	case event.ToolChanged:
		p.toolChanged(s.ID+" "+e.ID, s.Thread.Tool(e.ID), s.Name()+": ")
	case event.PermissionAnswered:
		if e.By != "" {
			p.note("%s: %s: %s", s.Name(), e.Subject, e.Outcome())
		}
	}
}

// toolChanged writes the line of a tool call, which key identifies, unless it is the same as before.
func (p *textPrinter) toolChanged(key string, tool *thread.Tool, who string) {
	if tool == nil {
		return
	}
	last, known := p.tools[key]
	if !known {
		p.tool = p.tool || who == "" // a sub-agent works while the agent speaks
		p.tools[key] = ""
	}
	if line := who + toolLine(tool); last != line && tool.Title != "" {
		p.tools[key] = line
		p.note("%s", line)
	}
}

func toolLine(tool *thread.Tool) string {
	line := "[" + tool.Kind + "] " + tool.Title
	if tool.Final() {
		line += ": " + tool.Status
	}
	return line
}

// note writes a line to stderr, after ending an unfinished line of the answer if both are
// one terminal.
func (p *textPrinter) note(format string, args ...any) {
	if p.oneTerminal && p.open {
		io.WriteString(p.out, "\n")
		p.open, p.pendingNewlines = false, max(0, p.pendingNewlines-1)
	}
	fmt.Fprintf(p.err, "parley: %s\n", strings.TrimSpace(safetext.Clean(fmt.Sprintf(format, args...))))
}

func (p *textPrinter) denied(q permissions.Question) {
	p.note("%s", deniedLine(q))
}

func (p *textPrinter) remark(line string) { p.note("%s", line) }

func (p *textPrinter) unasked(t *thread.Tool, by *thread.Subagent) {
	p.endAnswer()
	p.note("%s", unaskedLine(t, by))
}

// endAnswer ends the last line of the answer.
func (p *textPrinter) endAnswer() {
	if p.wrote && (p.open || !p.oneTerminal) {
		io.WriteString(p.out, "\n")
	}
	p.wrote, p.open = false, false
}

func (p *textPrinter) ended(reason string, err error, code int, _ time.Duration, _ *thread.Thread) {
	p.endAnswer()
	if err != nil {
		p.note("%v", err)
		for _, l := range stderrOf(err) {
			p.note("stderr: %s", l)
		}
		return
	}
	if why := describe.TurnEnd(&thread.End{StopReason: reason}, ""); why != "" {
		p.note("the turn ended: %s", strings.TrimPrefix(why, "stopped: "))
	}
}

// interruptedLine says that the agent was asked to stop.
const interruptedLine = "stopping; ctrl+c again ends it at once"

// stderrOf returns the tail of the agent's stderr if the error has one.
func stderrOf(err error) []string {
	var exit *event.ExitError
	var empty *emptyTurnError
	switch {
	case errors.As(err, &exit):
		return exit.Stderr
	case errors.As(err, &empty):
		return empty.stderr
	}
	return nil
}

func firstLine(s string) string {
	return safetext.Line(words.FirstLine(s), 200)
}

// jsonStream writes one JSON object per line and flushes each.
type jsonStream struct{ out *bufio.Writer }

func (s jsonStream) write(v any) { s.writeLine(encodeLine(v)) }

func (s jsonStream) writeLine(line []byte) {
	s.out.WriteString(SafeJSON(string(line)))
	s.out.Flush()
}

// WriteJSON writes a value as one line of JSON that a terminal can show; see SafeJSON.
func WriteJSON(w io.Writer, v any) error {
	_, err := io.WriteString(w, SafeJSON(string(encodeLine(v))))
	return err
}

// encodeLine returns a value as a line of JSON.
func encodeLine(v any) []byte {
	var line bytes.Buffer
	enc := json.NewEncoder(&line)
	enc.SetEscapeHTML(false)
	if enc.Encode(v) != nil {
		return nil
	}
	return line.Bytes()
}

// SafeJSON returns a JSON text with all control and format characters in its strings
// escaped, so that a terminal can show it: encoding/json escapes only those below the
// space.
func SafeJSON(text string) string {
	var b strings.Builder
	for _, r := range text {
		if r == 0x7f || r > 0x7f && unicode.In(r, unicode.Cc, unicode.Cf) {
			for _, unit := range utf16.AppendRune(nil, r) {
				fmt.Fprintf(&b, `\u%04x`, unit)
			}
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// hint returns what to type to allow what was denied, "" if nothing would.
func hint(q permissions.Question) string {
	if !slices.ContainsFunc(q.Options, permissions.Option.Allows) {
		return ""
	}
	if q.Judgement.Effect != permissions.Confirm && permissions.OnlyReads(q) {
		return string(ApproveReads)
	}
	return string(ApproveAll)
}

// deniedLine says what was denied and what would allow it.
func deniedLine(q permissions.Question) string {
	line := "not allowed: " + subject(q)
	asks := ""
	if q.Judgement.Effect == permissions.Confirm {
		asks = "your rule asks: " + safetext.Line(q.Judgement.By(), 200)
	}
	switch flag := hint(q); {
	case flag != "" && asks != "":
		line += " (" + asks + "; " + flag + " would allow it)"
	case flag != "":
		line += " (" + flag + " would allow it)"
	case asks != "":
		line += " (" + asks + ")"
	}
	return line
}

// unaskedLine says what ran without a question, or against the answer.
func unaskedLine(t *thread.Tool, by *thread.Subagent) string {
	line := did(t) + ": " + t.Trust.String()
	if by != nil {
		line += " (" + by.Name() + ")"
	}
	return line
}

// did describes what a tool call did: its command or its files, and the agent's title only
// if it names neither.
func did(t *thread.Tool) string {
	if line := t.Command(); line != "" && t.Kind == "execute" {
		return firstLine(line)
	}
	if paths := t.Paths(); len(paths) > 0 {
		return firstLine(strings.Join(paths, " "))
	}
	return firstLine(t.Title)
}

// subject describes a question in one line: what it asks about and showed, and the agent's
// words only if it names nothing.
func subject(q permissions.Question) string {
	if s := cmp.Or(q.Subject(), q.Description); s != "" && !strings.Contains(q.Heading, s) {
		return q.Heading + ": " + firstLine(s)
	}
	return q.Heading
}
