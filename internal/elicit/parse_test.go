package elicit

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

func mustParse(t *testing.T, schema string) Form {
	t.Helper()
	form, err := Parse([]byte(schema))
	if err != nil {
		t.Fatalf("Parse: %v", err)
	}
	return form
}

// one returns the only field of a form with that property.
func one(t *testing.T, property string) Field {
	t.Helper()
	form := mustParse(t, `{"type":"object","properties":{"f":`+property+`}}`)
	if len(form.Fields) != 1 {
		t.Fatalf("%d fields", len(form.Fields))
	}
	return form.Fields[0]
}

// A typical question of an agent: choices, and a free text beside them.
func TestParseQuestion(t *testing.T) {
	form := mustParse(t, `{"type":"object","properties":{
		"question_0":{"type":"string","title":"Colour","oneOf":[
			{"const":"Red","title":"Red","description":"The colour Red"},
			{"const":"Green","title":"Green","_meta":{"x":1}}],"_meta":{"y":[1,2]}},
		"question_0_custom":{"type":"string","title":"Other","description":"Type your own answer."}}}`)
	want := []Field{
		{Key: "question_0", Title: "Colour", Kind: Select, Options: []Option{{"Red", "Red", "The colour Red"}, {"Green", "Green", ""}}},
		{Key: "question_0_custom", Title: "Other", Description: "Type your own answer.", Kind: Text},
	}
	if !reflect.DeepEqual(form.Fields, want) {
		t.Errorf("got  %+v\nwant %+v", form.Fields, want)
	}
}

// Case 135: wire order, defaults, limits.
func TestParseFields(t *testing.T) {
	form := mustParse(t, `{"title":"T\u001b[31m","description":"D","required":["z","nobody",7],"properties":{
		"z":{"type":"string","minLength":2,"maxLength":4,"pattern":"^a","format":"email","default":"a\u0007b"},
		"a":{"type":"number","minimum":-1.5,"maximum":2,"default":0.25},
		"m":{"type":"integer","minimum":1,"maximum":9,"default":3},
		"b":{"type":"boolean","default":true},
		"e":{"type":"string","enum":["x","y"],"default":"y"},
		"s":{"type":"array","items":{"type":"string","enum":["p","q","r"]},"minItems":1,"maxItems":2,"default":["r","none","p","r"]},
		"t":{"type":"array","items":{"anyOf":[{"const":"1","title":"One"}]}}}}`)
	if form.Title != "T" || form.Description != "D" {
		t.Errorf("title %q, description %q", form.Title, form.Description)
	}
	if form.Fields[0].pattern == nil {
		t.Error("the pattern was not compiled")
	}
	form.Fields[0].pattern, form.Fields[0].steps = nil, 0
	want := []Field{
		{Key: "z", Title: "z", Kind: Text, Required: true, MinLength: new(2), MaxLength: new(4), Pattern: "^a", Format: "email", Default: "ab"},
		{Key: "a", Title: "a", Kind: Number, Min: new(-1.5), Max: new(2.0), Default: 0.25},
		{Key: "m", Title: "m", Kind: Integer, Min: new(1.0), Max: new(9.0), Default: int64(3)},
		{Key: "b", Title: "b", Kind: Bool, Default: true},
		{Key: "e", Title: "e", Kind: Select, Options: []Option{{"x", "x", ""}, {"y", "y", ""}}, Default: "y"},
		{Key: "s", Title: "s", Kind: MultiSelect, Options: []Option{{"p", "p", ""}, {"q", "q", ""}, {"r", "r", ""}},
			MinItems: new(1), MaxItems: new(2), Default: []string{"r", "p"}},
		{Key: "t", Title: "t", Kind: MultiSelect, Options: []Option{{"1", "One", ""}}},
	}
	for i, f := range form.Fields {
		if !reflect.DeepEqual(f, want[i]) {
			t.Errorf("field %d\ngot  %+v\nwant %+v", i, f, want[i])
		}
	}
}

func TestParseTolerates(t *testing.T) {
	for _, c := range []struct {
		schema string
		keys   string // of the fields
	}{
		{`{}`, ""},
		{`{"type":"object"}`, ""},
		{`{"properties":null,"required":null,"title":null}`, ""},
		{`{"type":"nonsense","title":5,"properties":{"a":{"type":"string","title":[],"minLength":"x","default":9}}}`, "a"},
		{`{"properties":{"a":{"type":"string"},"b":{"type":"string"},"a":{"type":"boolean"}},"required":"a"}`, "a b"},
		{` {"required":["a"],"properties":{"":{"type":"string"}}} `, ""},
	} {
		form := mustParse(t, c.schema)
		var keys []string
		for _, f := range form.Fields {
			keys = append(keys, f.Key)
			if f.Title == "" || f.Default != nil || f.MinLength != nil {
				t.Errorf("%s: got %+v", c.schema, f)
			}
		}
		if got := strings.Join(keys, " "); got != c.keys {
			t.Errorf("%s: fields %q, want %q", c.schema, got, c.keys)
		}
	}
	if f := mustParse(t, `{"properties":{"a":{"type":"string"},"b":{"type":"string"},"a":{"type":"boolean"}}}`).Fields[0]; f.Kind != Bool {
		t.Errorf("of two properties with one name the second counts; got kind %d", f.Kind)
	}
}

