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

	"parley/internal/must"
)

// The records of sessions, as files, and the order in which they are listed.
func TestList(t *testing.T) {
	dir := home(t)
	if all, err := List(); err != nil || len(all) > 0 {
		t.Errorf("without a directory: %v, %v", all, err)
	}
	live := keep(t, t.TempDir(), Options{}, "")
	now := time.Now()
	put := func(name string, s Session) {
		must.Do(t, os.WriteFile(filepath.Join(dir, name+recordEnd), must.Get(json.Marshal(s))(t), 0o600))
	}
	put("crashed", Session{Live: true, Attached: true, Status: Status{State: Running, Clients: "/x"}, PID: 1}) // nobody has the lock
	must.Do(t, os.WriteFile(filepath.Join(dir, "crashed"+lockEnd), nil, 0o600))
	put("older", Session{Ended: now.Add(-time.Hour), Why: "exit code 1"})
	put("future", Session{Ended: now.Add(time.Hour)}) // the clock was wrong
	put("-x", Session{})
	must.Do(t, os.WriteFile(filepath.Join(dir, "broken.json"), []byte("{"), 0o600))
	must.Do(t, os.WriteFile(filepath.Join(dir, "large.json"), make([]byte, 2<<20), 0o600))
	must.Do(t, os.Mkdir(filepath.Join(dir, "dir.json"), 0o700))
	var names []string
	for _, s := range must.Get(List())(t) {
		names = append(names, s.Name)
		if s.Live != (s.Name == live.name) || s.Attached || s.Clients != "" || !s.Live && s.Ended.IsZero() {
			t.Errorf("listed: %+v", s)
		}
	}
	if got := strings.Join(names, " "); got != live.name+" future crashed older" {
		t.Errorf("listed in this order: %s", got)
	}
	long := now.Add(-2 * oldest)
	put("long", Session{Ended: long})
	keep(t, t.TempDir(), Options{}, "")
	if _, err := Find("long"); err == nil {
		t.Error("what has ended long ago is still listed")
	}
	for _, name := range []string{"", "../x", "nothing", strings.Repeat("x", 50)} {
		if _, err := Find(name); err == nil || !strings.Contains(err.Error(), "nothing is kept as") {
			t.Errorf("%q: got %v", name, err)
		}
	}
}

func TestRank(t *testing.T) {
	last := -1
	for _, s := range []State{Waiting, Running, Ended, Starting, Idle} {
		r := Session{Live: true, Status: Status{State: s}}.rank()
		if r <= last {
			t.Errorf("%s is not after the one before", s)
		}
		last = r
	}
	if newer := (Session{Live: true, Status: Status{State: "dreaming"}}).rank(); newer < last || newer >= (Session{}).rank() {
		t.Errorf("a state of a newer parley has rank %d", newer)
	}
}

// A session has the name of its directory, and each its own.
func TestNames(t *testing.T) {
	for dir, want := range map[string]string{
		"/": "parley", "/home/ada/site": "site", "/a b": "a-b", "/.config": "config", "/-x": "x", "/日本": "日本", "/a\nb": "a-b", "/Übung (2)": "Übung-2", "/U\u0308bung": "Übung", "/проект": "проект", "/हिन्दी": "हिन्दी", "/مشروع": "مشروع",
		"/a\u202eb": "a-b", "/a\u3164": "parley", "/\u0308": "parley", "/\xff\xfe": "parley", "/\U0001f600": "parley", "/" + strings.Repeat("語", 50): strings.Repeat("語", 10),
		"/" + strings.Repeat("x", 100): strings.Repeat("x", 32), "/x.": "x", "/site\ufe0f": "site",
	} {
		if got := nameOf(dir); got != want || !ValidName(got) {
			t.Errorf("%q: got %q, want %q", dir, got, want)
		}
	}
	home(t)
	dir := filepath.Join(t.TempDir(), "it's 100% \"x\"\n日本")
	must.Do(t, os.Mkdir(dir, 0o755))
	one, two := keep(t, dir, Options{}, ""), keep(t, dir, Options{}, "")
	if one.name != "it-s-100-x-日本" || two.name != "it-s-100-x-日本-2" || one.first.Dir != dir {
		t.Errorf("%s and %s in %s", one.name, two.name, one.first.Dir)
	}
}

// The record cannot be written for a time, as on a full disk: the program runs, and the record is written later.
func TestFullDisk(t *testing.T) {
	dir := home(t)
	k := keep(t, t.TempDir(), Options{}, "again=50ms")
	inTheWay := filepath.Join(dir, k.name+".new")
	must.Do(t, os.MkdirAll(filepath.Join(inTheWay, "x"), 0o700))
	k.tell(task{Report: &Status{State: Waiting, Waits: "Run make?"}})
	y := k.attach()
	k.tell(task{Write: "alive"})
	y.sees("alive")
	if s := k.session(); s.State == Waiting {
		t.Error("the record could be written")
	}
	must.Do(t, os.RemoveAll(inTheWay))
	until(t, "its record", func() bool { return k.session().Waits == "Run make?" && k.session().Attached })
}

