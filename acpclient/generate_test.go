package acpclient_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// generator makes random values of the definitions of a JSON schema, and breaks them.
// All choices come from choose, which returns a number below n; if that is always 0 the
// values are small.
type generator struct {
	defs   map[string]any
	choose func(n int) int
}

// deepest is about how deeply generated values are nested.
const deepest = 8

// oneIn reports whether something rare should happen.
func (g *generator) oneIn(n int) bool { return g.choose(n) == n-1 }

// of returns a valid value of a definition.
func (g *generator) of(def string) any { return g.value(g.defs[def], 0) }

func (g *generator) value(schema any, depth int) any {
	s, ok := schema.(map[string]any)
	if !ok || !constrained(s) {
		return g.anything(depth)
	}
	if v, ok := s["const"]; ok {
		return v
	}
	if ref, ok := s["$ref"].(string); ok {
		return g.value(g.defs[strings.TrimPrefix(ref, "#/$defs/")], depth+1)
	}
	kind := s["type"]
	if kinds, ok := kind.([]any); ok {
		kind = kinds[g.choose(len(kinds))]
	}
	switch kind {
	case "null":
		return nil
	case "boolean":
		return g.choose(2) == 1
	case "integer", "number":
		return g.number(s, kind == "number")
	case "string":
		return g.text(s)
	case "array":
		items := []any{}
		if depth < deepest {
			for range g.choose(4) {
				items = append(items, g.value(s["items"], depth+1))
			}
		}
		return items
	case nil:
		if s["properties"] == nil {
			return g.variant(s, depth)
		}
	}
	return g.object(s, depth)
}

// constrained reports whether a schema restricts values, instead of only describing
// them.
func constrained(s map[string]any) bool {
	for _, key := range []string{"const", "$ref", "type", "properties", "allOf", "anyOf", "oneOf"} {
		if s[key] != nil {
			return true
		}
	}
	return false
}

// variant returns a value of a schema that has only allOf, anyOf or oneOf.
func (g *generator) variant(s map[string]any, depth int) any {
	if all, ok := s["allOf"].([]any); ok && len(all) == 1 && s["anyOf"] == nil && s["oneOf"] == nil {
		return g.value(all[0], depth+1)
	}
	for _, key := range []string{"anyOf", "oneOf"} {
		if either, ok := s[key].([]any); ok && s["allOf"] == nil {
			if depth >= deepest { // the last is often null
				return g.value(either[len(either)-1], depth+1)
			}
			return g.value(either[g.choose(len(either))], depth+1)
		}
	}
	return g.object(s, depth)
}

func (g *generator) object(s map[string]any, depth int) any {
	out := map[string]any{}
	merge := func(part any) {
		if m, ok := g.value(part, depth).(map[string]any); ok {
			maps.Copy(out, m)
		}
	}
	for _, part := range items(s["allOf"]) {
		merge(part)
	}
	for _, key := range []string{"anyOf", "oneOf"} {
		if either := items(s[key]); len(either) > 0 {
			merge(either[g.choose(len(either))])
		}
	}
	properties, _ := s["properties"].(map[string]any)
	required := items(s["required"])
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if !slices.Contains(required, any(name)) && (depth >= deepest || g.choose(2) == 0) {
			continue
		}
		out[name] = g.value(properties[name], depth+1)
		if _, text := out[name].(string); text && strings.HasSuffix(name, "Id") && !g.oneIn(8) {
			out[name] = fmt.Sprintf("%s%d", name, g.choose(4)) // few values, so that ids occur again
		}
	}
	if more, ok := s["additionalProperties"]; ok && more != false && depth < deepest {
		for range g.choose(3) {
			out[fmt.Sprintf("x%d", g.choose(5))] = g.value(more, depth+1)
		}
	}
	return out
}

func items(v any) []any {
	list, _ := v.([]any)
	return list
}

// Valid but unusual numbers.
var numbers = []json.Number{"0", "1", "7", "255", "2147483648", "4294967295", "9007199254740993", "18446744073709551615", "1.0", "2e2"}

func (g *generator) number(s map[string]any, fraction bool) any {
	if limit, ok := s["maximum"].(json.Number); ok {
		n, _ := limit.Int64()
		return json.Number(fmt.Sprint(g.choose(int(min(n, 1000)) + 1)))
	}
	switch {
	case fraction && g.oneIn(2):
		return json.Number([]string{"0.25", "-1.5e-3", "1e300"}[g.choose(3)])
	case s["minimum"] == nil && g.oneIn(4):
		return json.Number("-3")
	case s["format"] == "uint32" || s["format"] == "int32" || s["format"] == "uint16":
		return numbers[g.choose(4)]
	}
	return numbers[g.choose(len(numbers))]
}

// Valid but unusual texts.
var texts = []string{"word", "", "two words", "line\nline\r\n", "\x1b[31mred\x1b[0m", "\x1b]52;c;eA==\x07", "\x1b]8;;", "\u202egnp.exe", "\u200b\ufeff", "日本語 🏳️‍🌈",
	"\x00\x7f\u009b31m", "/project/a.go", "../../etc/passwd", "https://example.com/?a=b#c", "-- x --", `{"jsonrpc":"2.0"}`, "```\nfence", strings.Repeat("long ", 400)}

func (g *generator) text(s map[string]any) any {
	switch {
	case s["not"] != nil:
		return "_custom"
	case s["minLength"] != nil:
		return "title " + texts[g.choose(len(texts))]
	}
	return texts[g.choose(len(texts))]
}

// anything is a value of no schema.
func (g *generator) anything(depth int) any {
	kinds := 8
	if depth >= deepest {
		kinds = 6
	}
	switch g.choose(kinds) {
	case 0:
		return nil
	case 1:
		return g.choose(2) == 1
	case 2, 3:
		return g.number(map[string]any{}, true)
	case 4, 5:
		return texts[g.choose(len(texts))]
	case 6:
		out := []any{}
		for range g.choose(3) {
			out = append(out, g.anything(depth+1))
		}
		return out
	}
	out := map[string]any{}
	for range g.choose(3) {
		out[fmt.Sprintf("k%d", g.choose(5))] = g.anything(depth + 1)
	}
	return out
}

// damage changes one place of a value, which may be anywhere in it. The value
// given is used up.
func (g *generator) damage(v any) any {
	switch v := v.(type) {
	case map[string]any:
		if len(v) == 0 || g.oneIn(6) {
			break
		}
		key := slices.Sorted(maps.Keys(v))[g.choose(len(v))]
		switch g.choose(6) {
		case 0:
			delete(v, key)
		case 1:
			v[key+"_"] = v[key]
			delete(v, key)
		case 2:
			v[key] = nil
		case 3:
			v[key] = g.anything(0)
		default:
			v[key] = g.damage(v[key])
		}
		return v
	case []any:
		if len(v) == 0 || g.oneIn(4) {
			break
		}
		i := g.choose(len(v))
		switch g.choose(3) {
		case 0:
			return append(v, g.anything(0))
		default:
			v[i] = g.damage(v[i])
		}
		return v
	case string:
		if g.choose(2) == 0 {
			return v + "?"
		}
	case json.Number:
		return json.Number([]string{"-1", "1.5", "1e400", "-0", "99999999999999999999999"}[g.choose(5)])
	}
	if g.oneIn(10) {
		return nested(500)
	}
	return g.anything(0)
}

func nested(depth int) (v any) {
	for range depth {
		v = []any{v}
	}
	return v
}
