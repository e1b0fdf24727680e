package gateway

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"parley/acpclient/transport"
)

// Waiting messages are joined into as few as possible for a client that accepts several in
// one, and sent one by one to others.
func TestSocketLines(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 50)
	batch := []string{"{1}", "{22}", "{333}", long, "{4}", "{5}", "{6}"}
	for _, test := range []struct {
		most int
		want []string
	}{
		{0, batch},
		{1, batch},
		{8, []string{"{1}\n{22}", "{333}", long, "{4}\n{5}", "{6}"}},
		{14, []string{"{1}\n{22}\n{333}", long, "{4}\n{5}\n{6}"}},
		{13, []string{"{1}\n{22}", "{333}", long, "{4}\n{5}\n{6}"}},
		{pieceSize, []string{strings.Join(batch, "\n")}},
	} {
		t.Run(fmt.Sprint(test.most), func(t *testing.T) {
			written := make(chan error, 1)
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				conn := &bufferedConn{stall: patience}
				ws, err := websocket.Accept(&hijacker{w, conn}, r, nil)
				if err == nil {
					k := &socket{ws: ws, line: conn, maxBatch: test.most}
					var all [][]byte
					for _, msg := range batch {
						all = append(all, []byte(msg))
					}
					err = k.writeAll(all)
					ws.Close(normal, "")
				}
				written <- err
			}))
			defer server.Close()
			ws, _, err := websocket.Dial(t.Context(), server.URL, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer ws.CloseNow()
			var got []string
			for {
				_, text, err := ws.Read(t.Context())
				if websocket.CloseStatus(err) == normal {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, string(text))
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
			if err := <-written; err != nil {
				t.Error(err)
			}
		})
	}
}

// The size that a client asks for is bounded.
func TestSocketLinesAreAskedFor(t *testing.T) {
	t.Parallel()
	r := newRig(t, "h1")
	var lines []string
	for i := range 3000 {
		lines = append(lines, update("s", fmt.Sprint("line ", i)))
	}
	for _, asked := range []string{"", "0", "-7", "lots", "500", "65536", "99999999999"} {
		var header []string
		if asked != "" {
			header = []string{transport.LinesHeader + ": " + asked}
		}
		s, _, err := r.dial(header...)
		if err != nil {
			t.Fatal(err)
		}
		most := map[string]int{"500": 500, "65536": pieceSize, "99999999999": 1<<63 - 1}[asked]
		s.send(request("0", "initialize", `{}`))
		s.next()
		s.send(saying("s", lines...))
		var got []string
		for len(got) < len(lines) {
			text := s.next()
			parts := strings.Split(text, "\n")
			if len(parts) > 1 && len(text) > min(most, pieceSize) {
				t.Fatalf("%q: %d lines in %d bytes", asked, len(parts), len(text))
			}
			got = append(got, parts...)
		}
		if !slices.Equal(got, lines) {
			t.Errorf("%q: not what the agent said", asked)
		}
		s.ws.CloseNow()
	}
}
