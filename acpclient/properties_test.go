package acpclient

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/acpclient/event"
	"parley/acpclient/wire"
)

// The meaning of an update does not depend on the order of its members, on unknown
// members, on an earlier value of a repeated member, on how its text is broken where it
// is not UTF-8, or on memory that is reused afterwards. An update that is cut off means
// nothing.

// same lists ways to rewrite messages without changing their meaning.
var same = map[string]func(r *rand.Rand, m []byte) []byte{
	"in another order": func(r *rand.Rand, m []byte) []byte {
		return rewritten(m, func(_ int, members []member) []member {
			once := slices.Clone(members)
			for i := len(once) - 1; i >= 0; i-- { // the order of a repeated one matters
				if slices.ContainsFunc(once[i+1:], func(n member) bool { return n.name == once[i].name }) {
					return members
				}
			}
			r.Shuffle(len(once), func(i, j int) { once[i], once[j] = once[j], once[i] })
			return once
		})
	},
	"with unknown members": func(r *rand.Rand, m []byte) []byte { return withUnknown(r, m, unknown) },
	"with members sent twice": func(r *rand.Rand, m []byte) []byte {
		return rewritten(m, func(_ int, members []member) (twice []member) {
			for _, n := range members {
				before := n
				if n.name != "sessionUpdate" && n.value[0] == '"' {
					before.value = []byte(`"earlier"`)
				}
				twice = append(twice, before, n)
			}
			return twice
		})
	},
	"with malformed members after": func(r *rand.Rand, m []byte) []byte {
		return rewritten(m, func(depth int, members []member) []member {
			if depth == 2 && slices.ContainsFunc(members, func(n member) bool { return n.name == "toolCallId" }) && !said(members, "chunk") {
				for _, name := range []string{"title", "name", "kind", "status", "content", "locations", "_meta", "capabilities"} {
					members = append(members, member{name, []byte(`7`)})
				}
			}
			return members
		})
	},
}

// said reports whether the kind of an update ends so.
func said(members []member, kind string) bool {
	return slices.ContainsFunc(members, func(n member) bool {
		return n.name == "sessionUpdate" && strings.HasSuffix(string(n.value), kind+`"`)
	})
}

var unknown = []string{`null`, `-1e9`, `[]`, `"\ud800\""`, `{"sessionUpdate":"agent_message_chunk","sessionId":"s2","toolCallId":"x"}`, `[{"content":{"type":"text","text":"x"}},[[]]]`}

func withUnknown(r *rand.Rand, m []byte, values []string) []byte {
	return rewritten(m, func(_ int, members []member) []member {
		for range 3 {
			n := member{"unknown" + strconv.Itoa(r.IntN(9)), []byte(values[r.IntN(len(values))])}
			members = slices.Insert(members, r.IntN(len(members)+1), n)
		}
		return members
	})
}

func FuzzUpdates(f *testing.F) {
	for _, s := range seeds(f) {
		f.Add(s, uint64(1))
	}
	f.Fuzz(func(t *testing.T, data []byte, seed uint64) {
		r := rand.New(rand.NewPCG(seed, 0))
		messages := bytes.Split(data, []byte("\n"))
		for version := 1; version <= 2; version++ {
			want := eventsOf(version, messages)
			compare(t, version, "in memory that is kept", want, silent(handleWith(version, messages, func([]byte) {})), messages)
			for how, write := range same {
				var other [][]byte
				for _, m := range messages {
					other = append(other, write(r, m))
				}
				compare(t, version, how, want, eventsOf(version, other), other)
			}
			broken, replaced := brokenText(r, messages)
			compare(t, version, "with invalid UTF-8", eventsOf(version, replaced), eventsOf(version, broken), broken)
			for _, m := range messages {
				cut(t, r, version, m)
			}
		}
	})
}

func compare(t *testing.T, version int, how string, want, got []event.Event, written [][]byte) {
	t.Helper()
	if !reflect.DeepEqual(want, got) {
		t.Fatalf("v%d, %s: %q says something else:\n%s", version, how, written, cmp.Diff(want, got, cmp.Exporter(func(reflect.Type) bool { return true })))
	}
}

// eventsOf returns the events of messages without updates of unknown kind, which contain
// the whole update verbatim.
func eventsOf(version int, messages [][]byte) []event.Event { return silent(handle(version, messages)) }

func silent(events []event.Event) []event.Event {
	for i, e := range events {
		if e, ok := e.(event.UnknownArrived); ok {
			e.JSON = ""
			events[i] = e
		}
	}
	return events
}

