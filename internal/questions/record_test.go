package questions

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"parley/internal/must"
	"parley/permissions"
)

func question(session string) permissions.Question {
	return permissions.Question{Session: session, Options: []permissions.Option{{ID: "o", Name: "Once", Kind: permissions.AllowOnce}, {ID: "r", Name: "No", Kind: permissions.RejectOnce}}}
}

// Everything an agent or project names is redacted and bounded.
func TestRecordOfEveryFact(t *testing.T) {
	fill := func(secret string, many int) permissions.Question {
		q := question("s")
		q.Tool, q.Subagent, q.Heading, q.Body = secret, secret, secret, []permissions.Part{{Text: secret}}
		q.Facts = permissions.Facts{Agent: secret, Kind: secret, Tool: secret, Hosts: slices.Repeat([]string{secret}, many),
			Commands: []permissions.CommandFact{{Line: secret, Dir: secret, Words: slices.Repeat([]string{secret}, many)}},
			Files:    slices.Repeat([]permissions.FileFact{{Path: secret, RequestedPath: secret, Roots: slices.Repeat([]string{secret}, many)}}, many)}
		return q
	}
	for _, q := range []permissions.Question{fill("/w/hunter2", 1), fill(strings.Repeat("hunter2 ", 1<<17), 1), fill("hunter2", 1<<13)} {
		dir := t.TempDir()
		redact := func(texts []string) []string {
			return strings.Split(strings.ReplaceAll(strings.Join(texts, "\x00"), "hunter2", "***"), "\x00")
		}
		r := NewRecord(dir, "run", redact, func(err error) { t.Error(err) })
		b := permissions.NewBroker(func(permissions.Event) {}, permissions.DenyAll("no", nil))
		b.SetRecord(r.RecordAnswer)
		b.Ask(q)
		r.Close()
		data, err := os.ReadFile(filepath.Join(dir, recordName("s")))
		if err != nil || !strings.Contains(string(data), "***") || strings.Contains(string(data), "hunter2") {
			t.Errorf("%.500s, %v", data, err)
		}
		if len(data) > maxRecord/4 {
			t.Errorf("one question takes %d bytes", len(data))
		}
	}
}

func TestRecord(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state", "decisions")
	redact := func(texts []string) (out []string) {
		for i, s := range texts {
			if s = strings.ReplaceAll(s, "hunter2", "***"); i > 0 && texts[i-1] == "--token" {
				s = "***"
			}
			out = append(out, s)
		}
		return out
	}
	r := NewRecord(dir, "run1", redact, func(err error) { t.Error(err) })
	b := permissions.NewBroker(func(permissions.Event) {}, permissions.DenyAll("--deny-all", nil))
	b.SetRecord(r.RecordAnswer)
	q := question("s/../../x")
	q.Subagent, q.Heading, q.Body = "Explore", "Run a command", []permissions.Part{{Kind: permissions.Command, Text: "login hunter2"}}
	q.Facts = permissions.Facts{Kind: "execute", Commands: []permissions.CommandFact{{Line: "login hunter2", Dir: "/w"}}}
	q.Facts.Commands = append(q.Facts.Commands, permissions.CommandFact{Line: "login", Words: []string{"login", "--token", "t"}})
	q.Facts.Hosts, q.Facts.Files = []string{"hunter2"}, []permissions.FileFact{{Path: "/hunter2"}}
	q.Options = slices.Clone(q.Options)
	for i, o := range q.Options {
		if o.Name == "No" {
			q.Options[i].Name = "No, login hunter2"
		}
	}
	b.Ask(q)
	r.RecordOutcome("s/../../x", 1, "not run")
	r.Close()

	got, err := Read(dir, "s/../../x", 10)
	if err != nil || len(got) != 2 {
		t.Fatal(got, err)
	}
	if e := got[0]; e.Subagent != "Explore" || e.Decision != "No, login ***" || e.Facts.Commands[1].Words[2] != "***" || e.Allowed || e.Asked || e.By != "--deny-all" || e.Digest != digest(q) || e.Facts.Commands[0].Line != "login ***" || strings.Contains(e.Shown, "hunter2") {
		t.Errorf("got %+v", e)
	}
	if data, err := os.ReadFile(filepath.Join(dir, recordName("s/../../x"))); err != nil || strings.Contains(string(data), "hunter2") {
		t.Errorf("%s, %v", data, err)
	}
	if q.Facts.Commands[1].Words[2] != "t" || q.Facts.Hosts[0] != "hunter2" {
		t.Error("the question was changed")
	}
	if got[1].Outcome != "not run" || got[1].Key != got[0].Key {
		t.Errorf("got %+v", got[1])
	}
	if q2 := q; digest(q2) != digest(q) {
		t.Error("two digests of one question")
	}
	q.Body[0].Text += " "
	if digest(q) == got[0].Digest {
		t.Error("another question has the same digest")
	}
	if runtime.GOOS == "windows" {
		return
	}
	names, _ := filepath.Glob(filepath.Join(dir, "*"))
	if info, err := os.Stat(names[0]); err != nil || info.Mode().Perm() != 0o600 {
		t.Error(info.Mode(), err)
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Error(info.Mode(), err)
	}
}

