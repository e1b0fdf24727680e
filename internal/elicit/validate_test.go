package elicit

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
)

// Case 135: required fields, whole numbers, limits.
func TestValidate(t *testing.T) {
	raw := func(s string) json.RawMessage { return json.RawMessage(s) }
	for _, c := range []struct {
		property string
		value    any
		want     string // part of the message, "" for a good value
	}{
		{`{"type":"string"}`, "x", ""},
		{`{"type":"string"}`, "", ""},
		{`{"type":"string"}`, 5, "not an answer"},
		{`{"type":"string","minLength":3}`, "日本", "at least 3 characters, now 2"},
		{`{"type":"string","minLength":3}`, "日本語", ""},
		{`{"type":"string","minLength":3}`, "", ""},
		{`{"type":"string","maxLength":1}`, "👩", ""},
		{`{"type":"string","maxLength":1}`, "👩👩", "at most 1 character, now 2"},
		{`{"type":"string","pattern":"^[a-z]+$"}`, "abc", ""},
		{`{"type":"string","pattern":"^[a-z]+$"}`, "aBc", "not in the form"},
		{`{"type":"string","pattern":"b"}`, "abc", ""},
		{`{"type":"string","format":"email"}`, "ada@example.org", ""},
		{`{"type":"string","format":"email"}`, "ada@", "email"},
		{`{"type":"string","format":"email"}`, "ada example@x.org", "email"},
		{`{"type":"string","format":"uri"}`, "https://example.org/a?b#c", ""},
		{`{"type":"string","format":"uri"}`, "urn:isbn:1", ""},
		{`{"type":"string","format":"uri"}`, "example.org/a", "address"},
		{`{"type":"string","format":"uri"}`, "https://a b", "address"},
		{`{"type":"string","format":"date"}`, "2024-02-29", ""},
		{`{"type":"string","format":"date"}`, "2023-02-29", "date"},
		{`{"type":"string","format":"date-time"}`, "2026-01-31T09:30:00+02:00", ""},
		{`{"type":"string","format":"date-time"}`, "2026-01-31t09:30:00.5z", ""},
		{`{"type":"string","format":"date-time"}`, "2026-01-31", "date and time"},
		{`{"type":"string","format":"hostname"}`, "not checked!", ""},
		{`{"type":"integer"}`, "12", ""},
		{`{"type":"integer"}`, " -3 ", ""},
		{`{"type":"integer"}`, "1.5", "whole number"},
		{`{"type":"integer"}`, 1.5, "whole number"},
		{`{"type":"integer"}`, 2.0, ""},
		{`{"type":"integer"}`, "1e3", "whole number"},
		{`{"type":"integer"}`, "9223372036854775807", ""},
		{`{"type":"integer"}`, "9223372036854775808", "beyond"},
		{`{"type":"integer"}`, true, "whole number"},
		{`{"type":"integer","minimum":1,"maximum":9}`, int64(0), "1 or more"},
		{`{"type":"integer","minimum":1,"maximum":9}`, 9, ""},
		{`{"type":"integer","minimum":1,"maximum":9}`, "10", "9 or less"},
		{`{"type":"integer","minimum":0.5}`, "0", "0.5 or more"},
		{`{"type":"integer","maximum":1e30}`, "9223372036854775807", ""},
		{`{"type":"integer","minimum":1e30}`, "9223372036854775807", "or more"},
		{`{"type":"integer","maximum":-1e30}`, "-9223372036854775808", "or less"},
		{`{"type":"number"}`, "2.5e-3", ""},
		{`{"type":"number"}`, "0x10", "number"},
		{`{"type":"number"}`, "1_000", "number"},
		{`{"type":"number"}`, "NaN", "number"},
		{`{"type":"number"}`, "1e999", "number"},
		{`{"type":"number"}`, math.Inf(1), "number"},
		{`{"type":"number","maximum":2.5}`, 2.5, ""},
		{`{"type":"number","maximum":2.5}`, "2.51", "2.5 or less"},
		{`{"type":"boolean"}`, false, ""},
		{`{"type":"boolean"}`, "true", "not an answer"},
		{`{"type":"string","enum":["a","b"]}`, "b", ""},
		{`{"type":"string","enum":["a","b"]}`, "c", "choices"},
		{`{"type":"array","items":{"type":"string","enum":["a","b","c"]},"minItems":2,"maxItems":2}`, []string{"a"}, "at least 2, now 1"},
		{`{"type":"array","items":{"type":"string","enum":["a","b","c"]},"minItems":2,"maxItems":2}`, []string{"a", "b", "c"}, "at most 2, now 3"},
		{`{"type":"array","items":{"type":"string","enum":["a","b","c"]},"minItems":2,"maxItems":2}`, []string{"c", "a"}, ""},
		{`{"type":"array","items":{"type":"string","enum":["a","b"]}}`, []string{"a", "a"}, "twice"},
		{`{"type":"array","items":{"type":"string","enum":["a","b"]}}`, []string{"z"}, "choices"},
		{`{"type":"array","items":{"type":"string","enum":["a","b"]},"minItems":1}`, []string{}, ""},
		{`{"type":"_x"}`, raw(`{"a":[1]}`), ""},
		{`{"type":"_x"}`, "3", ""},
		{`{"type":"_x"}`, "{", "JSON"},
		{`{"type":"_x"}`, 3, "JSON"},
		{`{"type":"_x"}`, " ", ""},
	} {
		err := one(t, c.property).Validate(c.value)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %#v: %v, want %q", c.property, c.value, err, c.want)
		}
	}
}

