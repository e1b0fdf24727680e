//go:build unix

package keeper

import (
	"context"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/internal/must"
)

var forever = context.Background()

// A terminal attaches, with its size and variables; keys go in, output comes out; it leaves when the program says so.
func TestAttach(t *testing.T) {
	home(t)
	t.Setenv("TERM", "xterm-ghostty")
	k := start(t, t.TempDir(), Options{Args: []string{"a b", "--", ""}}, "")
	y := newTTY(t, 100, 30).attach(forever, k.name)
	k.begun()
	if f := k.first; f.Name != k.name || f.Size[0] != 100 || f.Size[1] != 30 || len(f.Ignored) > 0 || strings.Join(f.Args, "|") != "a b|--|" || f.Kept != "" {
		t.Errorf("it begins with %+v", f)
	}
	if c := k.attached(); environOf(c, "TERM") != "xterm-ghostty" {
		t.Errorf("its terminal is %+v", c)
	}
	until(t, "its record", func() bool { return k.session().Attached })
	if s := k.session(); s.From != k.first.Dir {
		t.Errorf("started in %q, recorded as %q", k.first.Dir, s.From)
	}
	y.types("hé")
	got := ""
	for got != "hé" {
		got += k.wait("keys", func(e event) bool { return e.Input != "" }).Input
	}
	k.tell(task{Write: "\x1b[?1049h\x1b[?25lhello"})
	y.sees("hello")
	y.resize(50, 9)
	must.Do(t, syscall.Kill(os.Getpid(), syscall.SIGWINCH))
	k.wait("its size", func(e event) bool { return e.Size != nil && e.Size[0] == 50 && e.Size[1] == 9 })

	k.tell(task{Detach: true, Restore: "\x1b[?25h\x1b[?1049lbye"})
	k.left()
	y.leaves(Detached)
	if text := y.sees("bye"); !strings.HasSuffix(text, "bye") || y.last != k.name {
		t.Errorf("%s: written %q", y.last, text)
	}
	until(t, "its record", func() bool { return !k.session().Attached })

	t.Setenv("TERM", "vt220")
	other := newTTY(t, 40, 10).attach(forever, k.name)
	if c := k.attached(); environOf(c, "TERM") != "vt220" {
		t.Errorf("its terminal is %+v", c)
	}
	k.wait("its size", func(e event) bool { return e.Size != nil && e.Size[0] == 40 && e.Size[1] == 10 })
	const code = 7
	k.order(task{Write: "the end", Exit: ptr(code)})
	other.leaves(EndedThere)
	if text := other.sees("the end"); other.code != code || text != "the end" {
		t.Errorf("code %d, written %q", other.code, text)
	}
	if all := must.Get(List())(t); len(all) > 0 {
		t.Errorf("what ended before everybody's eyes is listed: %+v", all)
	}
}

// A terminal that can draw no screen is attached only to what chats in lines.
func TestDumbTerminal(t *testing.T) {
	home(t)
	t.Setenv("TERM", "dumb")
	k := keep(t, t.TempDir(), Options{}, "")
	k.tell(task{Report: &Status{State: Idle, Title: "lines"}})
	until(t, "its record", func() bool { return k.session().Title == "lines" })
	y := newTTY(t, 80, 24).attach(forever, k.name)
	k.attached()
	k.tell(task{Detach: true})
	k.left()
	y.leaves(Detached)
	k.tell(task{Report: &Status{State: Idle, Screen: true}})
	until(t, "its record", func() bool { return k.session().Screen })
	k.tell(task{Write: "\x1b[2Jdrawn"})
	refused := newTTY(t, 80, 24).attach(forever, k.name)
	select {
	case <-refused.done:
	case <-time.After(patience):
		t.Fatal("it is attached")
	}
	if err := refused.err; err == nil || !strings.Contains(err.Error(), "this terminal cannot draw the screen of "+k.name+" (TERM=dumb): attach from another one") {
		t.Errorf("left for %d: %v", refused.how, err)
	}
	if len(refused.text) > 0 {
		t.Errorf("written: %q", refused.text)
	}
}

func ptr[T any](v T) *T { return &v }

// The last terminal has it: the other one is restored by the program, and told.
func TestTaken(t *testing.T) {
	home(t)
	k := keep(t, t.TempDir(), Options{}, "")
	first := k.attach()
	restore := strings.Repeat("0123456789", 3000) + "restored"
	k.tell(task{Restore: restore})
	second := newTTY(t, 80, 24).attach(forever, k.name)
	k.left()
	k.attached()
	first.leaves(Taken)
	if text := first.sees("restored"); text != restore {
		t.Errorf("%d bytes were written", len(text))
	}
	first.types("lost") // and nobody gets it
	second.types("kept")
	if in := k.wait("keys", func(e event) bool { return e.Input != "" }).Input; !strings.HasPrefix("kept", in) {
		t.Errorf("got %q", in)
	}
}

// Of many that attach at the same moment exactly one stays. The others are told.
func TestManyAttach(t *testing.T) {
	home(t)
	k := keep(t, t.TempDir(), Options{}, "")
	const many = 12
	var all []*tty
	for range many {
		all = append(all, newTTY(t, 80, 24).attach(forever, k.name))
	}
	for range many {
		k.attached()
	}
	k.tell(task{Write: "only one"})
	var stays *tty
	until(t, "all but one to leave", func() bool {
		left := 0
		for _, y := range all {
			select {
			case <-y.done:
				left++
			default:
				stays = y
			}
		}
		return left == many-1
	})
	for _, y := range all {
		if y != stays {
			y.leaves(Taken)
		}
	}
	stays.sees("only one")
	k.tell(task{Detach: true})
	stays.leaves(Detached)
}

// A terminal follows to another session.
func TestSwitch(t *testing.T) {
	home(t)
	base := t.TempDir()
	must.Do(t, os.Mkdir(base+"/one", 0o755))
	must.Do(t, os.Mkdir(base+"/two", 0o755))
	one, two := keep(t, base+"/one", Options{}, ""), keep(t, base+"/two", Options{}, "")
	y := newTTY(t, 80, 24).attach(forever, "one")
	one.attached()
	one.tell(task{Switch: "two"})
	two.attached()
	two.tell(task{Detach: true})
	y.leaves(Detached)
	if y.last != "two" {
		t.Errorf("it was in %s last", y.last)
	}
	y = newTTY(t, 80, 24).attach(forever, "one")
	one.attached()
	one.tell(task{Switch: "three"})
	<-y.done
	if y.err == nil || !strings.Contains(y.err.Error(), `"three"`) {
		t.Errorf("got %v", y.err)
	}
}
