//go:build unix

package keeper

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/internal/filelock"
	"parley/internal/localsock"
	"parley/internal/must"
)

// Another program has the screen, such as an editor, or a login that asks for a line: the next terminal is put into the
// modes that it has set, and it is told to draw again, though the size is the same.
func TestDuringAnotherProgram(t *testing.T) {
	for _, set := range []string{"\x1b[?1049h\x1b[?1002h\x1b[?25l", "\x1b[?2004h"} {
		home(t)
		k := keep(t, t.TempDir(), Options{}, "")
		y := k.attach()
		k.tell(task{Write: set + "editing"})
		y.sees("editing")
		other := newTTY(t, 80, 24).attach(forever, k.name)
		y.leaves(Taken)
		other.sees(set)
		k.wait("to be told", func(e event) bool { return e.Size != nil && e.Size[0] == 80 && e.Size[1] == 24 })
		k.tell(task{Detach: true})
		other.leaves(Detached)
	}
}

// The clock jumps: what began in the future lives, and so does what the list thinks is very old.
func TestClockJumps(t *testing.T) {
	dir := home(t)
	k := keep(t, t.TempDir(), Options{Idle: time.Hour}, "")
	for _, d := range []time.Duration{1000 * time.Hour, -10000 * time.Hour} {
		since := time.Now().Add(d)
		k.tell(task{Report: &Status{State: Idle, Since: since}})
		until(t, "its record", func() bool { return k.session().Since.Equal(since) })
		prune(dir)
		if s := k.session(); !s.Live {
			t.Errorf("it has ended: %+v", s)
		}
	}
}

// What an earlier keeper has left is in no one's way, and goes when what it kept is resumed.
func TestResumedIsForgotten(t *testing.T) {
	dir := home(t)
	work := t.TempDir()
	k := keep(t, work, Options{}, "")
	resume := []string{"agent", "--resume", "x"}
	k.tell(task{Report: &Status{State: Idle, Resume: resume}})
	until(t, "its record", func() bool { return k.session().Resume != nil })
	send(t, k.session().PID, syscall.SIGKILL)
	until(t, "its end", func() bool { return !k.session().Live })
	next := keep(t, work, Options{}, "")
	if next.name != k.name+"-2" {
		t.Errorf("the next is %s", next.name)
	}
	next.tell(task{Report: &Status{State: Idle, Resume: resume}})
	until(t, "the old record to go", func() bool { all, _ := List(); return len(all) == 1 && all[0].Name == next.name })
	until(t, "its files to go", func() bool { return len(must.Get(os.ReadDir(dir))(t)) == 2 })
}

// What is kept cannot attach to itself, which would be a loop, and is told so.
func TestRefusesInside(t *testing.T) {
	if _, err := os.Stat("/proc/self/status"); err != nil {
		t.Skip("this system does not say who has started a process")
	}
	home(t)
	k := keep(t, t.TempDir(), Options{}, "")
	k.tell(task{Inside: true})
	if e := k.wait("what it was told", func(e event) bool { return e.Refused != "" }); !strings.Contains(e.Refused, k.name+" refuses what runs inside of it") {
		t.Errorf("got %q", e.Refused)
	}
}

// What is kept cannot stop itself, and is told why also if the keeper closes the connection before it has asked.
func TestRefusesToStop(t *testing.T) {
	dir := home(t)
	must.Do(t, os.MkdirAll(dir, 0o700))
	lock := must.Get(os.Create(filepath.Join(dir, "work"+lockEnd)))(t)
	defer lock.Close()
	if !filelock.Lock(lock) {
		t.Fatal("not locked")
	}
	ln := must.Get(localsock.Listen(must.Get(localsock.Path("refuses", "sock"))(t)))(t)
	defer ln.Close()
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			conn.Close()
		}
	}()
	s := Session{Socket: ln.Addr().String(), Host: must.Get(os.Hostname())(t)}
	must.Do(t, os.WriteFile(filepath.Join(dir, "work"+recordEnd), must.Get(json.Marshal(s))(t), 0o600))
	for range 50 { // whether it has asked by then is up to the scheduler
		if err := Stop(forever, "work"); err == nil || !strings.Contains(err.Error(), "work refuses") {
			t.Fatalf("got %v", err)
		}
	}
}

// The keeper has of its environment only what it needs; what it keeps has all of it.
func TestWithholds(t *testing.T) {
	if _, err := os.Stat("/proc/self/environ"); err != nil {
		t.Skip("this system does not show environments")
	}
	home(t)
	t.Setenv("SECRET_OF_TEST", "hunter2")
	t.Setenv("TERM", "vt220")
	k := keep(t, t.TempDir(), Options{}, "")
	environ := func(pid int) string {
		return string(must.Get(os.ReadFile(filepath.Join("/proc", string(must.Get(json.Marshal(pid))(t)), "environ")))(t))
	}
	if its := environ(k.session().PID); strings.Contains(its, "hunter2") || !strings.Contains(its, "TERM=vt220") {
		t.Errorf("the keeper shows %q", its)
	}
	if its := environ(k.first.PID); !strings.Contains(its, "SECRET_OF_TEST=hunter2") {
		t.Errorf("what is kept has %q", its)
	}
}
