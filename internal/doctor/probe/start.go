package probe

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"parley/acpclient/jsonrpc"
	"parley/internal/doctor"
	"parley/internal/envelope"
	"parley/internal/jsonscan"
	"parley/internal/words"
)

// Methods that no agent has. One that begins with an underscore is an extension, which an agent may take as it likes.
const (
	nowhere   = "parley/doctor/unknown"
	extension = "_parley/doctor/unknown"
)

// noSession is the id of a session that does not exist, of a shape that agents accept that check it.
const noSession = "00000000-0000-4000-8000-000000000000"

func (p *probe) initialize() doctor.Finding {
	w, r, err := p.start(p.offer(1))
	switch {
	case err != nil:
		return fail(err.Error(), "")
	case !r.answered && !w.alive():
		return fail(w.ended(), r.show())
	case r.code == jsonrpc.CodeUnsupportedVersion && jsonscan.KindOf(at(r.Error, "data", "supported")) == jsonscan.Array:
		w.conn.Close()
		return warn("speaks version "+strings.Trim(string(at(r.Error, "data", "supported")), "[]")+" alone, of which little is examined", r.show())
	case !r.ok():
		return fail(r.how()+" to an offer of version 1", r.show())
	}
	p.main, p.info = w, r.Result
	version := at(r.Result, "protocolVersion")
	if string(version) != "1" {
		return fail(fmt.Sprintf("answers version %s to an offer of 1", cmp.Or(string(version), "nothing")), r.show())
	}
	return pass("version 1 · %s", strings.TrimSpace(envelope.Text(at(r.Result, "agentInfo", "name"))+" "+envelope.Text(at(r.Result, "agentInfo", "version"))))
}

// capabilities checks the shape of what the agent can do.
func (p *probe) capabilities() doctor.Finding {
	shown := "got " + string(p.info)
	all := at(p.info, "agentCapabilities")
	if all != nil && jsonscan.KindOf(all) != jsonscan.Object {
		return fail("agentCapabilities is not an object", shown)
	}
	var can, wrong []string
	look := func(in string, kind jsonscan.Kind, prefix string, object []byte) {
		if object == nil {
			return
		}
		if jsonscan.KindOf(object) != jsonscan.Object {
			wrong = append(wrong, in)
			return
		}
		for m := jsonscan.MembersOf(object); m.Next(); {
			name, value := string(m.Key), m.Value
			if strings.HasPrefix(name, "_") || string(value) == "null" {
				continue
			}
			isBool := string(value) == "true" || string(value) == "false"
			if isBool != (kind == jsonscan.Bool) || !isBool && jsonscan.KindOf(value) != jsonscan.Object {
				wrong = append(wrong, in+"."+name)
			}
			if has(object, name) {
				can = append(can, prefix+name)
			}
		}
	}
	if load := at(all, "loadSession"); load != nil && string(load) != "true" && string(load) != "false" {
		wrong = append(wrong, "loadSession")
	} else if string(load) == "true" {
		can = append(can, "loadSession")
	}
	look("sessionCapabilities", jsonscan.Object, "", at(all, "sessionCapabilities"))
	look("promptCapabilities", jsonscan.Bool, "", at(all, "promptCapabilities"))
	look("mcpCapabilities", jsonscan.Bool, "mcp ", at(all, "mcpCapabilities"))
	switch {
	case len(wrong) > 0:
		return warn("of another type than the protocol says: "+strings.Join(wrong, ", "), shown)
	case envelope.Text(at(p.info, "agentInfo", "name")) == "" || envelope.Text(at(p.info, "agentInfo", "version")) == "":
		return warn("agentInfo has no name or version, which clients show", shown)
	case len(can) == 0:
		return pass("none beyond what every agent has")
	}
	return pass("%s", strings.Join(can, ", "))
}

func (p *probe) authMethods() doctor.Finding {
	raw := at(p.info, "authMethods")
	if raw == nil || string(raw) == "null" {
		return pass("none")
	}
	if jsonscan.KindOf(raw) != jsonscan.Array {
		return fail("authMethods is not an array", "got "+string(p.info))
	}
	var names, odd []string
	for it := jsonscan.ItemsOf(raw); it.Next(); {
		id, kind := envelope.Text(at(it.Value, "id")), envelope.Text(at(it.Value, "type"))
		if id == "" || envelope.Text(at(it.Value, "name")) == "" {
			return fail("a method has no id or no name", "got "+string(it.Value))
		}
		names = append(names, id)
		if !slices.Contains([]string{"", "agent", "terminal"}, kind) && !strings.HasPrefix(kind, "_") {
			odd = append(odd, fmt.Sprintf("%s is of type %s", id, kind))
		}
	}
	switch {
	case len(odd) > 0:
		return warn("a type that the protocol does not know: "+strings.Join(odd, ", "), "got "+string(raw))
	case len(names) == 0:
		return pass("none")
	}
	return pass("%s", strings.Join(names, ", "))
}

func (p *probe) unknownMethod() doctor.Finding {
	w, soon := p.main, p.Patience.Call/10
	r := w.await(soon, w.begin(nowhere, struct{}{}))
	if !r.answered { // a request that every agent must answer tells whether it answers at all
		p.bad = w.begin("session/new", badSession)
		r = w.await(p.Patience.Call-soon, r)
	}
	if p.silent = !r.answered; p.silent {
		p.Patience.Start = min(p.Patience.Start, p.Patience.Call)
		p.mute = !slices.ContainsFunc(w.since(r.sent), func(m message) bool { return !m.out })
	}
	if r.code != jsonrpc.CodeMethodNotFound {
		return fail(fmt.Sprintf("want error %d, got %s", jsonrpc.CodeMethodNotFound, r.how()), r.show())
	}
	if r := w.call(p.Patience.Call, extension, struct{}{}); r.code != jsonrpc.CodeMethodNotFound {
		return warn(fmt.Sprintf("an unknown extension: want error %d, got %s", jsonrpc.CodeMethodNotFound, r.how()), r.show())
	}
	return pass("error %d", r.code)
}