// The home directory is moved, with its socket in it or not: what is kept is found and recorded where it is now, and the
// old one stays away.
func TestMovedHome(t *testing.T) {
	for _, with := range []string{"the socket elsewhere", "the socket"} {
		t.Run(with, func(t *testing.T) {
			home(t)
			old := filepath.Join(must.Get(os.MkdirTemp("", "h"))(t), "s") // short enough for a socket
			t.Cleanup(func() { os.RemoveAll(filepath.Dir(old)) })
			t.Setenv("PARLEY_STATE", old)
			if with == "the socket" {
				t.Setenv("XDG_RUNTIME_DIR", "")
			}
			k := keep(t, t.TempDir(), Options{}, "")
			if inside := strings.HasPrefix(k.session().Socket, old); inside != (with == "the socket") {
				t.Fatalf("its socket is %s", k.session().Socket)
			}
			moved := old + "2"
			must.Do(t, os.Rename(old, moved))
			t.Setenv("PARLEY_STATE", moved)
			k.tell(task{Report: &Status{State: Waiting, Waits: "Run make?"}})
			until(t, "its record", func() bool { return k.session().Waits == "Run make?" })
			y := newTTY(t, 80, 24).attach(forever, k.name)
			k.attached()
			until(t, "its record", func() bool { return k.session().Attached })
			if _, err := os.Stat(old); err == nil {
				t.Error("the old directory is there again")
			}
			// Another one with the name in the old place has a socket of its own.
			t.Setenv("PARLEY_STATE", old)
			other := keep(t, k.first.Dir, Options{}, "")
			t.Setenv("PARLEY_STATE", moved)
			again := newTTY(t, 80, 24).attach(forever, k.name)
			k.attached()
			y.leaves(Taken)
			must.Do(t, Stop(forever, k.name))
			again.leaves(EndedThere)
			t.Setenv("PARLEY_STATE", old)
			if s := other.session(); !s.Live || other.name != k.name {
				t.Errorf("the other one: %+v", s)
			}
		})
	}
}

// The files are deleted while it lives, or all of their directory: its next record shows it live. If another one has taken the name meanwhile, its
// files are left alone.
func TestDeletedRecord(t *testing.T) {
	dir := home(t)
	k := keep(t, t.TempDir(), Options{}, "again=50ms")
	remove := func() {
		must.Do(t, os.Remove(filepath.Join(dir, k.name+recordEnd)))
		must.Do(t, os.Remove(filepath.Join(dir, k.name+lockEnd)))
	}
	recorded := func(k *kept, waits string) Session {
		k.tell(task{Report: &Status{State: Waiting, Waits: waits}})
		until(t, "its record", func() bool { s, err := Find(k.name); return err == nil && s.Waits == waits })
		return k.session()
	}
	remove()
	if s := recorded(k, "Run make?"); !s.Live {
		t.Errorf("it has ended: %+v", s)
	}
	must.Do(t, os.RemoveAll(dir))
	if s := recorded(k, "Run touch?"); !s.Live {
		t.Errorf("it has ended: %+v", s)
	}
	process := k.session().PID
	remove()
	other := keep(t, k.first.Dir, Options{}, "")
	if other.name != k.name {
		t.Fatalf("the other one is %s", other.name)
	}
	k.tell(task{Report: &Status{State: Waiting, Waits: "Run rm?"}})
	recorded(other, "Run ls?")
	k.order(task{Exit: ptr(0)})
	until(t, "its end", func() bool { return syscall.Kill(process, 0) != nil })
	if s := recorded(other, "Run cat?"); !s.Live || s.PID == process {
		t.Errorf("the other one: %+v", s)
	}
}

// The socket is deleted, or all of its directory, as at the last logout: attaching has it made again.
func TestDeletedSocket(t *testing.T) {
	home(t)
	k := keep(t, t.TempDir(), Options{}, "")
	y := k.attach()
	for _, remove := range []func(socket string) error{
		os.Remove,
		func(socket string) error { return os.RemoveAll(filepath.Dir(socket)) },
		func(socket string) error { // and it cannot be made again
			base := filepath.Dir(filepath.Dir(socket))
			if err := os.RemoveAll(base); err != nil {
				return err
			}
			return os.WriteFile(base, nil, 0o600)
		},
	} {
		must.Do(t, remove(k.session().Socket))
		next := newTTY(t, 80, 24).attach(forever, k.name)
		k.left()
		k.attached()
		y.leaves(Taken)
		y = next
	}
}

// A home that several machines share: a process of another one is left alone.
func TestOtherMachine(t *testing.T) {
	dir := home(t)
	k := keep(t, t.TempDir(), Options{}, "")
	s := k.session()
	s.Host, s.Socket = "elsewhere", s.Socket+"x"
	pid := s.PID
	s.PID = os.Getpid() // which a signal would end
	must.Do(t, os.WriteFile(filepath.Join(dir, k.name+recordEnd), must.Get(json.Marshal(s))(t), 0o600))
	if err := Stop(forever, k.name); err == nil || !strings.Contains(err.Error(), "runs on elsewhere") {
		t.Errorf("got %v", err)
	}
	s.PID = pid
	must.Do(t, os.WriteFile(filepath.Join(dir, k.name+recordEnd), must.Get(json.Marshal(s))(t), 0o600))
}
