package probe

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"parley/acpclient/jsonrpc"
	"parley/internal/doctor"
	"parley/internal/envelope"
	"parley/internal/safetext"
)

// replaced are updates of version 1 that version 2 does not have.
var replaced = []string{"tool_call", "plan", "current_mode_update"}

// second is the connection that was offered version 2.
type second struct {
	*wire
	info    []byte // the result of initialize, nil if the answer is another version
	session string
}

func offerTwo(p *probe) doctor.Finding {
	p.later.end()
	w, r, err := p.start(p.offer(2))
	if err != nil {
		return fail(err.Error(), "")
	}
	p.second.wire = w
	if string(at(r.Result, "protocolVersion")) == "2" {
		p.second.info = r.Result
		w.speaks(2)
	}
	return offered(w, r, 2)
}

func newSessionTwo(p *probe) doctor.Finding {
	w := &p.second
	if !has(w.info, "capabilities", "session") {
		return skip("not advertised")
	}
	r := w.call(p.Patience.Start, "session/new", p.setup(""))
	switch {
	case r.code == jsonrpc.CodeAuthRequired:
		return skip("a login is required")
	case !r.ok():
		return fail(r.how(), r.show())
	}
	if w.session = envelope.Text(at(r.Result, "sessionId")); w.session == "" {
		return fail("the result has no sessionId", r.show())
	}
	w.opens(w.session)
	return pass("opened")
}

// idle matches the update that ends a turn.
func idle(m message) bool {
	_, kind, update := m.update()
	return kind == "state_update" && envelope.Text(at(update, "state")) == "idle" && at(update, "stopReason") != nil
}

func reasonOf(m message) string {
	_, _, update := m.update()
	return envelope.Text(at(update, "stopReason"))
}

func (w *second) begin(words string) reply {
	return w.wire.begin("session/prompt", map[string]any{"sessionId": w.session, "prompt": text(words)})
}

func promptTwo(p *probe) doctor.Finding {
	w := &p.second
	r := w.await(p.Patience.Turn, w.begin(p.Prompt))
	if !r.ok() {
		return fail(r.how(), r.show())
	}
	end, place, ok := w.wait(p.Patience.Turn, r.sent, idle)
	if !ok {
		return fail("no state_update says that the turn has ended", r.show())
	}
	said := false
	for _, m := range w.since(r.sent)[:place-r.sent] {
		_, kind, update := m.update()
		message := strings.HasPrefix(kind, "agent_message")
		said = said || message
		switch {
		case slices.Contains(replaced, kind):
			return fail(kind+" is an update of version 1", m.show())
		case message && envelope.Text(at(update, "messageId")) == "":
			return fail(kind+" has no messageId", m.show())
		}
	}
	switch reason := reasonOf(end); {
	case reason == "error":
		return fail("the turn fails: "+safetext.Line(envelope.Text(at(end.Params, "update", "error", "message")), 200), end.show())
	case !slices.Contains(stopReasons, reason) && !strings.HasPrefix(reason, "_"):
		return fail(fmt.Sprintf("the stop reason %q is none of the protocol", reason), end.show())
	case envelope.Text(at(r.Result, "messageId")) == "":
		return warn("the result has no messageId", r.show())
	case !said:
		return warn("the turn ends without any text, as it does where errors of the model are swallowed", end.show())
	default:
		return pass("%s, by a state_update", reason)
	}
}

func cancelTwo(p *probe) doctor.Finding {
	w := &p.second
	r := w.begin(cmp.Or(p.CancelPrompt, p.Prompt))
	running := func(m message) bool {
		_, kind, update := m.update()
		return strings.HasPrefix(kind, "agent_") || kind == "state_update" && envelope.Text(at(update, "state")) == "running"
	}
	w.wait(min(headStart, p.Patience.Cancel), r.sent, running)
	asked, begun := w.place(), time.Now()
	w.notify("session/cancel", map[string]string{"sessionId": w.session})
	end, _, ok := w.wait(p.Patience.Cancel, asked, func(m message) bool {
		return idle(m) || m.Failed() && envelope.Key(m.ID) == envelope.Key(r.ID)
	})
	took := time.Since(begun)
	if !ok {
		if _, _, before := w.wait(0, r.sent, idle); before {
			return skip("the turn ended by itself")
		}
		return fail("no state_update says that the turn has ended "+seconds(p.Patience.Cancel)+" after session/cancel", w.since(asked)[0].show())
	}
	switch reason := reasonOf(end); {
	case end.Failed() && code(end) == jsonrpc.CodeRequestCancelled:
		return pass("withdrawn after %s, before its turn began", seconds(took))
	case end.Failed():
		return fail(fmt.Sprintf("want the stop reason cancelled, got error %d", code(end)), end.show())
	case reason == "cancelled":
		return pass("cancelled after %s", seconds(took))
	case took < 2*time.Second:
		return skip("the turn ended by itself (%s)", reason)
	default:
		return fail(fmt.Sprintf("the stop reason is %q, %s after session/cancel", reason, seconds(took)), end.show())
	}
}

// forgetTwo deletes the session of version 2.
func forgetTwo(p *probe) {
	if w := &p.second; w.session != "" && w.alive() && has(w.info, "capabilities", "session", "delete") {
		w.call(p.Patience.Call, "session/delete", map[string]string{"sessionId": w.session})
	}
}
