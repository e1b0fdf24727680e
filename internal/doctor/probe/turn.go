package probe

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"parley/acpclient/jsonrpc"
	"parley/internal/doctor"
	"parley/internal/envelope"
	"parley/internal/jsonscan"
	"parley/internal/safetext"
	"parley/internal/words"
)

// stopReasons are those of version 1.
var stopReasons = []string{"end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled"}

// content are the updates that belong to a turn. Others may come at any time.
var content = []string{"user_message_chunk", "agent_message_chunk", "agent_thought_chunk", "tool_call", "tool_call_update", "plan"}

// turn sends a prompt and waits for the end of its turn.
func (p *probe) turn(blocks any) reply {
	return p.over(p.main.await(p.Patience.Turn, p.begin(blocks)))
}

// over records a turn and the first update after its answer.
func (p *probe) over(r reply) reply {
	p.turns = append(p.turns, r)
	if !r.answered || p.late != nil {
		return r
	}
	late := func(m message) bool {
		session, kind, _ := m.update()
		return session == p.session && slices.Contains(content, kind)
	}
	if m, ok := p.main.after(r.at, late); ok {
		p.late = &m
	}
	return r
}

func (p *probe) begin(blocks any) reply {
	return p.main.begin("session/prompt", map[string]any{"sessionId": p.session, "prompt": blocks})
}

func (p *probe) prompt() doctor.Finding {
	r := p.turn(text(p.Prompt))
	said := ""
	for _, m := range p.main.since(r.sent) {
		if session, kind, update := m.update(); session == p.session && kind == "agent_message_chunk" && len(said) < 1000 { // the rest is not shown
			said += envelope.Text(at(update, "content", "text"))
		}
	}
	if f, wrong := ended(r); wrong {
		return f
	}
	p.spoken = true
	if said == "" {
		return warn("the turn ends without any text, as it does where errors of the model are swallowed", r.show())
	}
	return pass("%s · %q", envelope.Text(at(r.Result, "stopReason")), safetext.Line(strings.Join(strings.Fields(said), " "), 60))
}

// ended judges the answer to a prompt.
func ended(r reply) (f doctor.Finding, wrong bool) {
	switch reason := envelope.Text(at(r.Result, "stopReason")); {
	case r.code == jsonrpc.CodeAuthRequired:
		return loginNeeded(r), true
	case !r.ok():
		return fail(r.how(), r.show()), true
	case !slices.Contains(stopReasons, reason):
		return fail(fmt.Sprintf("the stop reason %q is none of the protocol", reason), r.show()), true
	}
	return f, false
}

func loginNeeded(r reply) doctor.Finding {
	f := warn("a login is required: "+safetext.Line(r.text, 200), r.show())
	f.Fix = "log in, then try again"
	return f
}

// picture is a PNG of one pixel, silence a WAV without samples.
const picture = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

var silence = base64.StdEncoding.EncodeToString([]byte("RIFF$\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00@\x1f\x00\x00\x80>\x00\x00\x02\x00\x10\x00data\x00\x00\x00\x00"))

// content sends a block of each kind that is advertised, in a prompt that it cancels.
func (p *probe) content() doctor.Finding {
	uri := "file://" + filepath.ToSlash(filepath.Join(p.Dir, "doctor.txt"))
	blocks := append(text(p.Prompt), map[string]any{"type": "resource_link", "name": "doctor.txt", "uri": uri})
	kinds := p.advertised("promptCapabilities", "image", "audio", "embeddedContext")
	for _, kind := range kinds {
		blocks = append(blocks, map[string]map[string]any{
			"image":           {"type": "image", "mimeType": "image/png", "data": picture},
			"audio":           {"type": "audio", "mimeType": "audio/wav", "data": silence},
			"embeddedContext": {"type": "resource", "resource": map[string]string{"uri": uri, "mimeType": "text/plain", "text": "Nothing."}},
		}[kind])
	}
	r, _ := p.cancelled(blocks)
	switch {
	case !r.answered && p.main.alive():
		return skip("the turn did not end, neither by itself nor by session/cancel")
	case r.code == jsonrpc.CodeRequestCancelled: // it was read; session/cancel judges the rest
	case !r.ok():
		return fail(fmt.Sprintf("a prompt with %s: %s", strings.Join(append([]string{"a link"}, kinds...), ", "), r.how()), r.show())
	}
	return pass("%s are accepted", strings.Join(append([]string{"text", "links"}, kinds...), ", "))
}

