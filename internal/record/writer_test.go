package record

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"parley/internal/must"

	"github.com/google/go-cmp/cmp"
)

var started = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func create(t *testing.T, dir string, o Options) *Writer {
	t.Helper()
	w := must.Get(Create(dir, Meta{Agent: "claude", Command: "claude --token t", Cwd: "/w", Roots: []string{"/w"}, Started: started, Protocol: 1}, o))(t)
	t.Cleanup(func() { w.Close() })
	return w
}

func closeLog(t *testing.T, w *Writer) {
	t.Helper()
	must.Do(t, w.Close())
}

// readAll returns the lines of a log as "dir data", and its newest meta.
func readAll(t *testing.T, path string) ([]string, Meta) {
	t.Helper()
	r := must.Get(Open(path))(t)
	defer r.Close()
	var all []string
	for {
		l, err := r.Next()
		if err == io.EOF {
			return all, r.meta
		}
		if err != nil {
			t.Fatal(err)
		}
		if l.At.IsZero() {
			t.Errorf("%s without a time", l.Data)
		}
		all = append(all, string(l.Dir)+" "+string(l.Data))
	}
}

func TestWriteAndRead(t *testing.T) {
	w := create(t, t.TempDir(), Options{})
	buf := []byte(`{"id":1,"method":"initialize"}`)
	w.Message(Out, 0, buf)
	copy(buf, "overwritten by the next message")
	w.Message(In, 0, []byte(`{"id":1,"result":{"token":"t"}}`))
	w.Message(Err, 0, []byte("warning\n"))
	w.Message(In, 0, []byte(`no JSON`))
	w.Update(func(m *Meta) { m.Protocol = 2 })
	w.Update(func(m *Meta) { m.Agent = "another" })
	closeLog(t, w)
	closeLog(t, w)
	w.Message(In, 0, []byte(`{}`))
	w.Update(func(m *Meta) { m.Agent = "too late" })

	lines, meta := readAll(t, w.Path())
	if d := cmp.Diff([]string{`out {"id":1,"method":"initialize"}`, `in {"id":1,"result":{"token":"[redacted]"}}`, `err "warning"`, `in "no JSON"`}, lines); d != "" {
		t.Error(d)
	}
	want := Meta{Agent: "another", Command: "claude --token [redacted]", Cwd: "/w", Roots: []string{"/w"}, Started: started, Protocol: 2}
	if d := cmp.Diff(want, meta); d != "" {
		t.Error(d)
	}
	if name := filepath.Base(w.Path()); !strings.HasPrefix(name, "20260102T030405Z-") || !strings.HasSuffix(name, ".jsonl") {
		t.Error(name)
	}
}

func TestIdleIsFlushed(t *testing.T) {
	w := create(t, t.TempDir(), Options{})
	w.Message(In, 0, []byte(`{"n":1}`))
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		if lines, _ := readAll(t, w.Path()); len(lines) == 1 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("nothing was written while the log stays open")
		}
	}
}

