package join

import (
	"crypto/rand"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"parley/acpclient/event"
	"parley/acpclient/jsonrpc"
	"parley/acpclient/thread"
	"parley/internal/hello"
	"parley/internal/safetext"
	"parley/internal/workspace"
)

// method is one that clients may call.
type method struct {
	version int  // that has it; 0: both
	talks   bool // it needs the role talk
	handle  func(c *client, r *request)
}

// methodOf returns the method with that name, nil if there is none.
func methodOf(name string) *method {
	return map[string]*method{
		"initialize":                {0, false, (*client).initialize},
		"session/list":              {0, false, (*client).list},
		"session/load":              {1, false, (*client).load},
		"session/resume":            {0, false, (*client).resume},
		"session/status":            {0, false, (*client).status},
		"session/close":             {0, false, (*client).close},
		"session/new":               {0, true, (*client).open},
		"session/prompt":            {0, true, (*client).prompt},
		"session/cancel":            {0, true, (*client).cancel},
		"session/set_mode":          {1, true, (*client).setMode},
		"session/set_config_option": {0, true, (*client).setOption},
	}[name]
}

func (c *client) initialize(r *request) {
	var p struct {
		ProtocolVersion    json.RawMessage
		ClientCapabilities struct {
			Session struct {
				Notices       json.RawMessage
				ConfigOptions struct{ Boolean json.RawMessage }
			}
		}
	}
	offered := func(marker json.RawMessage) bool {
		return len(marker) > 0 && string(marker) != "null" && string(marker) != "false"
	}
	var version int
	if err := r.decode(&p); err != nil && p.ProtocolVersion == nil {
		r.answer(nil, err)
		return
	}
	if json.Unmarshal(p.ProtocolVersion, &version) != nil || version < 1 {
		r.answer(nil, jsonrpc.Errorf(jsonrpc.CodeUnsupportedVersion, "Unsupported protocol version").WithData(object{"requested": version, "supported": []int{1, 2}}))
		return
	}
	version = min(version, 2)
	if c.ready && version != c.dialect.version {
		r.answer(nil, jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "Initialized with version %d already", c.dialect.version))
		return
	}
	s := p.ClientCapabilities.Session
	if !c.ready {
		c.dialect = dialect{version, version >= 2 || offered(s.Notices), version >= 2 || offered(s.ConfigOptions.Boolean)}
	}
	c.ready = true
	images := slices.ContainsFunc(c.hub.w.Agents(), func(a *workspace.Agent) bool { return a.Info() != nil && a.Info().Image })
	r.answer(hello.Initialized(version, c.hub.opts.Version, images), nil)
}

// maxID bounds the id of a session.
const maxID = 200

// idFor returns the id by which clients know a session: the agent's own, so that it is the same in another run, or
// another one if that cannot be used everywhere.
func (h *Hub) idFor(s *workspace.Session) string {
	id := s.Thread.Session
	odd := strings.ContainsFunc(id, func(r rune) bool { return r <= ' ' || r > '~' })
	if id == "" || odd || len(id) > maxID || h.feed(id) != nil {
		return "parley-" + rand.Text()
	}
	return id
}

// session returns the session of a request, nil if the request was answered with an error.
func (c *client) session(r *request, id string) *feed {
	for _, s := range c.hub.w.Sessions() {
		c.hub.feedOf(s)
	}
	f := c.hub.feed(id)
	if f == nil && r.answer != nil {
		r.answer(nil, jsonrpc.Errorf(jsonrpc.CodeResourceNotFound, "No such session: %s", safetext.Line(id, 100)).WithData(map[string]string{"sessionId": id}))
	}
	return f
}

// about decodes the parameters of a request about a session. It returns nil if the request was answered with an
// error.
func (c *client) about(r *request, into any) *feed {
	var p struct{ SessionID string }
	err := r.decode(&p)
	if err == nil && into != nil {
		err = r.decode(into)
	}
	if err != nil {
		if r.answer != nil {
			r.answer(nil, err)
		}
		return nil
	}
	return c.session(r, p.SessionID)
}

func (c *client) list(r *request) {
	var p struct {
		Cwd    string
		Cursor *string
	}
	if err := r.decode(&p); err != nil {
		r.answer(nil, err)
		return
	}
	if p.Cursor != nil {
		r.answer(nil, invalid("The list has one page"))
		return
	}
	all := []object{}
	for _, s := range c.hub.w.Sessions() {
		f := c.hub.feedOf(s)
		if f == nil || p.Cwd != "" && filepath.Clean(p.Cwd) != filepath.Clean(s.Cwd()) {
			continue
		}
		o := object{"sessionId": f.id, "cwd": s.Cwd(), "updatedAt": f.updated.UTC().Format(time.RFC3339)}
		if title := strings.TrimSpace(s.Title()); title != "" {
			o["title"] = title
		}
		all = append(all, o)
	}
	slices.SortStableFunc(all, func(a, b object) int { return strings.Compare(b["updatedAt"].(string), a["updatedAt"].(string)) })
	r.answer(object{"sessions": all}, nil)
}

func (c *client) load(r *request) {
	if f := c.about(r, nil); f != nil {
		c.follow(f, true, r, nil)
	}
}

