package probe

import (
	"cmp"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"

	"parley/acpclient/jsonrpc"
	"parley/acpclient/transport"
	"parley/internal/doctor"
	"parley/internal/envelope"
	"parley/internal/jsonscan"
)

// setup are the parameters by which a session is opened.
func (p *probe) setup(id string) map[string]any {
	params := map[string]any{"cwd": cmp.Or(p.Cwd, p.Dir), "mcpServers": []any{}}
	if id != "" {
		params["sessionId"] = id
	}
	return params
}

// opens tells the transport of a session before anything is sent for it.
func (w *wire) opens(id string) {
	w.probe.known[id] = true
	if c, ok := w.conn.(interface{ OpenSession(string) }); ok {
		c.OpenSession(id)
	}
}

// made notes a session that the probe has opened, to delete it in the end.
func (w *wire) made(id string) {
	w.probe.made = append(w.probe.made, id)
	w.opens(id)
}

func (p *probe) newSession() doctor.Finding {
	r := p.main.call(p.Patience.Start, "session/new", p.setup(""))
	switch {
	case r.code == jsonrpc.CodeAuthRequired:
		return loginNeeded(r)
	case !r.ok():
		return fail(r.how(), r.show())
	}
	p.session, p.opened = envelope.Text(at(r.Result, "sessionId")), r.Result
	if p.session == "" {
		return fail("the result has no sessionId", r.show())
	}
	p.main.made(p.session)
	current := envelope.Text(at(r.Result, "modes", "currentModeId"))
	if modes := at(r.Result, "modes", "availableModes"); modes != nil {
		found := false
		for it := jsonscan.ItemsOf(modes); it.Next(); {
			found = found || envelope.Text(at(it.Value, "id")) == current
		}
		if !found {
			return fail(fmt.Sprintf("the current mode %q is not among the available ones", current), r.show())
		}
	}
	return pass("opened")
}

func (p *probe) setMode() doctor.Finding {
	current := envelope.Text(at(p.opened, "modes", "currentModeId"))
	if current == "" {
		return skip("the session has no modes")
	}
	r := p.main.call(p.Patience.Call, "session/set_mode", map[string]string{"sessionId": p.session, "modeId": current})
	if !r.ok() {
		return fail("the current mode: "+r.how(), r.show())
	}
	if r = p.main.call(p.Patience.Call, "session/set_mode", map[string]string{"sessionId": p.session, "modeId": "parley-doctor-unknown"}); r.ok() {
		return warn("a mode that does not exist was accepted", r.show())
	}
	return pass("the current mode can be set, an unknown one cannot")
}

func (p *probe) setConfig() doctor.Finding {
	for it := jsonscan.ItemsOf(at(p.opened, "configOptions")); it.Next(); {
		id, value := envelope.Text(at(it.Value, "id")), envelope.Text(at(it.Value, "currentValue"))
		if id == "" || value == "" || envelope.Text(at(it.Value, "type")) != "select" {
			continue
		}
		r := p.main.call(p.Patience.Call, "session/set_config_option", map[string]string{"sessionId": p.session, "configId": id, "value": value})
		switch {
		case !r.ok():
			return fail("the current value of "+id+": "+r.how(), r.show())
		case jsonscan.KindOf(at(r.Result, "configOptions")) != jsonscan.Array:
			return fail("the result has no configOptions", r.show())
		}
		return pass("the current value of %s can be set", id)
	}
	return skip("the session has no options to choose from")
}

// mcpServers opens a session with servers of the kinds that are advertised. They answer, but are none.
func (p *probe) mcpServers() doctor.Finding {
	kinds := p.advertised("mcpCapabilities", "http", "sse")
	_, local := p.main.conn.(*transport.Stdio)
	switch {
	case len(kinds) == 0:
		return skip("none but stdio is advertised")
	case !local:
		return skip("the agent is on another machine")
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return skip("no server can be started here: %v", err)
	}
	server := &http.Server{Handler: http.NotFoundHandler(), ReadHeaderTimeout: p.Patience.Call}
	go server.Serve(listener)
	defer server.Close()
	var servers []any
	for _, kind := range kinds {
		servers = append(servers, map[string]any{"type": kind, "name": "doctor-" + kind, "url": "http://" + listener.Addr().String() + "/" + kind, "headers": []any{}})
	}
	params := p.setup("")
	params["mcpServers"] = servers
	r := p.main.call(p.Patience.Start, "session/new", params)
	if !r.ok() {
		return fail(fmt.Sprintf("a session with a server by %s: %s", strings.Join(kinds, " and by "), r.how()), message{raw: r.request, out: true}.show())
	}
	if id := envelope.Text(at(r.Result, "sessionId")); id != "" {
		p.main.made(id)
	}
	return pass("servers by %s are accepted", strings.Join(kinds, " and "))
}

