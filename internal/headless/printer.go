package headless

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"parley/acpclient"
	"parley/acpclient/thread"
	"parley/internal/safetext"
	"parley/permissions"
)

// printer writes what happens in one of the formats.
type printer interface {
	started(agent acpclient.AgentInfo, session, cwd string)
	// event comes after the thread has taken it.
	event(e acpclient.Event, t *thread.Thread)
	denied(q permissions.Question)
	ended(stopReason string, err error, code int, took time.Duration, t *thread.Thread)
}

func newPrinter(o Options) printer {
	switch o.Format {
	case "json":
		return &jsonPrinter{stream: jsonStream{out: bufio.NewWriter(o.Stdout)}, stderr: o.Stderr}
	case "stream-json":
		return &streamPrinter{stream: jsonStream{out: bufio.NewWriter(o.Stdout)}}
	}
	return &textPrinter{out: o.Stdout, err: o.Stderr, tools: map[string]string{}}
}

// textPrinter writes the answer to stdout and everything else to stderr.
type textPrinter struct {
	out, err io.Writer
	tools    map[string]string // id -> last line written
	wrote    bool
	newlines int    // at the end of what was written
	message  string // id of the message being written
	broken   bool   // something stood between: the next message starts a paragraph
}

func (p *textPrinter) started(acpclient.AgentInfo, string, string) {}

func (p *textPrinter) event(e acpclient.Event, t *thread.Thread) {
	switch e := e.(type) {
	case acpclient.TextArrived:
		if e.Role == acpclient.Agent {
			p.text(e)
		}
	case acpclient.ToolChanged:
		p.tool(e.ID, t)
	case acpclient.PermissionSettled:
		if e.By != "" {
			p.note("%s: %s, by %s", e.Subject, e.Decision, e.By)
		}
	case acpclient.NoticeArrived:
		p.note("%s: %s %s", e.Severity, e.Title, e.Description)
	}
}

func (p *textPrinter) text(e acpclient.TextArrived) {
	text := e.Text
	if p.wrote && (p.broken || e.MessageID != p.message) {
		// A paragraph of its own, whatever the message before ended with.
		text = strings.Repeat("\n", max(0, 2-p.newlines)) + strings.TrimLeft(text, "\n")
	}
	p.message, p.broken, p.wrote = e.MessageID, false, true
	io.WriteString(p.out, text)
	if body := strings.TrimRight(text, "\n"); body == "" {
		p.newlines += len(text)
	} else {
		p.newlines = len(text) - len(body)
	}
}

func (p *textPrinter) tool(id string, t *thread.Thread) {
	tool := t.Tool(id)
	if tool == nil {
		return
	}
	p.broken = true
	line := toolLine(tool)
	if p.tools[id] != line && tool.Title != "" {
		p.tools[id] = line
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

func (p *textPrinter) note(format string, args ...any) {
	fmt.Fprintf(p.err, "parley: %s\n", strings.TrimSpace(fmt.Sprintf(format, args...)))
}

func (p *textPrinter) denied(q permissions.Question) {
	p.note("not allowed: %s (%s would allow it)", subject(q), hint(q))
}

func (p *textPrinter) ended(reason string, err error, code int, _ time.Duration, _ *thread.Thread) {
	if p.wrote && p.newlines == 0 {
		io.WriteString(p.out, "\n")
	}
	if err != nil {
		p.note("%v", err)
		for _, l := range stderrOf(err) {
			p.note("  stderr: %s", l)
		}
		return
	}
	if reason != "end_turn" {
		p.note("the turn ended with %s", reason)
	}
}

// stderrOf is the tail of the agent's stderr where the error has one.
func stderrOf(err error) []string {
	var exit *acpclient.ExitError
	if errors.As(err, &exit) {
		return exit.Stderr
	}
	return nil
}

func firstLine(s string) string {
	line, rest, _ := strings.Cut(strings.TrimSpace(s), "\n")
	if rest != "" {
		line += " …"
	}
	return safetext.Line(line, 200)
}

// jsonStream writes one JSON object a line, flushed.
type jsonStream struct{ out *bufio.Writer }

func (s jsonStream) write(v any) {
	enc := json.NewEncoder(s.out)
	enc.SetEscapeHTML(false)
	enc.Encode(v)
	s.out.Flush()
}
