package acpclient_test

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"

	"parley/acpclient/event"
)

// Every kind of block is sent in a prompt of v2 and validated against its schema when
// the test ends. The held prompt shows it, and the replay of the log shows the same.
func TestBlocksOfV2(t *testing.T) {
	talkV2(t, nil, func(t *testing.T, k *v2Talk) {
		content := "package a"
		k.session.Prompt(event.Block{Text: "look "}, event.Block{Image: []byte("\x89PNG data"), MimeType: "image/png"}, event.Block{Text: " here"},
			event.Block{URI: "file:///w/a.go#L1", Name: "a.go", Content: &content}, event.Block{URI: "file:///w/b", Name: "b", MimeType: "text/plain"})
		synctest.Wait()
		var p struct{ Prompt []json.RawMessage }
		for _, m := range k.got("session/prompt") {
			json.Unmarshal(m.Params, &p)
		}
		want := []string{`{"type":"text","text":"look "}`, `{"type":"image","data":"iVBORyBkYXRh","mimeType":"image/png"}`, `{"type":"text","text":" here"}`,
			`{"type":"resource","resource":{"uri":"file:///w/a.go#L1","text":"package a"}}`, `{"mimeType":"text/plain","name":"b","type":"resource_link","uri":"file:///w/b"}`}
		var got []string
		for _, b := range p.Prompt {
			got = append(got, string(b))
		}
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("sent %s", strings.Join(got, "\n"))
		}
		if k.settle(); len(k.thread.Held) != 1 || k.thread.Held[0].Text != "look [image png 9 B] here" {
			t.Errorf("held %+v", k.thread.Held)
		}
		k.answer("session/prompt", 0, `"result":{"messageId":"u"}`)
	})
}
