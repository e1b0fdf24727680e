package acpclient

import (
	"parley/acpclient/wire"
	"parley/internal/jsonscan"
	"parley/internal/safetext"
)

// This file is the short way of tool calls, in which both versions agree: titles
// and the like that are strings, content that is text, and nothing that is null.

// hotTool does what toolChanged and toolPatched do. Nothing is done before all of
// it is decoded.
func (s *Session) hotTool(h *wire.Hot) bool {
	f, c := &s.client.floods, &h.Call
	e := ToolChanged{For: s.for_(), At: s.client.clock()}
	if !f.line(&e.Title, c.Title, maxPhrase) || !f.line(&e.Name, c.Name, 80) || !f.line(&e.Kind, c.Kind, 40) || !f.line(&e.Status, c.Status, 40) ||
		!hotRaw(&e.RawInput, c.RawInput) || !hotRaw(&e.RawOutput, c.RawOutput) || !hotLocations(&e.Locations, c.Locations) || !f.texts(&e.Content, c.Content) {
		return false
	}
	s.flushText()
	over := e.Status == completed || e.Status == failed // as it came, not as it is shown
	if !over && c.Says() {
		s.tools.remember(h.ToolID, h.Update)
	}
	if e.ID = s.tools.id(h.ToolID); over {
		s.tools.forget(e.ID)
	}
	s.client.sink.PostTool(e)
	return true
}

// often are words that stand in most tool calls.
var often = func() map[string]*string {
	words := map[string]*string{}
	for _, w := range []string{"pending", "in_progress", "completed", "failed", "read", "edit", "delete", "move", "search", "execute", "think", "fetch", "switch_mode", "other"} {
		words[w] = &w
	}
	return words
}()

var completed, failed = often["completed"], often["failed"]

// line decodes a string for one line.
func (f *floods) line(into **string, raw []byte, limit int) bool {
	if raw == nil {
		return true
	}
	text, ok := f.text(raw)
	if !ok {
		return false
	}
	if *into = often[string(text)]; *into == nil {
		s := safetext.Line(string(text), limit)
		*into = &s
	}
	return true
}

// texts decodes content that is texts alone.
func (f *floods) texts(into **[]ToolContent, raw []byte) bool {
	if raw == nil {
		return true
	}
	items := []ToolContent{}
	if !wire.HotTexts(raw, func(raw []byte) bool {
		text, ok := f.text(raw)
		if ok {
			var clean safetext.Stream
			items = append(items, ToolContent{Content: &Content{Text: string(clean.Bytes(&f.cleaned, text))}})
		}
		return ok
	}) {
		return false
	}
	*into = &items
	return true
}

func hotLocations(into **[]Location, raw []byte) bool {
	if raw == nil {
		return true
	}
	if jsonscan.KindOf(raw) != jsonscan.Array {
		return false
	}
	places := []Location{}
	it := jsonscan.ItemsOf(raw)
	for it.Next() {
		if l, ok := wire.DecodeLocation(it.Value); ok {
			places = append(places, Location{safetext.Line(l.Path, maxPhrase), l.Line})
		}
	}
	*into = &places
	return it.Err() == nil
}

// hotRaw shows JSON.
func hotRaw(into **string, raw []byte) bool {
	if raw == nil {
		return true
	}
	if jsonscan.KindOf(raw) == jsonscan.Null || !jsonscan.Valid(raw) {
		return false
	}
	s := shownSound(raw)
	*into = &s
	return true
}