// Several processes write at once, and each line stays whole.
func TestRecordTogether(t *testing.T) {
	dir := t.TempDir()
	var all sync.WaitGroup
	for run := range 4 {
		all.Go(func() {
			r := NewRecord(dir, fmt.Sprint(run), nil, func(err error) { t.Error(err) })
			q := question("s")
			q.Facts = permissions.Facts{Kind: "execute", Commands: []permissions.CommandFact{{Line: strings.Repeat("x", 3000), Dir: "/w"}}}
			for range 50 {
				r.RecordAnswer(q, permissions.Answer{OptionID: "o", By: "you"}, true)
			}
			r.Close()
		})
	}
	all.Wait()
	if got, err := Read(dir, "s", 1000); err != nil || len(got) != 200 {
		t.Errorf("%d entries, %v", len(got), err)
	}
	if got, err := LastAsked(dir, 50); err != nil || len(got) != 50 {
		t.Errorf("%d, %v", len(got), err)
	}
}

func TestRecordRotates(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, recordName("s"))
	must.Do(t, os.WriteFile(name, make([]byte, maxRecord+1), 0o600))
	r := NewRecord(dir, "run", nil, nil)
	r.RecordAnswer(question("s"), permissions.Answer{Cancelled: true}, true)
	r.Close()
	if info, err := os.Stat(name + ".1"); err != nil || info.Size() != maxRecord+1 {
		t.Error(info, err)
	}
	if got, err := Read(dir, "s", 10); err != nil || len(got) != 1 || got[0].Decision != "cancelled" {
		t.Error(got, err)
	}
}

// A failed write is reported once and stops nothing.
func TestRecordFails(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	must.Do(t, os.WriteFile(file, nil, 0o600))
	var told []error
	r := NewRecord(filepath.Join(file, "dir"), "run", nil, func(err error) { told = append(told, err) })
	for range 3 {
		r.RecordAnswer(question("s"), permissions.Answer{Cancelled: true}, true)
	}
	r.Close()
	if len(told) != 1 || errors.Unwrap(told[0]) == nil {
		t.Errorf("got %v", told)
	}
}

// A line that a full disk cut short is skipped and does not spoil later ones.
func TestRecordTorn(t *testing.T) {
	dir := t.TempDir()
	add := func(outcome string) {
		r := NewRecord(dir, "run", nil, func(err error) { t.Error(err) })
		r.RecordOutcome("s", 1, outcome)
		r.Close()
	}
	add("first")
	name := filepath.Join(dir, recordName("s"))
	whole, err := os.ReadFile(name)
	if err == nil {
		err = os.WriteFile(name, append(whole, whole[:len(whole)/2]...), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	if got, err := Read(dir, "s", 10); err != nil || len(got) != 1 {
		t.Errorf("%+v, %v", got, err)
	}
	add("second")
	add("third")
	got, err := Read(dir, "s", 10)
	if err != nil || len(got) != 3 || got[1].Outcome != "second" || got[2].Outcome != "third" {
		t.Errorf("%+v, %v", got, err)
	}
}

// The record says that the user changed the text, with the digest of the new one.
func TestRecordOfAChange(t *testing.T) {
	dir := t.TempDir()
	r := NewRecord(dir, "run1", nil, func(err error) { t.Error(err) })
	q := question("s")
	q.Change = &permissions.Change{}
	text := "abc"
	r.RecordAnswer(q, permissions.Answer{OptionID: "o", By: "you", Text: &text}, true)
	r.RecordAnswer(q, permissions.Answer{OptionID: "o", By: "you"}, true)
	r.Close()
	got, err := Read(dir, "s", 10)
	if err != nil || len(got) != 2 || got[0].Changed != "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" || got[1].Changed != "" {
		t.Errorf("%+v, %v", got, err)
	}
}
