package jsonscan

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"
	"unicode/utf8"
)

func members(data []byte) (map[string]string, error) {
	out := map[string]string{}
	m := MembersOf(data)
	for m.Next() {
		out[string(m.Key)] = string(m.Value)
	}
	return out, m.Err()
}

func TestMembers(t *testing.T) {
	got, err := members([]byte(` { "id" : 1.0 , "method":"a\"}b","params":{"x":[1,{"y":"]"}]},"meth\u006fd2":null } `))
	want := map[string]string{"id": "1.0", "method": `"a\"}b"`, "params": `{"x":[1,{"y":"]"}]}`, "method2": "null"}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Fatalf("got %v, %v; want %v", got, err, want)
	}
}

func TestMembersOfMalformedText(t *testing.T) {
	for _, s := range []string{"", "5", "[]", "{", `{"a"`, `{"a":`, `{"a":1`, `{"a":1,`, `{"a":1,}`, `{a:1}`, `{"a":1}x`,
		`{"a":tru}`, `{"a":01}`, `{"a":"x}`, `{"a":{}`, `{,}`, `{"a" 1}`, `{"\ud8":1}`} {
		if got, err := members([]byte(s)); err == nil {
			t.Errorf("%s: no error, got %v", s, got)
		}
	}
}

func TestItems(t *testing.T) {
	it := ItemsOf([]byte(`[1, "a,]" ,[2],{"b":3}]`))
	var got []string
	for it.Next() {
		got = append(got, string(it.Value))
	}
	if want := []string{"1", `"a,]"`, "[2]", `{"b":3}`}; it.Err() != nil || !reflect.DeepEqual(got, want) {
		t.Fatalf("got %q, %v", got, it.Err())
	}
	for _, s := range []string{"", "[", "[1", "[1,", "[1,]", "[]x", "{}", "[1 2]"} {
		it := ItemsOf([]byte(s))
		for it.Next() {
		}
		if it.Err() == nil {
			t.Errorf("%s: no error", s)
		}
	}
}

func TestTextAndInt(t *testing.T) {
	for raw, want := range map[string]string{`"a"`: "a", `"\n\u00e9"`: "\né", `"日"`: "日", `"\ud800x"`: "\ufffdx", "\"\xff\"": "\ufffd"} {
		if got, ok := Text([]byte(raw)); !ok || got != want {
			t.Errorf("Text(%s) = %q, %v", raw, got, ok)
		}
	}
	for _, raw := range []string{"", `"`, "5", "null", "\"\x01\"", `"\x"`} {
		if got, ok := Text([]byte(raw)); ok {
			t.Errorf("Text(%q) = %q", raw, got)
		}
	}
	for raw, want := range map[string]int64{"0": 0, "-3": -3, "1.0": 1, "1e2": 100, "9007199254740993": 9007199254740993} {
		if got, ok := Int([]byte(raw)); !ok || got != want {
			t.Errorf("Int(%s) = %d, %v", raw, got, ok)
		}
	}
	for _, raw := range []string{"", "1.5", `"1"`, "null", "1e400", "+1"} {
		if got, ok := Int([]byte(raw)); ok {
			t.Errorf("Int(%s) = %d", raw, got)
		}
	}
}

