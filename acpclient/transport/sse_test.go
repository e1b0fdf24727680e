package transport

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// events reads a whole stream. An event over the limit shows as "!<size>", an end other
// than io.EOF as its text.
func events(r *eventReader) []string {
	var got []string
	for {
		e, err := r.next()
		var long *TooLongError
		switch {
		case errors.As(err, &long):
			got = append(got, fmt.Sprintf("!%d", long.Size))
		case err == io.EOF:
			return got
		case err != nil:
			return append(got, err.Error())
		case e.typed:
			got = append(got, "*"+string(e.data))
		default:
			got = append(got, string(e.data))
		}
	}
}

// plainEvents does the same on the whole stream in memory, line by line as in the standard.
func plainEvents(stream string, limit int) (got []string, lastID string) {
	stream = strings.TrimPrefix(stream, string(byteOrderMark))
	stream = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(stream)
	lines := strings.Split(stream, "\n")
	rest := lines[len(lines)-1]
	lines = lines[:len(lines)-1]
	var data []string
	named, id, hasID := false, "", false
	end := func(whole bool) {
		text := strings.Join(data, "\n")
		if whole && hasID {
			lastID = id
		}
		switch {
		case !whole && (len(text) > limit || !json.Valid([]byte(text))):
		case len(text) > limit:
			got = append(got, fmt.Sprintf("!%d", len(text)))
		case strings.TrimSpace(text) != "":
			if !whole && hasID {
				lastID = id
			}
			got = append(got, map[bool]string{true: "*"}[named]+text)
		}
		data, named, id, hasID = nil, false, "", false
	}
	for _, line := range lines {
		name, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case line == "":
			end(true)
		case len(line) > limit+fieldRoom && name != "data": // a long line of another field is dropped
		case name == "data":
			data = append(data, value)
		case name == "event":
			named = value != "" && value != "message"
		case name == "id" && len(value) <= maxHeader && !strings.Contains(value, "\x00"):
			id, hasID = value, true
		}
	}
	if value, ok := strings.CutPrefix(rest, "data:"); ok {
		data = append(data, strings.TrimPrefix(value, " "))
	}
	end(false)
	return got, lastID
}

// Case 179, and the rest of PROTOCOL 5.6 about events.
func TestCase179Events(t *testing.T) {
	for _, tc := range []struct {
		name, stream string
		want         []string
	}{
		{"nothing", "", nil},
		{"one", "data: {}\n\n", []string{"{}"}},
		{"without a space", "data:{}\n\n", []string{"{}"}},
		{"only one space removed", "data:  x\n\n", []string{" x"}},
		{"CRLF", "data: a\r\n\r\ndata: b\r\n\r\n", []string{"a", "b"}},
		{"CR", "data: a\r\rdata: b\r\r", []string{"a", "b"}},
		{"all kinds", "data: a\r\n\ndata: b\r\r\ndata: c\n\r\n", []string{"a", "b", "c"}},
		{"several lines", "data: {\ndata:  \"a\": 1\r\ndata: }\n\n", []string{"{\n \"a\": 1\n}"}},
		{"an empty line of data", "data: a\ndata\ndata:\n\n", []string{"a\n\n"}},
		{"no data", "data\n\ndata:\n\ndata: \n\n\n\nevent: x\n\nid: 5\n\n:\n\n", nil},
		{"comments", ": hello\ndata: a\n: in between\n\n:\n\n", []string{"a"}},
		{"byte order mark", "\ufeffdata: a\n\ndata: \ufeffb\n\n", []string{"a", "\ufeffb"}},
		{"a byte order mark alone", "\ufeff", nil},
		{"names", "event: message\ndata: a\n\nevent: ping\ndata: b\n\ndata: c\n\nevent: x\nevent:\ndata: d\n\n", []string{"a", "*b", "c", "d"}},
		{"unknown fields", "foo: x\nDATA: y\n data: z\ndata : w\ndata: a\n\n", []string{"a"}},
		{"a colon in the value", "data: a: b\n\n", []string{"a: b"}},
		{"JSON without its end", "data: {\"a\":1}", []string{`{"a":1}`}},
		{"JSON without its blank line", "data: {\ndata: }\n", []string{"{\n}"}},
		{"half of JSON", "data: {\"a\":", nil},
		{"text without its end", "data: a\n", nil},
		{"half of another field", "data: {}\nid: 4", []string{"{}"}},
		{"at the limit", "data: 0123456789\n\ndata: 01234\ndata: 6789\n\n", []string{"0123456789", "01234\n6789"}},
		{"over the limit", "data: 0123456789a\n\ndata: a\n\ndata: 01234\ndata: 6789a\n\ndata: b\n\n", []string{"!11", "a", "!11", "b"}},
		{"far over the limit", "data: " + strings.Repeat("x", 1_000_000) + "\r\n\r\ndata: a\r\n\r\n", []string{"!1000000", "a"}},
		{"far over, in two lines", "data:" + strings.Repeat("x", 1000) + "\rdata: " + strings.Repeat("y", 1000) + "\r\rdata: a\r\r", []string{"!2001", "a"}},
		{"a long comment", ":" + strings.Repeat("x", 1_000_000) + "\ndata: a\n\n", []string{"a"}},
		{"a long line of another field", "data: a\nfoo: " + strings.Repeat("x", 1_000_000) + "\ndata: b\n\n", []string{"a\nb"}},
		{"over the limit, without its end", "data: " + strings.Repeat("1", 1000), nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			limit := 10
			if len(tc.stream) < 1000 && !strings.Contains(tc.name, "limit") {
				limit = 100
			}
			if plain, _ := plainEvents(tc.stream, limit); len(tc.stream) < 1000 && !slices.Equal(plain, tc.want) {
				t.Errorf("the test itself reads %q", plain)
			}
			for name, src := range map[string]io.Reader{
				"whole":         strings.NewReader(tc.stream),
				"byte by byte":  iotest.OneByteReader(strings.NewReader(tc.stream)),
				"data with EOF": iotest.DataErrReader(strings.NewReader(tc.stream)),
			} {
				if got := events(newEventReader(src, limit)); !slices.Equal(got, tc.want) {
					t.Errorf("%s: got %.100q, want %q", name, got, tc.want)
				}
			}
		})
	}
}

