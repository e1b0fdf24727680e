package acpclient_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"testing"
	"time"

	"parley/acpclient"
	"parley/acpclient/thread"
	"parley/acpclient/transport"
)

// chunkLines are a thousand chunks of text as agents stream them.
func chunkLines() []byte {
	var out []byte
	for i := range 1000 {
		out = fmt.Appendf(out, `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"agent_message_chunk",`+
			`"messageId":"msg_%d","content":{"type":"text","text":"word %d of a **sentence**, "}}}}`+"\n", i/200, i)
	}
	return out
}

// repeated yields n lines of block, over and over.
type repeated struct {
	block []byte
	pos   int
	lines int
}

func (r *repeated) Read(p []byte) (int, error) {
	if r.lines == 0 {
		return 0, io.EOF
	}
	n := copy(p, r.block[r.pos:])
	for i, c := range p[:n] {
		if c == '\n' {
			if r.lines--; r.lines == 0 {
				return i + 1, nil
			}
		}
	}
	r.pos = (r.pos + n) % len(r.block)
	return n, nil
}

// streamedAgent is a connection that answers the handshake and then is a
// stream of lines, read as the pipe of a process is.
type streamedAgent struct {
	asked chan []byte
	lines *transport.LineReader
	begin chan struct{}
}

func (c *streamedAgent) Recv() ([]byte, error) {
	select {
	case data := <-c.asked:
		m := decode(data)
		result := map[string]string{"initialize": `{"protocolVersion":1}`, "session/new": `{"sessionId":"s1"}`}[m.Method]
		return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result), nil
	case <-c.begin:
		return c.lines.Next()
	}
}

func (c *streamedAgent) Send(m transport.Message) error {
	c.asked <- append([]byte(nil), m.Data...)
	return nil
}

func (c *streamedAgent) Close() error { return nil }

// BenchmarkEngine streams chunks of text through the whole engine: lines,
// jsonrpc, wire, events, Queue and thread, once a frame. The yardstick
// is a loop that does nothing but decode each line with encoding/json. An
// operation is one chunk.
func BenchmarkEngine(b *testing.B) {
	block := chunkLines()
	perOp := func(b *testing.B) float64 { return float64(b.Elapsed()) / float64(b.N) }
	var baseline float64
	b.Run("baseline", func(b *testing.B) {
		b.ReportAllocs()
		benchmarkBaseline(b, block)
		baseline = perOp(b)
		b.ReportMetric(1e9/baseline, "updates/s")
	})
	b.Run("engine", func(b *testing.B) {
		b.ReportAllocs()
		benchmarkEngine(b, block)
		b.ReportMetric(1e9/perOp(b), "updates/s")
		if baseline > 0 {
			b.ReportMetric(baseline/perOp(b), "of-baseline")
		}
	})
}

func benchmarkBaseline(b *testing.B, block []byte) {
	lines := transport.NewLineReader(&repeated{block: block, lines: b.N}, 0)
	text := 0
	for range b.N {
		line, err := lines.Next()
		if err != nil {
			b.Fatal(err)
		}
		var m struct {
			JSONRPC string `json:"jsonrpc"`
			Method  string `json:"method"`
			Params  struct {
				SessionID string `json:"sessionId"`
				Update    struct {
					SessionUpdate string `json:"sessionUpdate"`
					MessageID     string `json:"messageId"`
					Content       struct {
						Type string `json:"type"`
						Text string `json:"text"`
					} `json:"content"`
				} `json:"update"`
			} `json:"params"`
		}
		if err := json.Unmarshal(line, &m); err != nil {
			b.Fatal(err)
		}
		text += len(m.Params.Update.Content.Text)
	}
	if text < 20*b.N {
		b.Fatalf("only %d bytes of text", text)
	}
}

func benchmarkEngine(b *testing.B, block []byte) {
	q := acpclient.NewQueue()
	conn := &streamedAgent{asked: make(chan []byte, 10), begin: make(chan struct{}), lines: transport.NewLineReader(&repeated{block: block, lines: b.N}, 0)}
	c, err := acpclient.Connect(context.Background(), conn, acpclient.Options{Sink: q})
	if err != nil {
		b.Fatal(err)
	}
	if _, err := c.NewSession(context.Background(), acpclient.NewSession{Cwd: "/"}); err != nil {
		b.Fatal(err)
	}
	conversation := thread.New("s1")
	b.ResetTimer()
	close(conn.begin)
	frame := time.NewTicker(16 * time.Millisecond)
	defer frame.Stop()
	for over := false; !over; {
		select {
		case <-frame.C:
		case <-c.Done():
			over = true
		}
		for _, e := range q.Take() {
			conversation.Apply(e)
		}
	}
	b.StopTimer()
	text := 0
	for _, it := range conversation.Items {
		text += len(it.Text)
	}
	if text < 20*b.N {
		b.Fatalf("only %d bytes of text", text)
	}
}