// unanswered sends a notification, which must not be answered.
func (p *probe) unanswered(method string, params any) doctor.Finding {
	w, from := p.main, p.main.place()
	w.notify(method, params)
	m, ok := w.after(from, func(m message) bool { return m.IsAnswer() && (m.ID == nil || string(m.ID) == "null") })
	if ok {
		return fail("it was answered; notifications must not be", m.show())
	}
	return pass("ignored")
}

func (p *probe) unknownNotification() doctor.Finding { return p.unanswered(extension, struct{}{}) }

func (p *probe) unknownCancel() doctor.Finding {
	return p.unanswered("$/cancel_request", map[string]any{"requestId": 471147})
}

// badSession asks for a session in a directory that is a number.
var badSession = map[string]any{"cwd": 7, "mcpServers": []any{}}

func (p *probe) badParams() doctor.Finding {
	r := p.bad
	if r.wire == nil {
		r = p.main.begin("session/new", badSession)
	}
	r = p.main.await(p.Patience.Start, r)
	switch {
	case !r.answered:
		return fail(r.how(), r.show())
	case r.ok():
		p.main.made(envelope.Text(at(r.Result, "sessionId")))
		return warn("a session in a directory that is a number was opened", r.show())
	case r.code == jsonrpc.CodeAuthRequired:
		return skip("a login is required first")
	case r.code != jsonrpc.CodeInvalidParams:
		return warn(fmt.Sprintf("want error %d, got %s", jsonrpc.CodeInvalidParams, r.how()), r.show())
	}
	return pass("error %d", r.code)
}

func (p *probe) unknownSession() doctor.Finding {
	r := p.main.call(p.Patience.Call, "session/prompt", map[string]any{"sessionId": noSession, "prompt": text(DefaultPrompt)})
	return unknownOf(r)
}

// unknownOf judges the answer about a session that does not exist.
func unknownOf(r reply) doctor.Finding {
	switch {
	case !r.answered:
		return fail(r.how(), r.show())
	case r.ok():
		return fail("a session that does not exist was accepted", r.show())
	case r.code != jsonrpc.CodeResourceNotFound && r.code != jsonrpc.CodeInvalidParams && r.code != jsonrpc.CodeAuthRequired:
		return warn(fmt.Sprintf("want error %d, got %s", jsonrpc.CodeResourceNotFound, r.how()), r.show())
	}
	return pass("error %d", r.code)
}

// ids checks that ids come back as they were sent.
func (p *probe) ids() doctor.Finding {
	for _, id := range []string{`"doctor-\u00e9 1"`, "0", bigID} {
		r := p.main.await(p.Patience.Call, p.main.beginAs(id, nowhere, struct{}{}))
		switch {
		case !r.answered:
			return fail("a request with the id "+id+" got "+r.how(), r.show())
		case id == bigID && string(r.ID) != id:
			return warn(fmt.Sprintf("%s comes back as %s: numbers beyond 2^53 are rounded", id, r.ID), r.show())
		}
	}
	return pass("strings and numbers come back as sent")
}

const megabyte = 1 << 20

func (p *probe) hugeMessage() doctor.Finding {
	r := p.main.call(p.Patience.Call, nowhere, map[string]string{"text": strings.Repeat("x", megabyte)})
	if !r.answered {
		return fail(r.how(), r.show())
	}
	return pass("answered")
}

// list checks the pages of stored sessions.
func (p *probe) list() doctor.Finding {
	all, f := p.stored(p.main)
	if f.State != "" {
		return f
	}
	return pass("%s", words.Count(len(all), "session"))
}

// stored is a session of a list.
type stored struct{ id, cwd string }

// stored lists sessions, 10 pages of them at most. The finding is empty if nothing is wrong.
func (p *probe) stored(w *wire) (all []stored, f doctor.Finding) {
	params, cursor := map[string]any{}, ""
	for range 10 {
		r := w.call(p.Patience.Call, "session/list", params)
		switch {
		case r.code == jsonrpc.CodeAuthRequired:
			return nil, skip("a login is required")
		case !r.ok():
			return nil, fail(r.how(), r.show())
		case jsonscan.KindOf(at(r.Result, "sessions")) != jsonscan.Array:
			return nil, fail("the result has no list of sessions", r.show())
		}
		for it := jsonscan.ItemsOf(at(r.Result, "sessions")); it.Next(); {
			s := stored{envelope.Text(at(it.Value, "sessionId")), envelope.Text(at(it.Value, "cwd"))}
			if s.id == "" || s.cwd == "" {
				return nil, fail("a session has no sessionId or no cwd", "got "+string(it.Value))
			}
			all = append(all, s)
		}
		next := at(r.Result, "nextCursor")
		if jsonscan.KindOf(next) != jsonscan.String {
			return all, f
		}
		if string(next) == cursor {
			return nil, fail("nextCursor is the cursor of the request: the list never ends", r.show())
		}
		cursor = string(next)
		params["cursor"] = json.RawMessage(next)
	}
	return all, f
}

func text(words string) []map[string]any {
	return []map[string]any{{"type": "text", "text": words}}
}