// A broken stream returns its error after the complete events.
func TestEventsOfBrokenStream(t *testing.T) {
	src := io.MultiReader(strings.NewReader("data: a\n\ndata: {}\n"), iotest.ErrReader(io.ErrUnexpectedEOF))
	if got := events(newEventReader(src, 10)); !slices.Equal(got, []string{"a", "{}", "unexpected EOF"}) {
		t.Errorf("got %q", got)
	}
}

// The last event id, the retry time and idle.
func TestEventFields(t *testing.T) {
	r := newEventReader(strings.NewReader("id: 1\nretry: 500\ndata: a\n\n"+"id: x\x00y\nretry: 1e3\ndata: b\n\n"+"id:"+strings.Repeat("z", 2000)+"\nretry: -1\ndata: c\n\n"+
		"id\ndata: d\n\n"+"id: 5\n: alive\n\n"+"id: 6\n"), 10_000)
	for _, want := range []string{"a 1", "b 1", "c 1", "d "} {
		e, err := r.next()
		if got := string(e.data) + " " + string(r.lastID); err != nil || got != want || r.idle {
			t.Errorf("got %q, %v, %v; want %q", got, err, r.idle, want)
		}
	}
	if _, err := r.next(); err != io.EOF || string(r.lastID) != "5" || !r.idle {
		t.Errorf("at the end: %v, id %q, idle %v", err, r.lastID, r.idle)
	}
	if r.retry.Milliseconds() != 500 {
		t.Errorf("retry %v", r.retry)
	}
}

// A large event in small reads takes time proportional to its size, and its buffers are
// dropped. The same holds for very many lines that all have the same kind of line end.
func TestEventsOfAnySizeAreLinear(t *testing.T) {
	large := strings.Repeat("x", 20<<20)
	src := &pieces{rest: "data: " + large + "\n\ndata: a\n\n" + strings.Repeat(":\r", 10<<20) + "data: b\r\r"}
	r := newEventReader(src, 32<<20)
	e, err := r.next()
	if err != nil || string(e.data) != large {
		t.Fatalf("%d bytes, %v", len(e.data), err)
	}
	for _, want := range []string{"a", "b"} {
		if e, err = r.next(); err != nil || string(e.data) != want {
			t.Fatalf("%.80q, %v", e.data, err)
		}
	}
	if len(r.buf) > keepBuffer || cap(r.data) > keepBuffer {
		t.Errorf("%d and %d bytes are kept", len(r.buf), cap(r.data))
	}
	if src.reads > 3_000_000 {
		t.Errorf("%d reads", src.reads)
	}
}

// pieces reads at most 32 KiB at a time.
type pieces struct {
	rest  string
	reads int
}

func (s *pieces) Read(p []byte) (int, error) {
	s.reads++
	if s.rest == "" {
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), 32<<10)], s.rest)
	s.rest = s.rest[n:]
	return n, nil
}

// Reading an event allocates nothing.
func TestEventsDoNotAllocate(t *testing.T) {
	stream := strings.Repeat("data: "+update("s1", 1)+"\n\n", 10_000)
	src := strings.NewReader(stream)
	r := newEventReader(src, 1<<20)
	n := testing.AllocsPerRun(10, func() {
		src.Reset(stream)
		r.err = nil
		for {
			if _, err := r.next(); err != nil {
				return
			}
		}
	})
	if n > 1 {
		t.Errorf("%v allocations for 10,000 events", n)
	}
}

// chunks reads in random pieces.
type chunks struct {
	rest []byte
	rng  *rand.Rand
}

func (c *chunks) Read(p []byte) (int, error) {
	if len(c.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(p, c.rest[:min(len(c.rest), 1+c.rng.IntN(7))])
	c.rest = c.rest[n:]
	return n, nil
}

// However a stream is cut into reads, the events are the same: those of the standard, plus
// one that the end of the stream cut short.
func FuzzEvents(f *testing.F) {
	f.Add([]byte("data: {}\r\n\r\nid: 4\rdata: x\r\r"), uint64(1))
	f.Add([]byte("\xef\xbb\xbfdata: a\ndata: b\n\n: c\nretry: 5\nevent: e\ndata: f"), uint64(2))
	f.Add([]byte("data: 0123456789012345678901234567890123456789\n\ndata: {\"a\":1}"), uint64(3))
	f.Add([]byte("\r\n\n\r\rdata\n\r\n"), uint64(4))
	f.Fuzz(func(t *testing.T, stream []byte, seed uint64) {
		const limit = 24
		want, lastID := plainEvents(string(stream), limit)
		for _, src := range []io.Reader{bytes.NewReader(stream), &chunks{stream, rand.New(rand.NewPCG(seed, 0))}, iotest.DataErrReader(bytes.NewReader(stream))} {
			r := newEventReader(src, limit)
			if got := events(r); !slices.Equal(got, want) {
				t.Fatalf("%q: got %q, want %q", stream, got, want)
			}
			if string(r.lastID) != lastID {
				t.Fatalf("%q: last id %q, want %q", stream, r.lastID, lastID)
			}
		}
	})
}