// Case 140: an unknown property is never shown as another kind.
func TestParseUnknown(t *testing.T) {
	for _, property := range []string{
		`{"type":"_colour","title":"T"}`, `{"type":"object","properties":{},"title":"T"}`, `{"title":"T"}`, `{"type":["string","null"],"title":"T"}`,
		`{"type":"array","title":"T"}`, `{"type":"array","items":{"type":"integer"},"title":"T"}`, `{"type":"array","items":{"type":"_x","enum":["a"]},"title":"T"}`,
		`{"type":"array","items":{"enum":["a"]},"title":"T"}`, `{"type":"array","items":{"type":"string"},"title":"T"}`,
		`{"type":"string","enum":["a",1],"title":"T"}`, `{"type":"string","enum":"a","title":"T"}`, `{"type":"string","oneOf":[{"title":"no const"}],"title":"T"}`,
		`{"type":"string","oneOf":["a"],"title":"T"}`,
	} {
		f := one(t, property)
		if f.Kind != Unknown || f.Title != "T" || f.Options != nil || f.Default != nil {
			t.Errorf("%s: got %+v", property, f)
		}
	}
	if f := one(t, `"text"`); f.Kind != Unknown || f.Title != "f" {
		t.Errorf("a property that is no object: %+v", f)
	}
}

func TestParseRefuses(t *testing.T) {
	properties := func(n int, property string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `%s"k%d":%s`, strings.Repeat(",", min(i, 1)), i, property)
		}
		return `{"properties":{` + b.String() + `}}`
	}
	choices := `{"type":"string","enum":["a"` + strings.Repeat(`,"a"`, 99) + `]}`
	for _, c := range []struct {
		name, schema string
		want         error
	}{
		{"nothing", ``, ErrSchema}, {"null", `null`, ErrSchema}, {"array", `[]`, ErrSchema}, {"broken", `{"properties":{"a":{]}}`, ErrSchema},
		{"more after it", `{} {}`, ErrSchema}, {"properties", `{"properties":[]}`, ErrSchema},
		{"as many fields as may be", properties(MaxFields, `{"type":"boolean"}`), nil},
		{"one more", properties(MaxFields+1, `{"type":"boolean"}`), ErrTooLarge},
		{"as many options as may be", properties(MaxOptions/100, choices), nil},
		{"one field of options more", properties(MaxOptions/100+1, choices), ErrTooLarge},
		{"long key", `{"properties":{"` + strings.Repeat("k", maxKey+1) + `":{}}}`, ErrTooLarge},
		{"long value", `{"properties":{"k":{"type":"string","enum":["` + strings.Repeat("v", maxValue+1) + `"]}}}`, ErrTooLarge},
	} {
		if _, err := Parse([]byte(c.schema)); !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, err, c.want)
		}
	}
}

func TestParseClipsAndCleans(t *testing.T) {
	quoted, _ := json.Marshal("é\u202e" + strings.Repeat("é", 20000) + "\nend")
	f := one(t, `{"type":"string","title":`+string(quoted)+`,"description":`+string(quoted)+`}`)
	if n := len([]rune(f.Title)); n != maxTitle || !strings.HasPrefix(f.Title, "éé") {
		t.Errorf("title of %d runes: %.20q", n, f.Title)
	}
	if n := len([]rune(f.Description)); n != maxDescription || !strings.HasSuffix(f.Description, "é…") {
		t.Errorf("description of %d runes", n)
	}
	form := mustParse(t, `{"properties":{"a\u001b]0;x\u0007b":{"type":"string","enum":["\u0000","x\u202ey"]}}}`)
	f = form.Fields[0]
	if f.Key != "a\x1b]0;x\x07b" || f.Title != "ab" {
		t.Errorf("key %q, title %q", f.Key, f.Title)
	}
	if o := f.Options; o[0].Value != "\x00" || o[0].Title != "(no name)" || o[1].Value != "x\u202ey" || o[1].Title != "xy" {
		t.Errorf("options %q", o)
	}
}

func TestSecret(t *testing.T) {
	for property, want := range map[string]bool{
		`"password":{"type":"string"}`:                       true,
		`"dbPassword":{"type":"string"}`:                     true,
		`"x":{"type":"string","title":"Your API key"}`:       true,
		`"x":{"type":"string","format":"password"}`:          true,
		`"GITHUB_TOKEN":{"type":"string"}`:                   true,
		`"accessToken":{"type":"string"}`:                    true,
		`"client-secret":{"type":"_x"}`:                      true,
		`"pin":{"type":"string"}`:                            true,
		`"max_tokens":{"type":"integer"}`:                    false,
		`"usePassword":{"type":"boolean"}`:                   false,
		`"opinion":{"type":"string"}`:                        false,
		`"tokenizer":{"type":"string"}`:                      false,
		`"secret":{"type":"string","enum":["a","b"]}`:        false,
		`"name":{"type":"string","title":"Name of a key"}`:   false,
		`"compass":{"type":"string","title":"Passing lane"}`: false,
	} {
		if got := mustParse(t, `{"properties":{`+property+`}}`).Fields[0].Secret; got != want {
			t.Errorf("%s: got %v", property, got)
		}
	}
}