func TestManyWriters(t *testing.T) {
	const logs, speakers, messages = 4, 4, 300
	dir := t.TempDir()
	var all sync.WaitGroup
	paths := make([]string, logs)
	for i := range logs {
		all.Go(func() {
			w, err := Create(dir, Meta{Started: started}, Options{})
			if err != nil {
				t.Error(err)
				return
			}
			paths[i] = w.Path()
			var speaking sync.WaitGroup
			for s := range speakers {
				speaking.Go(func() {
					for n := range messages {
						w.Message(In, 0, fmt.Appendf(nil, `{"log":%d,"speaker":%d,"n":%d}`, i, s, n))
						if n%100 == 0 {
							w.Update(func(m *Meta) { m.Agent += "." })
						}
					}
				})
			}
			speaking.Wait()
			if err := w.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for i, path := range paths {
		lines, meta := readAll(t, path)
		next := [speakers]int{}
		for _, l := range lines {
			var log, s, n int
			if _, err := fmt.Sscanf(l, `in {"log":%d,"speaker":%d,"n":%d}`, &log, &s, &n); err != nil || log != i || n != next[s] {
				t.Fatalf("log %d: %s, %v; wanted %v", i, l, err, next)
			}
			next[s]++
		}
		if len(lines) != speakers*messages || len(meta.Agent) != speakers*messages/100 {
			t.Errorf("%d lines, agent %q", len(lines), meta.Agent)
		}
	}
	if entries, err := List(dir); err != nil || len(entries) != logs {
		t.Errorf("%d entries, %v", len(entries), err)
	}
}

// disk is a file that can hang and fail.
type disk struct {
	mu    sync.Mutex
	text  strings.Builder
	fails error
	hold  chan struct{} // nil, or closed to let a write continue
}

func (d *disk) Write(p []byte) (int, error) {
	if d.hold != nil {
		<-d.hold
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.fails != nil {
		return 0, d.fails
	}
	return d.text.Write(p)
}

func (d *disk) Close() error { return nil }

func TestSlowDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &disk{}
		w := must.Get(newWriter(d, Meta{Started: started}, Options{QueueBytes: 10 * (markBytes + len(`{"n":10}`))}))(t)
		synctest.Wait()
		d.hold = make(chan struct{})
		w.Message(In, 0, []byte(`{"n":10}`))
		synctest.Wait() // the write hangs; what follows is queued
		for n := 11; n < 31; n++ {
			w.Message(In, 0, fmt.Appendf(nil, `{"n":%d}`, n))
		}
		close(d.hold)
		synctest.Wait()
		w.Message(In, 0, []byte(`{"n":99}`))
		must.Do(t, w.Close())
		var got []string
		for _, l := range strings.Split(strings.TrimSpace(d.text.String()), "\n")[1:] {
			p, ok := parseLine([]byte(l))
			if !ok {
				t.Fatal(l)
			}
			got = append(got, string(p.Dir)+" "+string(p.Data))
		}
		var want []string
		for n := 10; n < 21; n++ {
			want = append(want, "in "+`{"n":`+strconv.Itoa(n)+`}`)
		}
		if diff := cmp.Diff(append(want, "gap 10", `in {"n":99}`), got); diff != "" {
			t.Error(diff)
		}
	})
}

func TestHangingDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &disk{}
		w := must.Get(newWriter(d, Meta{Started: started}, Options{}))(t)
		synctest.Wait()
		d.hold = make(chan struct{})
		w.Message(In, 0, []byte(`{}`))
		if err := w.Close(); !errors.Is(err, ErrBusy) {
			t.Errorf("got %v", err)
		}
		close(d.hold)
		if err := w.Close(); err != nil {
			t.Errorf("got %v", err)
		}
	})
}

func TestFullDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &disk{}
		var told []error
		w := must.Get(newWriter(d, Meta{Started: started}, Options{Failed: func(err error) { told = append(told, err) }}))(t)
		synctest.Wait()
		d.fails = syscall.ENOSPC
		for range 100 {
			w.Message(In, 0, []byte(`{}`))
			w.Update(func(m *Meta) { m.Agent += "x" })
			synctest.Wait()
		}
		if err := w.Err(); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("got %v", err)
		}
		if err := w.Close(); !errors.Is(err, syscall.ENOSPC) || err != w.Err() {
			t.Errorf("got %v", err)
		}
		if len(told) != 1 || told[0] != w.Err() {
			t.Errorf("reported %q", told)
		}
		if len(w.queue.marks) > 0 {
			t.Error("a broken log keeps its queue")
		}
		if _, err := newWriter(d, Meta{}, Options{}); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("got %v", err)
		}
	})
}

// An error of the last write is returned by Close.
func TestFullAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &disk{}
		w := must.Get(newWriter(d, Meta{Started: started}, Options{Failed: func(err error) { t.Errorf("reported %v", err) }}))(t)
		synctest.Wait()
		d.fails = syscall.ENOSPC
		if err := w.Close(); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("got %v", err)
		}
	})
}

