package acpclient_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
)

// generated is one message of an agent.
type generated struct {
	line   []byte
	kind   string // of the update, or the method
	id     string // raw; "" for a notification
	method string // as written in the message
	params any
	sound  bool
	cut    bool // not JSON
	known  bool // it belongs to an open session
}

// conversation generates messages from the schema.
type conversation struct {
	generator
	updates  []any             // the variants of session/update
	requests map[string]string // the methods that agents call, with their definitions
	names    []string          // their names, sorted
	asked    int
	last     string // id of the last request
}

// rawDefinitions are the definitions of the schema, unmodified. They must not be
// changed.
var rawDefinitions = sync.OnceValues(func() (map[string]any, error) {
	data, err := os.ReadFile(filepath.Join(shared("ACP_SCHEMA_DIR", "schema"), "v1", "schema.json"))
	if err != nil {
		return nil, err
	}
	var doc struct {
		Defs map[string]any `json:"$defs"`
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	err = d.Decode(&doc)
	return doc.Defs, err
})

func newConversation(t testing.TB, choose func(int) int) *conversation {
	t.Helper()
	defs, err := rawDefinitions()
	if os.IsNotExist(err) {
		t.Skipf("the ACP schema is absent, set ACP_SCHEMA_DIR: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	c := &conversation{generator: generator{defs, choose}, requests: map[string]string{}}
	c.updates = items(defs["SessionUpdate"].(map[string]any)["oneOf"])
	for name, def := range defs {
		def := def.(map[string]any)
		if method, ok := def["x-method"].(string); ok && def["x-side"] == "client" && strings.HasSuffix(name, "Request") {
			c.requests[method] = name
		}
	}
	c.names = slices.Sorted(maps.Keys(c.requests))
	return c
}

// next returns a message: valid or broken, an update, a request or another notification.
func (c *conversation) next() generated {
	m := generated{sound: c.choose(2) == 0, known: true}
	what := c.choose(10)
	switch {
	case what < 5:
		m.method = "session/update"
		update := c.value(c.updates[c.choose(len(c.updates))], 0).(map[string]any)
		m.kind = update["sessionUpdate"].(string)
		m.params = map[string]any{"sessionId": "s1", "update": update}
	case what < 9:
		m.method = c.names[c.choose(len(c.names))]
		m.kind = m.method
		m.params = c.of(c.requests[m.method])
		c.asked++
		m.id = []string{fmt.Sprint(c.asked), fmt.Sprintf(`"r%d"`, c.asked)}[c.choose(2)]
	case c.last != "" && c.choose(2) == 0:
		m.method, m.kind, m.params = "$/cancel_request", "$/cancel_request", map[string]any{"requestId": json.RawMessage(c.last)}
	default:
		m.method, m.kind, m.params = "elicitation/complete", "elicitation/complete", c.of("CompleteElicitationNotification")
	}
	if p, ok := m.params.(map[string]any); ok && p["sessionId"] != nil {
		if p["sessionId"] = "s1"; c.oneIn(20) {
			p["sessionId"], m.known = "s9", false
		}
	}
	c.finish(&m)
	return m
}

// finish breaks the message if it should be broken, and encodes it.
func (c *conversation) finish(m *generated) {
	member := true
	if !m.sound {
		switch c.choose(12) {
		case 0:
			m.method += "x"
		case 1:
			m.params = c.anything(0)
		case 2:
			member = false
		case 3:
			m.cut = true
		default:
			m.params = c.damage(m.params)
		}
	}
	params, _ := json.Marshal(m.params)
	var line bytes.Buffer
	fmt.Fprintf(&line, `{"jsonrpc":"2.0","method":%q`, m.method)
	if member {
		fmt.Fprintf(&line, `,"params":%s`, params)
	}
	if m.id != "" {
		fmt.Fprintf(&line, `,"id":%s`, m.id)
		c.last = m.id
	}
	line.WriteByte('}')
	m.line = line.Bytes()
	if m.cut {
		m.line, m.id = m.line[:1+c.choose(len(m.line)-1)], ""
	}
}

// validNeighbour returns the update that follows the i-th message.
func validNeighbour(i int) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"agent_message_chunk","messageId":"sound-%d","content":{"type":"text","text":"number %d"}}}}`, i, i)
}

// TestGenerated sends 20 000 messages of every kind, valid and broken, each followed by
// a valid update.
func TestGenerated(t *testing.T) {
	const total, at = 20_000, 250
	random := rand.New(rand.NewPCG(1, 2))
	c := newConversation(t, random.IntN)
	s := schema(t)
	seen := map[string][2]int{} // by kind: broken, valid
	synctest.Test(t, func(t *testing.T) {
		rig := newGeneratedRig(t)
		defer rig.client.Close()
		for first := 0; first < total; first += at {
			messages := make([]generated, at)
			for i := range messages {
				m := c.next()
				messages[i] = m
				count := seen[m.kind]
				if count[0]++; m.sound {
					count[0], count[1] = count[0]-1, count[1]+1
				}
				seen[m.kind] = count
				if i%10 == 0 {
					checkGenerated(t, s, m)
				}
			}
			rig.exchange(first, messages)
		}
	})
	for _, kind := range slices.Sorted(maps.Keys(seen)) {
		count := seen[kind]
		t.Logf("%-30s %5d sound %5d broken", kind, count[1], count[0])
		if count[0] < 100 || count[1] < 100 {
			t.Errorf("%s: only %d sound and %d broken", kind, count[1], count[0])
		}
	}
	if len(seen) != len(c.updates)+len(c.requests)+2 {
		t.Errorf("%d kinds of messages, but there are %d updates and %d requests", len(seen), len(c.updates), len(c.requests))
	}
}

// checkGenerated validates the messages that are meant to be valid.
func checkGenerated(t *testing.T, s *schemaV1, m generated) {
	if !m.sound {
		return
	}
	def := s.definition("client", m.method, "Request")
	if m.id == "" {
		def = s.definition("client", m.method, "Notification")
	}
	if err := s.validate(def, decode(m.line).Params); err != nil {
		t.Fatalf("generated %s\n%v", m.line, err)
	}
}

// FuzzGenerated makes its choices from the bytes.
func FuzzGenerated(f *testing.F) {
	f.Add([]byte("\x00\x00\x00"))
	for seed := range uint64(8) {
		random := rand.New(rand.NewPCG(seed, 0))
		data := make([]byte, 400)
		for i := range data {
			data[i] = byte(random.Uint32())
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c := newConversation(t, func(n int) int {
			if len(data) == 0 {
				return 0
			}
			choice := int(data[0])
			if data = data[1:]; n > 256 && len(data) > 0 {
				choice, data = choice<<8|int(data[0]), data[1:]
			}
			return choice % n
		})
		var messages []generated
		for len(data) > 0 && len(messages) < 100 {
			messages = append(messages, c.next())
		}
		synctest.Test(t, func(t *testing.T) {
			rig := newGeneratedRig(t)
			defer rig.client.Close()
			rig.exchange(0, messages)
		})
	})
}