// load opens the session on another connection, which must tell what was said.
func (p *probe) load() doctor.Finding {
	w, id, own := p.later, p.session, true
	w.opens(id)
	r := w.call(p.Patience.Start, "session/load", p.setup(id))
	refused := r
	if r.answered && !r.ok() { // another one shows whether sessions can be loaded at all
		listed, _ := p.stored(w)
		if i := slices.IndexFunc(listed, func(s stored) bool { return s.id != p.session }); i >= 0 {
			other := listed[i]
			params := p.setup(other.id)
			params["cwd"], id, own = other.cwd, other.id, false
			w.opens(other.id)
			r = w.call(p.Patience.Start, "session/load", params)
		}
	}
	if !r.ok() {
		return fail("the session that has just had a prompt: "+refused.how(), refused.show())
	}
	before, told := count(w.since(r.sent)[:r.at-r.sent], id)
	if !own {
		return warn("the session that has just had a prompt: "+refused.how()+"; another one can be loaded", refused.show())
	}
	m, late := w.after(r.at, func(m message) bool {
		of, kind, _ := m.update()
		return of == id && (kind == "user_message_chunk" || kind == "agent_message_chunk" || kind == "tool_call")
	})
	_, stdio := w.conn.(*transport.Stdio) // else it may come on another stream
	switch {
	case late && stdio:
		return fail("what was said is told after the answer", m.show())
	case told["user_message_chunk"] == 0 && !late:
		return fail("what the user had said was not told before the answer", r.show())
	}
	return pass("%d updates tell what was said", before)
}

// count counts the updates of a session, and those of each kind.
func count(all []message, session string) (n int, kinds map[string]int) {
	kinds = map[string]int{}
	for _, m := range all {
		if of, kind, _ := m.update(); kind != "" && of == session {
			n++
			kinds[kind]++
		}
	}
	return n, kinds
}

func (p *probe) loadUnknown() doctor.Finding {
	return unknownOf(p.later.call(p.Patience.Start, "session/load", p.setup(noSession)))
}

func (p *probe) resume() doctor.Finding {
	w := p.later
	w.opens(p.session)
	r := w.call(p.Patience.Start, "session/resume", p.setup(p.session))
	if !r.ok() {
		return warn("the session that has just had a prompt: "+r.how(), r.show())
	}
	if _, kinds := count(w.since(r.sent)[:r.at-r.sent], p.session); kinds["user_message_chunk"]+kinds["agent_message_chunk"] > 0 {
		return fail("what was said is told again, as only session/load does", r.show())
	}
	return pass("opened, without telling what was said")
}

func (p *probe) fork() doctor.Finding {
	r := p.later.call(p.Patience.Start, "session/fork", p.setup(p.session))
	id := envelope.Text(at(r.Result, "sessionId"))
	switch {
	case !r.ok():
		return fail(r.how(), r.show())
	case id == "" || id == p.session:
		return fail("the result has no new sessionId", r.show())
	}
	p.later.made(id)
	return pass("a session with another id")
}

// closeSession closes a new session.
func (p *probe) closeSession() doctor.Finding {
	w := p.later
	r := w.call(p.Patience.Start, "session/new", p.setup(""))
	id := envelope.Text(at(r.Result, "sessionId"))
	if id == "" {
		return skip("there is no session to close")
	}
	w.made(id)
	if r = w.call(p.Patience.Call, "session/close", map[string]string{"sessionId": id}); !r.ok() {
		return fail(r.how(), r.show())
	}
	return pass("closed")
}

// deleteSession deletes the sessions that the probe has opened.
func (p *probe) deleteSession() doctor.Finding {
	w := p.later
	for _, id := range p.made {
		w.opens(id)
		if r := w.call(p.Patience.Call, "session/delete", map[string]string{"sessionId": id}); !r.ok() && r.code != jsonrpc.CodeResourceNotFound {
			return fail(r.how(), r.show())
		}
	}
	if has(p.info, "agentCapabilities", "sessionCapabilities", "list") {
		if all, _ := p.stored(w); slices.ContainsFunc(all, func(s stored) bool { return s.id == p.session }) {
			return fail("a deleted session is still listed", "")
		}
	}
	return pass("what the probe had opened")
}