// FuzzMembers checks that whatever encoding/json accepts as an object has the same
// members here.
func FuzzMembers(f *testing.F) {
	for _, s := range []string{`{}`, `{"a":1}`, `{"a":{"b":[1,2,"\""]},"c":null}`, `{"a":1,"a":2}`, `{"\u0061":"é"}`, `[`, `{"a":-1.5e3}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := members(data)
		var want map[string]json.RawMessage
		if json.Unmarshal(data, &want) != nil || want == nil {
			return
		}
		if err != nil {
			t.Fatalf("refused %q", data)
		}
		if !json.Valid(data) || len(got) != len(want) {
			// encoding/json makes one key of keys that differ only in invalid UTF-8.
			if bytes.ContainsRune(data, '\ufffd') || !json.Valid(bytes.ToValidUTF8(data, nil)) || len(got) > len(want) {
				return
			}
			t.Fatalf("%q: got %v, want %v", data, got, want)
		}
		for k, v := range want {
			if g, ok := got[k]; ok && g != string(bytes.TrimSpace(v)) {
				t.Fatalf("%q: %q is %q, want %q", data, k, g, v)
			}
		}
	})
}

// FuzzText checks that strings are decoded and values validated as encoding/json does.
func FuzzText(f *testing.F) {
	for _, s := range []string{`""`, `"a\n\u00e9 日本 \ud83c\udf89"`, `"\ud800x\udc00\ud800\u0041"`, "\"\xff\xe6\x97\"", `"\/\b\f\r\t\\\""`, `"\x"`, `"\u12"`,
		"\"long enough for eight at a time\x1f\"", `{"a":[1,-0.5e+7,true,null,{}],"b":"\u0041"}`, `[1,]`, `{"a":01}`, `-`, `1.`, "\"\x7f\"", "\"eight at a time \x7f and on\""} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if got, want := Valid(data), json.Valid(data); got != want {
			t.Fatalf("Valid(%q) = %v", data, got)
		}
		raw := bytes.Trim(data, " \n\t\r")
		got, ok := Text(raw)
		var want *string
		sound := json.Unmarshal(raw, &want) == nil && want != nil
		if sound != ok || sound && got != *want {
			t.Fatalf("Text(%q) = %q, %v", raw, got, ok)
		}
		if len(raw) > 1 {
			if again, ok := InternText(raw, string(raw[1:len(raw)-1])); ok != sound || again != got {
				t.Fatalf("Again(%q) = %q, %v", raw, again, ok)
			}
		}
		if body, plain := UnescapedText(raw); plain && (!ok || string(body) != got) {
			t.Fatalf("Plain(%q) = %q", raw, body)
		}
	})
}

// FuzzCursor checks that entered values equal those of encoding/json, and that an
// entered value ends where the same value ends when passed as a whole.
func FuzzCursor(f *testing.F) {
	for _, s := range []string{`{}`, `{"a":{"b":{"c":1},"d":[{}]},"e":2} `, `{"a":{},"b":{}}`, `{"a":{"b":1}x}`, `{"a":{"b":[}]}}`, `{"a":{`, `{"\u0061":{"b":{}}}`,
		`[1, [2,[]], {"a":[null,"x]"]} ]`, `[1,]`, `[1 2]`, `[[]`, `5`, ``} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		entered := CursorOf(data)
		got := cursorWalk(&entered)
		whole := CursorOf(data)
		if whole.Value(); entered.WellFormed() && entered.Pos() != whole.Pos() {
			t.Fatalf("%q ends at %d where it is entered, at %d where it is passed", data, entered.Pos(), whole.Pos())
		}
		var want any
		if json.Unmarshal(data, &want) != nil || !utf8.Valid(data) { // encoding/json makes one name of those that differ only in invalid UTF-8
			return
		}
		if !entered.End() || !reflect.DeepEqual(got, want) {
			t.Fatalf("%q: the cursor finds %v, encoding/json %v", data, got, want)
		}
	})
}

// cursorWalk decodes a value by entering every object and array.
func cursorWalk(c *Cursor) (v any) {
	if c.Enter() {
		object := map[string]any{}
		for c.Key() {
			name := string(c.Name)
			object[name] = cursorWalk(c)
		}
		return object
	}
	if c.EnterArray() {
		array := []any{}
		for c.Item() {
			array = append(array, cursorWalk(c))
		}
		return array
	}
	json.Unmarshal(c.Value(), &v)
	return v
}

func BenchmarkMembers(b *testing.B) {
	line := []byte(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"sess_1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"twenty bytes of text"}}}}`)
	b.SetBytes(int64(len(line)))
	b.ReportAllocs()
	for b.Loop() {
		m := MembersOf(line)
		for m.Next() {
		}
	}
}