// headStart is how long a turn runs before it is cancelled if nothing is heard of it.
const headStart = 500 * time.Millisecond

// cancelled sends a prompt, cancels the turn, and waits for its end. It returns the place of the cancellation, too.
func (p *probe) cancelled(blocks any) (r reply, asked int) {
	w := p.main
	r = p.begin(blocks)
	begun := func(m message) bool {
		_, kind, _ := m.update()
		return slices.Contains(content, kind) || m.IsAnswer() && envelope.Key(m.ID) == envelope.Key(r.ID)
	}
	w.wait(min(headStart, p.Patience.Cancel), r.sent, begun)
	asked = w.notify("session/cancel", map[string]string{"sessionId": p.session})
	return p.over(w.await(p.Patience.Cancel, r)), asked
}

func (p *probe) cancel() doctor.Finding {
	r, place := p.cancelled(text(cmp.Or(p.CancelPrompt, p.Prompt)))
	asked := p.main.since(place)[0]
	if !r.answered {
		return fail("the turn had not ended "+seconds(p.Patience.Cancel)+" after session/cancel", asked.show())
	}
	took := r.message.at.Sub(asked.at)
	switch reason := envelope.Text(at(r.Result, "stopReason")); {
	case !r.ok():
		return fail("want the stop reason cancelled, got "+r.how(), r.show())
	case reason == "cancelled" && took > 5*time.Second:
		return warn("cancelled after "+seconds(took), r.show())
	case reason == "cancelled":
		return pass("cancelled after %s", seconds(took))
	case r.at < place || took < 2*time.Second:
		f := skip("the turn ended by itself (%s)", reason)
		f.Fix = "--cancel-prompt TEXT sends one that takes longer"
		return f
	default:
		return fail(fmt.Sprintf("the stop reason is %q, %s after session/cancel", reason, seconds(took)), r.show())
	}
}

// permissions checks that rejects are respected: those of all turns so far, and of a prompt for which the agent
// asks.
func (p *probe) permissions() doctor.Finding {
	w := p.main
	before := p.files()
	if p.PermissionPrompt != "" {
		if f, wrong := ended(p.turn(text(p.PermissionPrompt))); wrong {
			return f
		}
	}
	w.mu.Lock()
	asked := slices.Clone(w.asked)
	w.mu.Unlock()
	if len(asked) == 0 {
		f := skip("the agent asked for nothing")
		if p.PermissionPrompt == "" {
			f.Fix = "--permission-prompt TEXT sends a prompt for which it must ask"
		}
		return f
	}
	log := w.since(0)
	for _, q := range asked {
		if f, wrong := p.respected(log, q); wrong {
			return f
		}
	}
	if changed := p.files(); changed != before {
		return fail("files were changed although it was rejected: "+strings.TrimSpace(changed), log[asked[0].asked].show())
	}
	return pass("the agent waits, and does nothing that was rejected")
}

