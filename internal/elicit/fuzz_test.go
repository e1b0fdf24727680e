package elicit

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"parley/internal/must"
	"parley/internal/safetext"
)

// unsafe reports whether a text is not safe on one line.
func unsafe(s string) bool {
	return !utf8.ValidString(s) || safetext.HasSuspicious(s) || strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r >= 0x7f && r < 0xa0 })
}

// Whatever the schema, nothing panics, titles are safe, limits hold, and accepted content
// is an object with members of the form only.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		survey, `{}`, `null`, `{"properties":{"a":{"type":"string","pattern":"(a+)+$","default":"\ud800"}}}`,
		`{"properties":{"a":{"type":"array","items":{"anyOf":[{"const":"x"}]},"default":["x"]}},"required":["a"]}`,
		`{"properties":{"\u202e":{"type":"integer","minimum":-1e400,"default":1.0},"\u202e":0}}`,
		"{\"properties\":{\"\xff\":{\"type\":\"integer\"}}}",
		`{"properties":{"d":{"type":"string","enum":[""],"title":"\u001b[2J"}}}`,
	} {
		f.Add([]byte(s), "x")
	}
	f.Fuzz(func(t *testing.T, schema []byte, text string) {
		form, err := Parse(schema)
		if err != nil {
			return
		}
		if len(form.Fields) > MaxFields {
			t.Fatalf("%d fields", len(form.Fields))
		}
		keys := map[string]bool{}
		values := map[string]any{}
		for _, f := range form.Fields {
			if f.Title == "" || safetext.Line(f.Title, maxTitle) != f.Title || safetext.Clean(f.Description) != f.Description {
				t.Fatalf("title %q, description %q", f.Title, f.Description)
			}
			if keys[f.Key] {
				t.Fatalf("two fields %q", f.Key)
			}
			keys[f.Key] = true
			if values[f.Key] = f.Default; f.Default == nil {
				values[f.Key] = text
			}
			if f.Kind == Unknown && f.Default != nil {
				t.Fatalf("an unknown field proposes %v", f.Default)
			}
		}
		content, problems := form.Content(values)
		if (content == nil) != (problems != nil) {
			t.Fatalf("content %s with problems %q", content, problems)
		}
		if content == nil {
			return
		}
		var got map[string]any
		if err := json.Unmarshal(content, &got); err != nil {
			t.Fatalf("%s: got %v", content, err)
		}
		for key := range got {
			if !keys[key] {
				t.Fatalf("%q is no field of %s", key, schema)
			}
		}
	})
}

func FuzzParseLink(f *testing.F) {
	for _, s := range []string{"https://example.org/a?b#c", "https://a@b:1/", "http://[::1]/", "https://p\u0430ypal.com", "https://%E2%80%AEx/", "x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		l := ParseLink(raw)
		if unsafe(l.URL) {
			t.Fatalf("%q is shown as %q", raw, l.URL)
		}
		if !l.OK {
			return
		}
		if l.Host == "" || !strings.HasPrefix(l.URL[l.HostAt:], l.Host) || !strings.HasPrefix(l.URL, "http") || strings.ContainsAny(l.URL, " \"<>\\`|") {
			t.Fatalf("%q: got %+v", raw, l)
		}
		if again := ParseLink(l.URL); !again.OK || again.URL != l.URL || again.Host != l.Host {
			t.Fatalf("%q: %+v, then %+v", raw, l, again)
		}
	})
}

func BenchmarkParse(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		must.Get(Parse([]byte(survey)))(b)
	}
}

// BenchmarkPattern50k uses a well-known pattern that takes exponential time elsewhere.
func BenchmarkPattern50k(b *testing.B) {
	form := must.Get(Parse([]byte(`{"properties":{"f":{"type":"string","pattern":"^(a+)+$"}}}`)))(b)
	text := strings.Repeat("a", 50_000) + "!"
	b.ReportAllocs()
	for b.Loop() {
		if form.Fields[0].Validate(text) == nil {
			b.Fatal("it matched")
		}
	}
}