func TestCreateWhereNothingCanBe(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	must.Do(t, os.WriteFile(file, nil, 0o600))
	if w, err := Create(filepath.Join(file, "sessions"), Meta{}, Options{}); err == nil || w != nil {
		t.Errorf("%v, %v", w, err)
	}
}

// A log that was removed while it is written is made again, with its directories. What it had is told as
// lost, and what it said of sessions stays.
func TestRemovedMeanwhile(t *testing.T) {
	state := filepath.Join(t.TempDir(), "state")
	w := create(t, filepath.Join(state, "sessions"), Options{})
	w.Message(Out, 0, request(1, "session/new", `{"cwd":"/w"}`))
	w.Message(In, 1, answer(1, `{"sessionId":"s1"}`))
	w.Message(Out, 0, prompt(2, "s1", "the first prompt"))
	for range 2 {
		must.Do(t, w.Sync(t.Context()))
		must.Do(t, os.RemoveAll(state))
		w.Message(In, 2, []byte(`{"id":2}`))
	}
	closeLog(t, w)
	lines, _ := readAll(t, w.Path())
	if d := cmp.Diff([]string{"gap 4", `in {"id":2}`}, lines); d != "" {
		t.Error(d)
	}
	if all := sessionsIn(t, w.Path()); len(all) != 1 || all[0].ID != "s1" || all[0].First != "the first prompt" {
		t.Errorf("sessions %+v", all)
	}
}

func TestLimit(t *testing.T) {
	const limit = 64 << 10
	w := create(t, t.TempDir(), Options{MaxBytes: limit})
	msg := []byte(`{"text":"` + strings.Repeat("x", 1000) + `"}`)
	for i := range 2000 {
		w.Message(In, 0, msg)
		w.Update(func(m *Meta) { m.Agent = "agent " + strconv.Itoa(i) })
	}
	closeLog(t, w)
	lines, meta := readAll(t, w.Path())
	for i, l := range lines {
		if want := i < len(lines)-1; strings.HasPrefix(l, "in ") != want {
			t.Errorf("line %d is %.40s", i, l)
		}
	}
	if last := lines[len(lines)-1]; last != `gap "limit"` || len(lines) < 20 {
		t.Errorf("%d lines, the last %s", len(lines), last)
	}
	if meta.Agent != "agent 1999" {
		t.Errorf("the last meta is lost: %q", meta.Agent)
	}
	if info, err := os.Stat(w.Path()); err != nil || info.Size() > limit {
		t.Errorf("%v, %v", info.Size(), err)
	}
}

func TestMetaIsBounded(t *testing.T) {
	long := strings.Repeat("\x00é", 100<<10)
	m := Meta{Agent: long, Command: long, Cwd: long, Started: started, Protocol: 1}
	for range 1000 {
		m.Roots = append(m.Roots, "https://u@h/"+strings.Repeat("?key=x", 100))
	}
	for _, m := range []Meta{m, {Agent: long}, {Agent: strings.Repeat("?key=x", 1000), Started: time.Date(20000, 1, 1, 0, 0, 0, 0, time.UTC)}} {
		data := m.encode()
		if len(data) > maxMeta || !strings.HasPrefix(string(data), `{"`) {
			t.Errorf("%d bytes: %.60s", len(data), data)
		}
	}
}

// BenchmarkMessage measures the cost for a caller. The queue is emptied in place of the
// goroutine, as if the disk kept up: no message is lost.
func BenchmarkMessage(b *testing.B) {
	chunk := []byte(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a few words of an answer, "}}}}`)
	w := &Writer{wake: make(chan struct{}, 1), max: defaultQueue}
	b.ReportAllocs()
	for b.Loop() {
		w.Message(In, 0, chunk)
		if len(w.queue.marks) == 1000 {
			w.queue.reset()
			<-w.wake
		}
	}
	if w.queue.lost > 0 {
		b.Fatal("messages were lost")
	}
}
