//go:build unix

package join

import (
	"fmt"
	"io"
	"net"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"parley/acpclient/event"
	"parley/internal/fakeagent"
	"parley/internal/hello"
	"parley/internal/must"
	"parley/internal/workspace"
)

// BenchmarkFlood measures what joined clients cost in a flood: the processor time for each client and update of
// the agent's, less that of the same flood without clients. It includes the clients' own reading.
func BenchmarkFlood(b *testing.B) {
	text := func(i int) event.Event {
		return event.TextArrived{For: event.For{Session: "s1"}, Role: event.Agent, MessageID: fmt.Sprint(i / 1000), Text: "some words of an answer "}
	}
	tool := func(i int) event.Event { // no two can be joined: each is a message
		id, status := fmt.Sprint(i), "in_progress"
		title := fmt.Sprint("Call ", i)
		return event.ToolChanged{For: event.For{Session: "s1"}, ID: id, Title: &title, Status: &status}
	}
	for _, kind := range []struct {
		name string
		of   func(i int) event.Event
	}{{"text", text}, {"calls", tool}} {
		b.Run(kind.name, func(b *testing.B) {
			const clients = 20
			alone := flood(b, 0, kind.of)
			joined := flood(b, clients, kind.of)
			b.ReportMetric(float64(joined-alone)/float64(b.N)/clients, "ns/client/update")
			b.ReportMetric(float64(alone)/float64(b.N), "ns/update-alone")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// flood posts b.N events at 100,000 a second and returns the processor time that it took.
func flood(b *testing.B, clients int, of func(int) event.Event) time.Duration {
	dir := b.TempDir()
	l, err := net.Listen("unix", filepath.Join(dir, "s"))
	if err != nil {
		b.Fatal(err)
	}
	d := fakeagent.Dialer{Cwd: dir, Script: func(string) *fakeagent.Script { return &fakeagent.Script{} }}
	w := workspace.New(workspace.Options{Cwd: dir, Connect: d.Connect, Agents: []workspace.Spec{spec}, Pace: 16 * time.Millisecond,
		Begun: func(w *workspace.Workspace) { Serve(w, l, Options{}) }})
	r := &rig{w: w, do: make(chan func()), results: make(chan workspace.Result), ended: make(chan struct{})}
	go r.run()
	defer func() { w.Close(); close(r.do); <-r.ended }()
	r.on(func() { w.Start(spec) })
	for {
		open := false
		r.on(func() { open = w.Front().IsOpen() })
		if open {
			break
		}
		time.Sleep(time.Millisecond)
	}
	for i := range clients {
		conn, err := net.Dial("unix", filepath.Join(dir, "s"))
		if err != nil {
			b.Fatal(err)
		}
		must.Do(b, hello.Send(conn, "client", hello.Watch))
		load := `{"jsonrpc":"2.0","id":2,"method":"session/load","params":{"sessionId":"s1","cwd":"/","mcpServers":[]}}`
		if i%2 == 1 {
			load = `{"jsonrpc":"2.0","id":2,"method":"session/resume","params":{"sessionId":"s1","cwd":"/","replayFrom":{"type":"start"}}}`
		}
		fmt.Fprintf(conn, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":%d}}\n%s\n", 1+i%2, load)
		go io.CopyBuffer(struct{ io.Writer }{io.Discard}, struct{ io.Reader }{conn}, make([]byte, 64<<10))
	}
	time.Sleep(200 * time.Millisecond)
	before := cpu()
	const batch = 500
	for i := 0; i < b.N; i += batch {
		r.on(func() {
			for k := i; k < min(i+batch, b.N); k++ {
				w.Front().Agent.Post(of(k))
			}
		})
		time.Sleep(5 * time.Millisecond)
	}
	time.Sleep(100 * time.Millisecond)
	return cpu() - before
}

func cpu() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
