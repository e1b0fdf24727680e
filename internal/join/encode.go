package join

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"parley/acpclient/event"
	"parley/acpclient/jsonrpc"
	"parley/acpclient/thread"
	"parley/acpclient/wire"
	"parley/internal/safetext"
	"parley/internal/workspace"
)

// dialect is what decides how an update is written. Clients with the same dialect get the same bytes.
type dialect struct {
	version  int
	notices  bool // it shows notices; all of version 2 do
	booleans bool // its options may be boolean; all of version 2 may
}

// object is a JSON object. Its members are encoded in the order of their names.
type object = map[string]any

// encode encodes an update of a session.
func encode(session string, update any) []byte {
	data, err := jsonrpc.Notification("session/update", struct {
		Session string `json:"sessionId"`
		Update  any    `json:"update"`
	}{session, update})
	if err != nil { // raw JSON of an agent that is none: it was checked
		return nil
	}
	return data
}

// chunk is a piece of a message.
type chunk struct {
	Kind    string `json:"sessionUpdate"`
	ID      string `json:"messageId"`
	Content any    `json:"content"`
}

// messageKinds are the names of messages in updates, without _chunk.
var messageKinds = map[thread.Kind]string{thread.UserMessage: "user_message", thread.AgentMessage: "agent_message", thread.ThoughtMessage: "agent_thought"}

// maxPiece bounds the text of one chunk, in bytes.
const maxPiece = 256 << 10

// pieces cuts a text between characters.
func pieces(text []byte) (out []string) {
	for len(text) > maxPiece {
		n := maxPiece
		for n > maxPiece-utf8.UTFMax && !utf8.RuneStart(text[n]) {
			n--
		}
		out = append(out, string(text[:n]))
		text = text[n:]
	}
	return append(out, string(text))
}

// notice is a line for the user at the client.
func notice(severity, title, description string) object {
	switch severity {
	case "info", "warning", "error":
	default:
		severity = "info"
	}
	if title = strings.TrimSpace(title); title == "" {
		title = "Notice"
	}
	n := object{"sessionUpdate": "notice", "severity": severity, "title": title}
	if description != "" {
		n["description"] = description
	}
	return n
}

// attachment returns the block of content that is not text, nil if its content is not known: of images, only
// the size is kept.
func attachment(c *event.Content) any {
	if c == nil || c.URI == "" || c.Kind != event.LinkContent && c.Kind != event.ResourceContent && c.Kind != event.ImageContent {
		return nil
	}
	name := c.Name
	if name == "" {
		name = c.URI
	}
	link := object{"type": "resource_link", "name": name, "uri": c.URI}
	if c.MimeType != "" {
		link["mimeType"] = c.MimeType
	}
	return link
}

// stopReason is a stop reason that clients know.
func stopReason(reason string) string {
	switch reason {
	case "end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled":
		return reason
	}
	return "end_turn"
}

// failure is an error of the agent's for a client.
func failure(err error) *jsonrpc.Error {
	return jsonrpc.Errorf(jsonrpc.CodeInternalError, "%s", safetext.Line(err.Error(), 500))
}

// state is the state_update of version 2.
func state(t *thread.Thread, last *event.TurnEnded) object {
	u := object{"sessionUpdate": "state_update"}
	switch t.State {
	case thread.Running, thread.Cancelling:
		u["state"] = "running"
	case thread.Waiting:
		u["state"] = "requires_action"
	default:
		if u["state"] = "idle"; last == nil {
			break
		}
		if u["stopReason"] = stopReason(last.StopReason); last.Err != nil {
			u["stopReason"], u["error"] = "error", failure(last.Err)
		}
	}
	return u
}

// slots are the updates that describe a session as a whole, by a key: the newest of each replaces those before.
func slots(s *workspace.Session, d dialect) (keys []string, updates map[string]object) {
	updates, t := map[string]object{}, s.Thread
	set := func(key, kind string, u object) {
		u["sessionUpdate"] = kind
		keys = append(keys, key)
		updates[key] = u
	}
	if title := s.Title(); title != "" {
		set("title", "session_info_update", object{"title": title})
	}
	if len(t.Commands) > 0 {
		set("commands", "available_commands_update", object{"availableCommands": commands(t, d)})
	}
	if d.version == 1 && t.HasModes() {
		set("mode", "current_mode_update", object{"currentModeId": t.Mode})
	}
	if all := options(s, d); len(all) > 0 {
		set("config", "config_option_update", object{"configOptions": all})
	}
	if u := t.Usage; u.Used > 0 || u.Size > 0 {
		usage := object{"used": u.Used, "size": u.Size}
		if u.Currency != "" {
			usage["cost"] = object{"amount": u.Cost, "currency": u.Currency}
		}
		set("usage", "usage_update", usage)
	}
	if d.version == 1 {
		if len(t.Plan) > 0 {
			set("plan", "plan", object{"entries": entries(t.Plan, d)})
		}
		return keys, updates
	}
	for _, p := range t.Plans {
		set("plan "+p.ID, "plan_update", object{"plan": plan(p, d)})
	}
	return keys, updates
}