func (c *client) resume(r *request) {
	var p struct{ ReplayFrom *struct{ Type string } }
	f := c.about(r, &p)
	if f == nil {
		return
	}
	replay := c.dialect.version >= 2 && p.ReplayFrom != nil
	if replay && p.ReplayFrom.Type != "start" {
		r.answer(nil, invalid("Sessions are replayed from their start"))
		return
	}
	c.follow(f, replay, r, nil)
}

// follow has the client follow a session, and answers the request when it is up to date. Later requests wait.
func (c *client) follow(f *feed, replay bool, r *request, more object) {
	c.busy = true
	f.follow(c, replay, c.hub.opts.Now(), func() {
		c.busy = false
		result := c.offers(f)
		for key, value := range more {
			result[key] = value
		}
		r.answer(result, nil)
		if f.session.Busy() && c.dialect.version < 2 && c.dialect.notices {
			c.send(encode(f.id, notice("info", "A turn is running in this session", "Prompts wait for its end")))
		}
		c.hub.askLate(c, f)
	})
	if c.busy {
		c.hub.soon(pace)
	}
}

// offers is what the answer to a request that opens a session says of it.
func (c *client) offers(f *feed) object {
	o := object{}
	if all := options(f.session, c.dialect); len(all) > 0 {
		o["configOptions"] = all
	}
	if c.dialect.version >= 2 {
		o["availableCommands"] = commands(f.session.Thread, c.dialect)
	} else if m := modes(f.session.Thread); m != nil {
		o["modes"] = m
	}
	return o
}

func (c *client) status(r *request) {
	f := c.about(r, nil)
	if f == nil {
		return
	}
	s := state(f.session.Thread, f.last)
	delete(s, "sessionUpdate")
	r.answer(object{"status": "open", "state": s}, nil)
}

// close ends following a session. The session stays open: others are in it.
func (c *client) close(r *request) {
	f := c.about(r, nil)
	if f == nil {
		return
	}
	for _, p := range slices.Clone(f.prompts) {
		if p.client == c {
			f.unqueue(p)
			f.remove(p)
			p.stopped()
		}
	}
	f.leave(c)
	c.hub.unask(c, f)
	r.answer(object{}, nil)
}

// maxSessions is how many sessions there may be for a client to open another one.
const maxSessions = 64

// open opens a session with the agent in front.
func (c *client) open(r *request) {
	var p struct{ Cwd string }
	if err := r.decode(&p); err != nil {
		r.answer(nil, err)
		return
	}
	if !filepath.IsAbs(p.Cwd) {
		r.answer(nil, invalid("cwd must be an absolute path"))
		return
	}
	if len(c.hub.w.Sessions()) >= maxSessions {
		r.answer(nil, jsonrpc.Errorf(jsonrpc.CodeInternalError, "There are %d sessions: close some", maxSessions))
		return
	}
	c.hub.w.Front().Agent.OpenIn(filepath.Clean(p.Cwd), func(s *workspace.Session, err error) {
		var f *feed
		if err == nil {
			f = c.hub.feedOf(s)
		}
		switch {
		case err == workspace.ErrElsewhere:
			r.answer(nil, invalid("%v", err))
		case err != nil:
			r.answer(nil, failure(err))
		case f == nil:
			r.answer(nil, jsonrpc.Errorf(jsonrpc.CodeInternalError, "The session was closed"))
		default:
			s.Say(c.label() + " opened a session")
			c.follow(f, true, r, object{"sessionId": f.id})
		}
	})
}

func (c *client) setMode(r *request) {
	var p struct{ ModeID string }
	f := c.about(r, &p)
	if f == nil {
		return
	}
	c.set(r, f, "", p.ModeID, func() any { return object{} })
}

func (c *client) setOption(r *request) {
	var p struct {
		ConfigID, Type string
		Value          json.RawMessage
	}
	f := c.about(r, &p)
	if f == nil {
		return
	}
	var value string
	var on bool
	switch {
	case p.Type == "boolean" && json.Unmarshal(p.Value, &on) == nil:
		value = map[bool]string{true: "on", false: "off"}[on]
	case p.Type != "boolean" && json.Unmarshal(p.Value, &value) == nil:
	default:
		r.answer(nil, invalid("The value does not fit"))
		return
	}
	id := p.ConfigID
	if id == modeOption {
		id = ""
	}
	c.set(r, f, id, value, func() any { return object{"configOptions": options(f.session, c.dialect)} })
}

// set changes a setting of a session.
func (c *client) set(r *request, f *feed, id, value string, result func() any) {
	all := f.session.Settings()
	i := slices.IndexFunc(all, func(s workspace.Setting) bool { return s.ID == id })
	if i < 0 || !slices.ContainsFunc(all[i].Choices, func(ch event.Choice) bool { return ch.ID == value }) {
		r.answer(nil, invalid("The session has no such setting or value"))
		return
	}
	if !f.session.IsOpen() || f.session.Thread.State == thread.Ended {
		r.answer(nil, jsonrpc.Errorf(jsonrpc.CodeInternalError, "The agent is not connected"))
		return
	}
	f.session.Say(c.label() + " changed: " + all[i].Name)
	all[i].Set(value, func(err error) {
		if err != nil {
			r.answer(nil, failure(err))
			return
		}
		f.other = true
		c.hub.flush()
		r.answer(result(), nil)
	})
}