// Case 135: an empty answer counts as none.
func TestValidateRequired(t *testing.T) {
	for _, c := range []struct {
		property string
		empty    any
		good     bool
	}{
		{`{"type":"string"}`, "", false},
		{`{"type":"string"}`, nil, false},
		{`{"type":"integer"}`, " ", false},
		{`{"type":"number"}`, "", false},
		{`{"type":"boolean"}`, nil, false},
		{`{"type":"boolean"}`, false, true},
		{`{"type":"string","enum":["a"]}`, "", false},
		{`{"type":"string","enum":["a",""]}`, "", true},
		{`{"type":"array","items":{"type":"string","enum":["a"]}}`, []string{}, false},
		{`{"type":"array","items":{"type":"string","enum":["a"]},"minItems":0}`, []string{}, true},
		{`{"type":"_x"}`, "", false},
	} {
		f := mustParse(t, `{"properties":{"f":`+c.property+`},"required":["f"]}`).Fields[0]
		if err := f.Validate(c.empty); (err == nil) != c.good {
			t.Errorf("%s: %#v: %v", c.property, c.empty, err)
		}
	}
}

// Case 138: no pattern makes a check hang, and patterns that cannot be checked accept
// everything.
func TestPatterns(t *testing.T) {
	long := strings.Repeat("a", 50_000)
	for _, c := range []struct {
		pattern, text string
		checked, good bool
	}{
		{`^(a+)+$`, long, true, true},
		{`^(a+)+$`, long + "!", true, false},
		{`^(?=.*[0-9]).+$`, "no digit", false, true},
		{`(a)\1`, "ab", false, true},
		{`[^]x`, "y", false, true},
		{`(((a{50}){50}){50})`, "b", false, true},
		{`(a{1000}){1000}`, "b", false, true},
		{`^(a|b){1000}$`, strings.Repeat("ab", 25_000), true, true}, // would cost too much: accepted
		{`^(?<year>\d{4})-\d\d$`, "2026-01", true, true},
		{strings.Repeat("a", maxPattern+1), "b", false, true},
		{`^\/x$`, "/x", true, true},
		{``, "b", false, true},
	} {
		quoted, _ := json.Marshal(c.pattern)
		f := one(t, `{"type":"string","pattern":`+string(quoted)+`}`)
		if got := f.pattern != nil; got != c.checked {
			t.Errorf("%.40s: checked %v", c.pattern, got)
		}
		if err := f.Validate(c.text); (err == nil) != c.good {
			t.Errorf("%.40s: %.20q: %v", c.pattern, c.text, err)
		}
	}
}

const survey = `{"properties":{
	"z":{"type":"string"},"n":{"type":"integer"},"x":{"type":"number"},"b":{"type":"boolean"},
	"s":{"type":"string","enum":["a","b"]},"m":{"type":"array","items":{"type":"string","enum":["p","q"]}},
	"u":{"type":"_x"},"a<\n":{"type":"string"}},"required":["z","n"]}`

func TestContent(t *testing.T) {
	form := mustParse(t, survey)
	for _, c := range []struct {
		name   string
		values map[string]any
		want   string
	}{
		{"all", map[string]any{"z": "<é>\"\n", "n": "12", "x": "2.50", "b": false, "s": "b", "m": []string{"q", "p"}, "u": " [1, {\"a\":null}] ", "a<\n": "x", "nobody": 1},
			`{"z":"<é>\"\n","n":12,"x":2.5,"b":false,"s":"b","m":["q","p"],"u":[1,{"a":null}],"a<\n":"x"}`},
		{"empty ones are left out", map[string]any{"z": "x", "n": int64(0), "x": "", "b": nil, "s": "", "m": []string{}, "u": "", "a<\n": ""}, `{"z":"x","n":0}`},
		{"large whole numbers", map[string]any{"z": "x", "n": "-9223372036854775808", "x": 3.0}, `{"z":"x","n":-9223372036854775808,"x":3}`},
	} {
		got, problems := form.Content(c.values)
		if string(got) != c.want || problems != nil {
			t.Errorf("%s: %s %v\nwant %s", c.name, got, problems, c.want)
		}
	}
	got, problems := form.Content(map[string]any{"n": "1.5", "s": "c", "b": true})
	if got != nil || len(problems) != 3 {
		t.Fatalf("%s, %v", got, problems)
	}
	for i, want := range []Problem{{"z", "an answer is needed"}, {"n", "must be a whole number"}, {"s", "not one of the choices"}} {
		if problems[i] != want {
			t.Errorf("problem %d: got %q, want %q", i, problems[i], want)
		}
	}
	if got, problems := (Form{}).Content(nil); string(got) != `{}` || problems != nil {
		t.Errorf("empty form: %s, %v", got, problems)
	}
}

// Case 135: the agent's defaults can be sent back unchanged.
func TestContentOfDefaults(t *testing.T) {
	form := mustParse(t, `{"properties":{
		"t":{"type":"string","default":"x"},"i":{"type":"integer","default":4.0},"n":{"type":"number","default":1e2},
		"b":{"type":"boolean","default":false},"s":{"type":"string","oneOf":[{"const":"k","title":"K"}],"default":"k"},
		"m":{"type":"array","items":{"anyOf":[{"const":"k","title":"K"}]},"default":["k"]}}}`)
	values := map[string]any{}
	for _, f := range form.Fields {
		values[f.Key] = f.Default
	}
	got, problems := form.Content(values)
	if want := `{"t":"x","i":4,"n":100,"b":false,"s":"k","m":["k"]}`; string(got) != want || problems != nil {
		t.Errorf("%s %v, want %s", got, problems, want)
	}
}