// cut checks that no prefix of a message has a meaning, whether the line is cut or its
// params.
func cut(t *testing.T, r *rand.Rand, version int, m []byte) {
	t.Helper()
	var of struct{ Params json.RawMessage }
	if json.Unmarshal(m, &of) != nil || bytes.TrimSpace(m)[0] != '{' {
		return
	}
	m = bytes.TrimSpace(m)
	for range 1 + 5000/len(m) {
		n := r.IntN(len(m))
		if len(handle(version, [][]byte{m[:n]})) > 0 {
			t.Fatalf("v%d: %q says something", version, m[:n])
		}
		if n < len(of.Params) && of.Params[0] == '{' {
			if new(wire.Notification).Decode(version, of.Params[:n]) == nil {
				t.Fatalf("v%d: %q has a meaning", version, of.Params[:n])
			}
		}
	}
}

// brokenText puts an invalid UTF-8 byte into a string of each message, and the
// replacement character into the same place of the other result.
func brokenText(r *rand.Rand, messages [][]byte) (broken, replaced [][]byte) {
	for _, m := range messages {
		if places := insideStrings(m); len(places) > 0 {
			at := places[r.IntN(len(places))]
			broken = append(broken, slices.Insert(slices.Clone(m), at, 0xff))
			replaced = append(replaced, slices.Insert(slices.Clone(m), at, []byte("\uFFFD")...))
		}
	}
	return broken, replaced
}

// insideStrings returns the positions between the characters of all JSON strings.
func insideStrings(m []byte) (places []int) {
	if !json.Valid(m) {
		return nil
	}
	for i := 0; i < len(m); i++ {
		if m[i] != '"' {
			continue
		}
		for i++; m[i] != '"'; i++ {
			if m[i] < 0x80 {
				places = append(places, i)
			}
			if m[i] == '\\' && m[i+1] == 'u' {
				places = places[:len(places)-1] // it may be half of a character
				i += 5
			} else if m[i] == '\\' {
				i++
			}
		}
	}
	return places
}

// Values of any size are passed on or, if they are shown as a line, cut.
func TestHugeValues(t *testing.T) {
	huge := []string{strings.Repeat("[", 200_000) + strings.Repeat("]", 200_000), quote(strings.Repeat("\\\"", 100_000)), strings.Repeat("9", 1<<18),
		`{"sessionUpdate":` + quote(strings.Repeat("é", 1<<17)) + `}`}
	r := rand.New(rand.NewPCG(1, 2))
	for _, s := range updateSeeds[:5] {
		messages := bytes.Split([]byte(s), []byte("\n"))
		for version := 1; version <= 2; version++ {
			var other [][]byte
			for _, m := range messages {
				other = append(other, withUnknown(r, m, huge))
			}
			if !reflect.DeepEqual(eventsOf(version, messages), eventsOf(version, other)) {
				t.Errorf("v%d: unknown members that are huge change what %.200q says", version, s)
			}
		}
	}
	long := strings.Repeat("é", 1<<20)
	for version := 1; version <= 2; version++ {
		for _, of := range []string{`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":L}}`, `{"content":{"text":L,"type":"text"},"sessionUpdate":"agent_message_chunk"}`} {
			got := eventsOf(version, [][]byte{[]byte(update(strings.ReplaceAll(of, "L", quote(long))))})
			if len(got) != 1 || got[0].(event.TextArrived).Text != long {
				t.Errorf("v%d: a long text was changed", version)
			}
		}
		events := eventsOf(version, [][]byte{[]byte(update(strings.ReplaceAll(
			`{"sessionUpdate":"tool_call_update","toolCallId":"c","title":L,"name":L,"kind":L,"status":L,"locations":[{"path":L}],"rawInput":{"a":L}}`, "L", quote(long))))})
		if len(events) != 1 {
			t.Fatalf("%d events", len(events))
		}
		e := events[0].(event.ToolChanged)
		for _, shown := range []string{*e.Title, *e.Name, *e.Kind, *e.Status, (*e.Locations)[0].Path, *e.RawInput} {
			if n := len(shown); n == 0 || n > 2*maxRaw {
				t.Errorf("v%d: %d bytes are shown", version, n)
			}
		}
	}
}

func quote(s string) string { b, _ := json.Marshal(s); return string(b) }

type member struct {
	name  string
	value json.RawMessage
}

// rewritten applies f to the members of the message, its params and its update. Values
// that are not objects stay unchanged.
func rewritten(m []byte, f func(depth int, members []member) []member) []byte {
	return rewrittenAt(m, 0, f)
}

func rewrittenAt(raw []byte, depth int, f func(int, []member) []member) []byte {
	d := json.NewDecoder(bytes.NewReader(raw))
	if first, err := d.Token(); depth == 3 || err != nil || first != json.Delim('{') || !json.Valid(raw) {
		return raw
	}
	var members []member
	for d.More() {
		name, _ := d.Token()
		n := member{name: name.(string)}
		d.Decode(&n.value)
		if depth == 0 && n.name == "params" || depth == 1 && n.name == "update" {
			n.value = rewrittenAt(n.value, depth+1, f)
		}
		members = append(members, n)
	}
	out := []byte{'{'}
	for i, n := range f(depth, members) {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(append(out, quote(n.name)...), ':'), n.value...)
	}
	return append(out, '}')
}
