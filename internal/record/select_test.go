package record

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"parley/internal/must"

	"github.com/google/go-cmp/cmp"
)

// picked returns the lines of a selection as "dir n data".
func picked(t *testing.T, path string, want Query) []string {
	t.Helper()
	s := must.Get(Select(t.Context(), path, want))(t)
	var all []string
	for _, l := range s.Lines {
		if l.At.IsZero() {
			t.Errorf("%s without a time", l.Data)
		}
		all = append(all, fmt.Sprintf("%s %d %s", l.Dir, l.N, l.Data))
	}
	return all
}

// update returns an update of the session.
func update(session, text string) string {
	return fmt.Sprintf(`{"method":"session/update","params":{"sessionId":%q,"update":%q}}`, session, text)
}

func TestSelect(t *testing.T) {
	w := create(t, t.TempDir(), Options{})
	n := uint64(0)
	in := func(msg string) { n++; w.Message(In, n, []byte(msg)) }
	out := func(msg string) { w.Message(Out, 0, []byte(msg)) }
	out(`{"id":0,"method":"initialize"}`)
	in(`{"id":0,"result":{}}`) // 1
	out(`{"id":3,"method":"session/prompt","params":{"sessionId":"s"}}`)
	out(`{"id":4,"method":"session/prompt","params":{"sessionId":"other"}}`)
	in(update("s", "a"))                                                                  // 2
	in(update("other", "b"))                                                              // 3
	in(`{"id":"q","method":"session/request_permission","params":{"sessionId":"s"}}`)     // 4
	in(`{"id":"r","method":"session/request_permission","params":{"sessionId":"other"}}`) // 5
	in(`[{"id":8,"method":"x"},{"id":9,"method":"x"},{"method":"y"}]`)                    // 6
	out(`{"id":"r","result":"no"}`)
	out(`{"id":"q","result":"yes"}`)
	out(`{"id":"q","result":"again"}`)
	out(`[{"id":8,"result":1},{"id":9,"result":2}]`)
	in(`noise`)                                                                               // 7
	in(`{"id":4,"result":"other"}`)                                                           // 8
	in(`[{"id":3,"result":"end"}]`)                                                           // 9
	in(`{"id":3,"result":"twice"}`)                                                           // 10
	in(`{"id":"q","method":"fs/read","params":{"sessionId":"s"}}`)                            // 11
	in(strings.Replace(update("s", "escaped"), `"sessionId":"s"`, `"sessionId":"\u0073"`, 1)) // 12
	out(`{"id":"q","error":{}}`)
	closeLog(t, w)
	prompt, end := `out 0 {"id":3,"method":"session/prompt","params":{"sessionId":"s"}}`, `in 9 [{"id":3,"result":"end"}]`
	a, question := "in 2 "+update("s", "a"), `in 4 {"id":"q","method":"session/request_permission","params":{"sessionId":"s"}}`
	for name, c := range map[string]struct {
		want Query
		got  []string
	}{
		"nothing":             {Query{Session: "s"}, nil},
		"one":                 {Query{Session: "s", Spans: []Span{{2, 2}}}, []string{a}},
		"others are left out": {Query{Session: "s", Spans: []Span{{1, 3}}}, []string{`in 1 {"id":0,"result":{}}`, a}},
		"a question":          {Query{Session: "s", Spans: []Span{{4, 5}}}, []string{question, `out 0 {"id":"q","result":"yes"}`}},
		"a batch":             {Query{Session: "s", Spans: []Span{{6, 6}}}, []string{`in 6 [{"id":8,"method":"x"},{"id":9,"method":"x"},{"method":"y"}]`, `out 0 [{"id":8,"result":1},{"id":9,"result":2}]`}},
		"a prompt":            {Query{Session: "s", Request: 3}, []string{prompt, end}},
		"a prompt of others":  {Query{Session: "s", Request: 4}, []string{`out 0 {"id":4,"method":"session/prompt","params":{"sessionId":"other"}}`, `in 8 {"id":4,"result":"other"}`}},
		"both":                {Query{Session: "s", Spans: []Span{{9, 9}, {2, 2}}, Request: 3}, []string{prompt, a, end}},
		"noise":               {Query{Session: "s", Spans: []Span{{7, 7}}}, []string{`in 7 "noise"`}},
		"an id again":         {Query{Session: "s", Spans: []Span{{11, 11}}}, []string{`in 11 {"id":"q","method":"fs/read","params":{"sessionId":"s"}}`, `out 0 {"id":"q","error":{}}`}},
		"an escaped id":       {Query{Session: "s", Spans: []Span{{12, 12}}}, []string{"in 12 " + strings.Replace(update("s", "escaped"), `"s"`, `"\u0073"`, 1)}},
		"what is not there":   {Query{Session: "s", Spans: []Span{{13, 99}}, Request: 77}, nil},
	} {
		if d := cmp.Diff(c.got, picked(t, w.Path(), c.want)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Select(ctx, w.Path(), Query{Request: 3}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if _, err := Select(t.Context(), w.Path()+"x", Query{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

// Of too many messages the first and last are kept and those between are counted.
func TestSelectIsBounded(t *testing.T) {
	w := create(t, t.TempDir(), Options{})
	for i := range 1000 {
		w.Message(In, uint64(i+1), []byte(update("s", fmt.Sprint(i+1))))
	}
	w.Message(In, 1001, []byte(update("s", strings.Repeat("é", 1<<20))))
	for i := range 10 {
		w.Message(In, uint64(1002+i), []byte(update("s", strings.Repeat("x", 200<<10))))
	}
	closeLog(t, w)
	check := func(first, last uint64, lines, left int) []Selected {
		t.Helper()
		s := must.Get(Select(t.Context(), w.Path(), Query{Session: "s", Spans: []Span{{first, last}}}))(t)
		size, before := 0, 0
		for i, l := range s.Lines {
			size += len(l.Data)
			before += l.OmittedBefore
			if want := first + uint64(i+before); l.N != want {
				t.Fatalf("line %d is message %d, want %d", i, l.N, want)
			}
		}
		if len(s.Lines) != lines || s.Omitted != left || before != left || size > maxSelectedBytes || s.Full {
			t.Errorf("%d to %d: %d lines, %d left, %d before, %d bytes, %v; want %d and %d", first, last, len(s.Lines), s.Omitted, before, size, s.Full, lines, left)
		}
		return s.Lines
	}
	check(1, 200, 200, 0)
	check(1, 201, 200, 1)
	check(1, 1000, 200, 800)
	check(1002, 1011, 4, 6)
	if l := check(1001, 1001, 1, 0)[0]; len(l.Data) > maxSelectedData || len(l.Data)+l.CutBytes != len(update("s", strings.Repeat("é", 1<<20))) || !strings.HasSuffix(string(l.Data), "é") {
		t.Errorf("%d bytes, %d cut off", len(l.Data), l.CutBytes)
	}

	full := create(t, t.TempDir(), Options{MaxBytes: 8 << 10})
	for i := range 1000 {
		full.Message(In, uint64(i+1), []byte(update("s", "text")))
	}
	closeLog(t, full)
	if s, err := Select(t.Context(), full.Path(), Query{Session: "s", Spans: []Span{{900, 900}}}); err != nil || len(s.Lines) != 0 || !s.Full {
		t.Errorf("%+v, %v", s, err)
	}
}

// BenchmarkSelect searches 32 MiB for a message at the end.
func BenchmarkSelect(b *testing.B) {
	w := must.Get(Create(b.TempDir(), Meta{}, Options{MaxBytes: 64 << 20, QueueBytes: 64 << 20}))(b)
	n := uint64(0)
	for size := 0; size < 25<<20; { // 32 MiB with the head of each line
		n++
		msg := fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a few words of an answer, %d"}}}}`, n)
		w.Message(In, n, msg)
		size += len(msg)
	}
	w.Message(Out, 0, request(7, "session/prompt", `{"sessionId":"s"}`))
	must.Do(b, w.Close())
	info := must.Get(os.Stat(w.Path()))(b)
	b.SetBytes(info.Size())
	for b.Loop() {
		s, err := Select(b.Context(), w.Path(), Query{Session: "s", Spans: []Span{{n, n}}, Request: 7})
		if err != nil || len(s.Lines) != 2 {
			b.Fatalf("%d lines, %v", len(s.Lines), err)
		}
	}
}