// cleared returns the update for a slot that has lost its content, nil if there is none.
func cleared(key string, d dialect) object {
	id, isPlan := strings.CutPrefix(key, "plan ")
	switch {
	case key == "title":
		return object{"sessionUpdate": "session_info_update", "title": nil}
	case key == "commands":
		return object{"sessionUpdate": "available_commands_update", "availableCommands": []any{}}
	case key == "plan":
		return object{"sessionUpdate": "plan", "entries": []any{}}
	case isPlan:
		return object{"sessionUpdate": "plan_update", "plan": plan(thread.Plan{ID: id}, d)}
	}
	return nil
}

func plan(p thread.Plan, d dialect) object {
	id := p.ID
	if id == "" {
		id = "plan"
	}
	if p.Markdown != "" && len(p.Entries) == 0 {
		return object{"type": "markdown", "planId": id, "content": p.Markdown}
	}
	return object{"type": "items", "planId": id, "entries": entries(p.Entries, d)}
}

// known returns s if it is one of the values, else the first of them: the enums of version 1 are closed.
func known(s string, values ...string) string {
	for _, v := range values {
		if s == v {
			return s
		}
	}
	return values[0]
}

func entries(all []event.PlanEntry, d dialect) []object {
	out := []object{}
	for _, e := range all {
		if d.version == 1 {
			if e.Status == "cancelled" {
				e.Status = "completed"
			}
			e.Status = known(e.Status, "pending", "in_progress", "completed")
		}
		out = append(out, object{"content": e.Content, "priority": known(e.Priority, "medium", "high", "low"), "status": known(e.Status, "pending", "in_progress", "completed", "cancelled")})
	}
	return out
}

func commands(t *thread.Thread, d dialect) []object {
	out := []object{}
	for _, c := range t.Commands {
		o := object{"name": c.Name, "description": c.Description}
		if c.Hint != "" {
			o["input"] = object{"hint": c.Hint}
		}
		if d.version >= 2 {
			o["type"] = "command"
			if c.Hint != "" {
				o["input"] = object{"type": "text", "hint": c.Hint}
			}
		}
		out = append(out, o)
	}
	return out
}

// modeOption is the id by which clients of version 2, which has no modes, set the mode of an agent that has no
// option for it.
const modeOption = "parley/mode"

// options are the settings of a session that a client can change.
func options(s *workspace.Session, d dialect) []object {
	out := []object{}
	for _, o := range s.Settings() {
		if d.version == 1 && o.ID == "" || o.Type == "boolean" && !d.booleans {
			continue
		}
		id := o.ID
		if id == "" {
			id = modeOption
		}
		c := object{"name": o.Name}
		if o.Category != "" {
			c["category"] = o.Category
		}
		idKey, groupKey := "id", "group"
		if d.version >= 2 {
			idKey, groupKey = "configId", "groupId"
		}
		c[idKey] = id
		if o.Type == "boolean" {
			c["type"], c["currentValue"] = "boolean", o.Current == "on"
		} else if c["type"], c["currentValue"], c["options"] = "select", o.Current, choices(o.Choices, groupKey); len(o.Choices) == 0 {
			continue
		}
		out = append(out, c)
	}
	return out
}

// choices are the values of an option, in groups if all of them have one.
func choices(all []event.Choice, groupKey string) []object {
	grouped := true
	for _, ch := range all {
		grouped = grouped && ch.Group != ""
	}
	var out, groups []object
	for _, ch := range all {
		o := object{"value": ch.ID, "name": workspace.ChoiceName(ch)}
		if ch.Description != "" {
			o["description"] = ch.Description
		}
		out = append(out, o)
		if !grouped {
			continue
		}
		if n := len(groups); n == 0 || groups[n-1]["name"] != ch.Group {
			groups = append(groups, object{groupKey: ch.Group, "name": ch.Group, "options": []object{}})
		}
		last := groups[len(groups)-1]
		last["options"] = append(last["options"].([]object), o)
	}
	if grouped {
		return groups
	}
	return out
}

// modes are the modes of a session, nil if it has none.
func modes(t *thread.Thread) object {
	if !t.HasModes() {
		return nil
	}
	all := []object{}
	for _, m := range t.Modes {
		o := object{"id": m.ID, "name": workspace.ChoiceName(m)}
		if m.Description != "" {
			o["description"] = m.Description
		}
		all = append(all, o)
	}
	return object{"currentModeId": t.Mode, "availableModes": all}
}

// raw returns JSON as it is, and a text that is none as a string.
func raw(text string) any {
	switch {
	case text == "":
		return nil
	case json.Valid([]byte(text)):
		return json.RawMessage(text)
	}
	return text
}

// textContent is a text as an item of a tool call's content.
func textContent(text string) object {
	return object{"type": "content", "content": wire.TextBlock(text)}
}
