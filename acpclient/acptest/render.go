package acptest

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"

	"parley/acpclient/event"
)

// longest bounds the bytes of a string that a line shows.
const longest = 400

// Line renders an event on one line: its session, its name and the fields that are not
// zero, without times, request ids and message ordinals. The form is stable, so lines
// can be compared.
func Line(e event.Event) string {
	session := e.EventSession()
	if session == "" {
		session = "-"
	}
	return strings.TrimRight(fmt.Sprintf("%s %s %s", session, reflect.TypeOf(e).Name(), fields(e)), " ")
}

// fields renders the fields of a struct that are not zero.
func fields(v any) string {
	var parts []string
	value := reflect.ValueOf(v)
	for i := range value.NumField() {
		f, name := value.Field(i), value.Type().Field(i).Name
		if f.IsZero() && f.Type() != reflect.TypeFor[event.Role]() || name == "For" || name == "Request" || f.Type() == reflect.TypeFor[time.Time]() {
			continue
		}
		parts = append(parts, name+"="+render(f))
	}
	return strings.Join(parts, " ")
}

var roles = map[event.Role]string{event.Agent: "agent", event.User: "user", event.Thought: "thought"}

var contentKinds = map[event.ContentKind]string{event.TextContent: "text", event.ImageContent: "image", event.AudioContent: "audio",
	event.LinkContent: "link", event.ResourceContent: "resource", event.UnknownContent: "unknown"}

func render(v reflect.Value) string {
	switch x := v.Interface().(type) {
	case event.Role:
		return roles[x]
	case event.ContentKind:
		return contentKinds[x]
	case error:
		return quote(x.Error())
	case json.RawMessage:
		return quote(string(x))
	case []byte:
		return quote(string(x))
	}
	switch v.Kind() {
	case reflect.String:
		return quote(v.String())
	case reflect.Pointer:
		return render(v.Elem())
	case reflect.Struct:
		return "{" + fields(v.Interface()) + "}"
	case reflect.Slice:
		items := make([]string, v.Len())
		for i := range items {
			items[i] = render(v.Index(i))
		}
		return "[" + strings.Join(items, " ") + "]"
	}
	return fmt.Sprint(v.Interface())
}

func quote(s string) string {
	if len(s) > longest {
		return fmt.Sprintf("%q…(%d bytes)", s[:longest/4], len(s))
	}
	return fmt.Sprintf("%q", s)
}
