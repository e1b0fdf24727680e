//go:build unix

package notify_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"parley/internal/alive"
	"parley/internal/must"
	"parley/internal/notify"
)

// script returns a program of sh that runs in a test's directory.
func script(t *testing.T, text string) (argv []string, dir string) {
	t.Helper()
	dir = t.TempDir()
	file := filepath.Join(dir, "note")
	must.Do(t, os.WriteFile(file, []byte("#!/bin/sh\ncd '"+dir+"'\n"+text), 0o700))
	return []string{file, "an argument"}, dir
}

// within waits until a file has a text.
func within(t *testing.T, file string, has func(text string) bool) string {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		text, _ := os.ReadFile(file)
		if has(string(text)) {
			return string(text)
		}
		if time.Now().After(end) {
			t.Fatalf("%s has %q", file, text)
		}
	}
}

func none(t *testing.T) func(string) { return func(line string) { t.Error(line) } }

// The program gets the note as JSON, and of a burst the first and the last, a second apart.
func TestNotes(t *testing.T) {
	argv, dir := script(t, `cat >> got; echo "$1" >> args`)
	c := notify.New(argv, none(t))
	defer c.Close()
	began := time.Now()
	c.Send("s1", notify.Note{Session: "s1", Agent: "a", Dir: "/" + strings.Repeat("x", 1<<20), Title: "one\ntwo", Why: "waits", Line: "first"})
	if text := within(t, dir+"/got", func(s string) bool { return strings.Count(s, "\n") == 1 }); len(text) > 10_000 {
		t.Errorf("the first note has %d bytes", len(text))
	}
	for i := range 50 {
		c.Send("s1", notify.Note{Session: "s1", Agent: "a\x1b[2J", Dir: "/x\x07", Title: "one\ntwo", Why: "waits", Line: strconv.Itoa(i) + "\u202e"})
		c.Send("s2", notify.Note{Session: "s2", Why: "done", Line: strconv.Itoa(i)})
	}
	lines := strings.Split(strings.TrimSpace(within(t, dir+"/got", func(s string) bool { return strings.Count(s, `"line":"49"}`+"\n") == 2 })), "\n")
	of := map[string][]string{}
	for _, l := range lines {
		var n notify.Note
		must.Do(t, json.Unmarshal([]byte(l), &n))
		of[n.Session] = append(of[n.Session], n.Line)
		if n.Session == "s1" && (n.Agent != "a" || n.Dir != "/x" && n.Dir != "" || n.Title != "one two" || n.Why != "waits") {
			t.Errorf("not safe to show: %q", l)
		}
	}
	if got := of["s1"]; len(got) != 2 || got[0] != "first" || got[1] != "49" {
		t.Errorf("got %q", got)
	}
	if got := of["s2"]; len(got) > 2 || got[len(got)-1] != "49" { // the first of them may have gone before the last was there
		t.Errorf("got %q", got)
	}
	if took := time.Since(began); took < time.Second {
		t.Errorf("two notes of a session within %v", took)
	}
	if args := must.Get(os.ReadFile(dir + "/args"))(t); !strings.HasPrefix(string(args), "an argument\n") {
		t.Errorf("arguments: %q", args)
	}
}

// What takes too long ends with all that it has started, and the first failure is said.
func TestHangs(t *testing.T) {
	if testing.Short() {
		t.Skip("takes ten seconds")
	}
	argv, dir := script(t, `sleep 1000 & echo $! > pid; wait`)
	said := make(chan string, 10)
	c := notify.New(argv, func(line string) { said <- line })
	defer c.Close()
	c.Send("s", notify.Note{})
	if line := <-said; !strings.Contains(line, "longer than 10 s") {
		t.Error(line)
	}
	pid, _ := strconv.Atoi(strings.TrimSpace(string(must.Get(os.ReadFile(dir + "/pid"))(t))))
	for end := time.Now().Add(10 * time.Second); alive.PID(pid); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("its child still runs")
		}
	}
}

func TestFailuresAreSaidOnce(t *testing.T) {
	argv, dir := script(t, `cat > /dev/null; echo x >> runs; echo "no such topic" >&2; exit 3`)
	said := make(chan string, 10)
	c := notify.New(argv, func(line string) { said <- line })
	for i := range 3 {
		c.Send(i, notify.Note{})
	}
	within(t, dir+"/runs", func(s string) bool { return s == "x\nx\nx\n" })
	line := <-said
	if !strings.Contains(line, "exit status 3: no such topic") {
		t.Error(line)
	}
	c.Close()
	if len(said) > 0 {
		t.Error("said again: ", <-said)
	}
	c.Send("s", notify.Note{}) // ignored
	var nobody *notify.Command
	nobody.Send("s", notify.Note{})
	nobody.Close()
	missing := notify.New([]string{"no-such-program-of-all"}, func(line string) { said <- line })
	defer missing.Close()
	missing.Send("s", notify.Note{})
	if line := <-said; !strings.Contains(line, "no-such-program-of-all") {
		t.Error(line)
	}
}
