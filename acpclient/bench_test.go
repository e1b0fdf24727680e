package acpclient_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/acpclient"
	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/internal/must"
)

// BenchmarkEngine streams the loads of an agent process through the whole engine: lines,
// jsonrpc, wire, events, Queue, and thread once a frame. An operation is one message.
// The yardstick is a loop that reads the same stream from such a process and only splits
// it into lines: x-split is the engine's CPU time divided by that of the loop, x-split-
// wall the same for wall time. Each is the median of rounds in which the two alternate.
func BenchmarkEngine(b *testing.B) {
	for _, name := range []string{"text", "tools", "terminal", "giant"} {
		for _, version := range []int{1, 2} {
			b.Run(fmt.Sprintf("%s/v%d", name, version), func(b *testing.B) { benchmarkLoad(b, name, version) })
		}
	}
}

const rounds = 5

func benchmarkLoad(b *testing.B, name string, version int) {
	messages, turns := b.N, rounds
	if name == "giant" { // one process for each
		messages, turns = 1, max(b.N, rounds)
	}
	var cpu, wall, used, allocs []float64
	for range turns {
		split := splitLoad(b, name, version, messages)
		engine := engineLoad(b, name, version, messages)
		cpu = append(cpu, float64(engine.cpu)/float64(max(split.cpu, 1)))
		wall = append(wall, float64(engine.wall)/float64(split.wall))
		used = append(used, float64(engine.cpu)/float64(messages))
		allocs = append(allocs, float64(engine.allocs)/float64(messages))
	}
	b.ReportMetric(0, "ns/op") // it would be that of all rounds
	b.ReportMetric(median(cpu), "x-split")
	b.ReportMetric(median(wall), "x-split-wall")
	b.ReportMetric(median(used), "cpu-ns/msg")
	b.ReportMetric(median(allocs), "allocs/msg")
}

func median(v []float64) float64 {
	slices.Sort(v)
	return v[len(v)/2]
}

// cost is the cost of a stream from the prompt to its end.
type cost struct {
	cpu, wall time.Duration
	allocs    uint64
	kept      int // bytes in the thread
}

func measured(f func()) cost {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	cpu, start := cpuTime(), time.Now()
	f()
	c := cost{cpu: cpuTime() - cpu, wall: time.Since(start)}
	runtime.ReadMemStats(&after)
	c.allocs = after.Mallocs - before.Mallocs
	return c
}

func loadEnv(name string, version, n int) []string {
	return append(os.Environ(), fmt.Sprintf("PARLEY_TEST_AGENT=load %s %d %d", name, version, n))
}

// splitLoad reads a load and splits it into lines.
func splitLoad(b *testing.B, name string, version, n int) (c cost) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = loadEnv(name, version, n)
	stdin, _ := cmd.StdinPipe()
	stdout, _ := cmd.StdoutPipe()
	must.Do(b, cmd.Start())
	lines, bytes := 0, 0
	in := bufio.NewReaderSize(stdout, 256<<10)
	ask := func(method string) {
		fmt.Fprintf(stdin, `{"jsonrpc":"2.0","id":1,"method":%q}`+"\n", method)
		lines, bytes = splitLines(b, in)
	}
	ask("initialize")
	c = measured(func() { ask("session/prompt") })
	if lines != n+1 || bytes < 20*n {
		b.Fatalf("%d lines, %d bytes", lines, bytes)
	}
	stdin.Close()
	cmd.Wait()
	return c
}

// splitLines is the yardstick. It returns after the last line.
func splitLines(b *testing.B, in *bufio.Reader) (lines, size int) {
	last := []byte(lastLine)
	var long []byte
	for {
		line, err := in.ReadSlice('\n')
		if err == bufio.ErrBufferFull {
			long = append(long[:0], line...)
			for err == bufio.ErrBufferFull {
				line, err = in.ReadSlice('\n')
				long = append(long, line...)
			}
			line = long
		}
		if err != nil {
			b.Fatal(err)
		}
		lines++
		size += len(line)
		if bytes.HasPrefix(line, last) {
			return lines, size
		}
	}
}

// engineLoad streams a load through the engine.
func engineLoad(b testing.TB, name string, version, messages int) (c cost) {
	q := event.NewQueue()
	client := must.Get(acpclient.Launch(context.Background(), acpclient.AgentCommand{Path: os.Args[0], Env: loadEnv(name, version, messages)},
		acpclient.Options{Sink: q, Protocol: fmt.Sprint(version)}))(b)
	defer client.Close()
	s := must.Get(client.NewSession(context.Background(), acpclient.NewSession{Cwd: "/"}))(b)
	conversation := thread.New("s1")
	c = measured(func() {
		must.Do(b, s.Prompt(event.Block{Text: "go"}))
		for !drained(q, conversation) {
			if messages > 1 { // the next frame
				time.Sleep(16 * time.Millisecond)
			}
		}
	})
	if c.kept = kept(conversation); c.kept == 0 {
		b.Fatal("nothing came through")
	}
	return c
}

// A message of 64 MB is received like any other.
func TestHugeMessage(t *testing.T) {
	for version := 1; version <= 2; version++ {
		if got := engineLoad(t, "huge", version, 1).kept; got < 60<<20 {
			t.Errorf("v%d: only %d bytes", version, got)
		}
	}
}

// drained applies the waiting events and reports whether the turn has ended.
func drained(q *event.Queue, into *thread.Thread) (over bool) {
	<-q.Ready()
	for _, e := range q.Drain() {
		into.Apply(e)
		switch e := e.(type) {
		case event.TurnEnded:
			over = true
		case event.PromptAccepted: // the last line of the loads of v2
			over = true
		case event.Disconnected:
			panic(e.Err)
		}
	}
	return over
}

// kept returns how many bytes of a load are in the thread.
func kept(t *thread.Thread) (n int) {
	for _, it := range t.Items {
		n += len(it.Text)
		if it.Tool != nil {
			n += len(strings.Join([]string{it.Tool.Title, it.Tool.RawOutput}, ""))
		}
	}
	if term := t.Terminal("t1"); term != nil {
		n += int(term.Total)
	}
	return n
}