// respected checks the shape of a question, and what the agent did before and after its answer.
func (p *probe) respected(log []message, q *question) (f doctor.Finding, wrong bool) {
	m := log[q.asked]
	id := envelope.Text(at(m.Params, "toolCall", "toolCallId"))
	if id == "" || envelope.Session(m.Params) == "" {
		return fail("a request has no sessionId or no toolCallId", m.show()), true
	}
	n := 0
	for it := jsonscan.ItemsOf(at(m.Params, "options")); it.Next(); n++ {
		for _, name := range []string{"optionId", "name", "kind"} {
			if at(it.Value, name) == nil {
				return fail("an option has no "+name, m.show()), true
			}
		}
	}
	if n == 0 {
		return fail("a request has no options", m.show()), true
	}
	for i := q.asked + 1; i < len(log); i++ {
		when := "although it was rejected"
		if q.answered == 0 || i < q.answered {
			when = "before it was answered"
		}
		_, kind, update := log[i].update()
		done := kind == "tool_call_update" && envelope.Text(at(update, "toolCallId")) == id && envelope.Text(at(update, "status")) == "completed"
		acts := !log[i].out && log[i].ID != nil && log[i].HasMethod("fs/write_text_file")
		if done {
			return fail("the tool call was completed "+when, log[i].show()), true
		}
		if acts {
			return fail("a file was written "+when, log[i].show()), true
		}
	}
	return f, false
}

// files describes the files of the directory.
func (p *probe) files() string {
	var b strings.Builder
	fs.WalkDir(p.root.FS(), ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			if info, err := d.Info(); err == nil {
				fmt.Fprintf(&b, "%s (%d bytes, %s) ", safetext.Line(path, 100), info.Size(), info.ModTime().Format("15:04:05.000000"))
			}
		}
		return nil
	})
	return b.String()
}

func (p *probe) largePrompt() doctor.Finding {
	if !p.Large {
		return skip("--large-prompt sends one")
	}
	r := p.turn(text(p.Prompt + "\n" + strings.Repeat("This line fills the prompt. ", megabyte/28)))
	if f, wrong := ended(r); wrong {
		return f
	}
	return pass("%s", envelope.Text(at(r.Result, "stopReason")))
}

// order checks that no turn continues after its answer, and that tool calls begin before they change.
func (p *probe) order() doctor.Finding {
	if len(p.turns) == 0 {
		return skip("no turn has ended")
	}
	if p.late != nil {
		return fail("an update after the answer of its turn", p.late.show())
	}
	w, n := p.main, 0
	for _, turn := range p.turns {
		if turn.answered {
			sent, _ := count(w.since(turn.sent)[:turn.at-turn.sent], p.session)
			n += sent
		}
	}
	begun, asked := map[string]bool{}, map[string]bool{}
	var unannounced *message
	for _, m := range w.since(0) {
		_, kind, update := m.update()
		id := envelope.Text(at(update, "toolCallId"))
		switch {
		case kind == "tool_call":
			begun[id] = true
		case !m.out && m.HasMethod("session/request_permission"):
			asked[envelope.Text(at(m.Params, "toolCall", "toolCallId"))] = true
		case kind == "tool_call_update" && !begun[id] && !asked[id]:
			return fail("a tool_call_update without a tool_call before it", m.show())
		case kind == "tool_call_update" && !begun[id] && unannounced == nil:
			unannounced = &m
		}
	}
	if unannounced != nil {
		return warn("a tool_call_update without a tool_call before it: only the question announced it", unannounced.show())
	}
	return pass("%s, all before the answers of their turns", words.Count(n, "update"))
}

// updates checks the shape of all updates of the connection.
func (p *probe) updates() doctor.Finding {
	n := 0
	for _, m := range p.main.since(0) {
		if m.out || !m.HasMethod("session/update") {
			continue
		}
		n++
		session, kind, update := m.update()
		if session == "" || kind == "" {
			return fail("an update has no sessionId or no sessionUpdate", m.show())
		}
		if kind == "subagent_update" {
			p.known[envelope.Text(at(update, "sessionId"))] = true
		}
	}
	for _, m := range p.main.since(0) {
		if session, kind, _ := m.update(); kind != "" && !p.known[session] {
			return fail("an update of a session that was not opened", m.show())
		}
	}
	return pass("%s", words.Count(n, "update"))
}
