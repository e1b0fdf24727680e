package linear

import (
	"os"
	"strings"
	"testing"
	"time"

	"parley/internal/fakeagent"
	"parley/internal/keeper"
	"parley/internal/keeper/keepertest"
)

// kept is a chat that is kept, with a terminal attached.
func kept(t *testing.T, turn func(*fakeagent.Turn) string, f func(r *rig, k *keepertest.Keeper)) {
	t.Helper()
	for _, name := range keeper.Variables {
		t.Setenv(name, os.Getenv(name))
	}
	var k *keepertest.Keeper
	talkTo(t, func(r *rig) {
		r.tty = true
		k, r.opts.Keeper = keepertest.New("parser")
		if turn != nil {
			r.fake.Turn(turn)
		}
		k.Attach("TERM=xterm")
	}, func(r *rig) {
		defer k.Close()
		r.sees("Kept as parser: /detach leaves it running.", "Connected: fake 1.2.")
		f(r, k)
	})
}

// A terminal that comes is told where it is, and asked again what is open.
func TestTerminals(t *testing.T) {
	kept(t, func(t *fakeagent.Turn) string {
		t.Say("I will push.")
		t.Wait(time.Minute)
		t.Ask(push, usual)
		t.Say("It is pushed.")
		return "end_turn"
	}, func(r *rig, k *keepertest.Keeper) {
		r.types("push it")
		k.Detach()
		r.fresh()
		if said := k.Said(); said != "left" {
			t.Errorf("said %q", said)
		}
		time.Sleep(2 * time.Minute)
		r.sees("Question 1 of 1") // nobody reads it
		if got, _ := k.Status(); got.State != keeper.Waiting || !strings.Contains(got.Waits, "git push origin HEAD") || got.Title != "push it" || got.Screen {
			t.Errorf("got %+v", got)
		}
		k.Attach("TERM=screen", "SSH_AUTH_SOCK=/tmp/second")
		r.sees("Attached to parser: fake, in "+r.Cwd+", waiting for you.", "push it", "I will push.", "Question 1 of 1", "git push origin HEAD", "1. Allow once", "Answer 1 to 3:")
		if os.Getenv("SSH_AUTH_SOCK") != "/tmp/second" {
			t.Errorf("SSH_AUTH_SOCK is %q", os.Getenv("SSH_AUTH_SOCK"))
		}
		r.types("1")
		r.sees("Type it again")
		r.pause()
		r.types("1")
		r.sees("It is pushed.")
		k.Detach()
		k.Attach("TERM=xterm")
		if got := r.fresh(); !strings.Contains(got, "Attached to parser: fake, in "+r.Cwd+", idle.") || strings.Contains(got, "It is pushed") {
			t.Errorf("got %q", got)
		}
	})
}

// Leaving is asked once; what ends it must be chosen.
func TestLeavingKept(t *testing.T) {
	kept(t, nil, func(r *rig, k *keepertest.Keeper) {
		twice := func() { r.interrupt(); r.interrupt() }
		for name, leave := range map[string]func(){"quit": func() { r.types("/quit") }, "ctrl+c": twice} {
			leave()
			r.sees("Leave parley?", "1. Keep running; parley attach parser returns", "2. End", "0. Stay")
			r.pause()
			r.types("0")
			leave()
			r.types("2")
			r.sees("Type it again")
			r.pause()
			twice()
			r.sees("Press ctrl+c again to keep it running.")
			if said := k.Said(); said != "detach" {
				t.Errorf("%s: said %q", name, said)
			}
			r.pause()
			time.Sleep(3 * time.Second)
			leave()
			r.pause()
			r.types("1")
			if said := k.Said(); said != "detach" {
				t.Errorf("%s: said %q", name, said)
			}
			time.Sleep(3 * time.Second)
		}
		r.types("/detach")
		if said := k.Said(); said != "detach" {
			t.Errorf("said %q", said)
		}
		select {
		case <-r.done:
			t.Error("it has ended")
		default:
		}
		r.types("/quit")
		r.pause()
		r.types("2")
		time.Sleep(time.Minute)
		<-r.done
	})
	talkTo(t, nil, func(r *rig) {
		r.types("/detach")
		r.sees("parley --keep")
	})
}

func TestKeptSessions(t *testing.T) {
	list := func() ([]keeper.Session, error) {
		return []keeper.Session{
			{Name: "site", Live: true, Status: keeper.Status{Agent: "claude", Dir: "/home/ada/site", State: keeper.Waiting, Waits: "Run a command: make"}},
			{Name: "old", Status: keeper.Status{Agent: "claude", Dir: "/home/ada/old", Title: "Old", Resume: []string{"claude", "--resume", "c1"}}},
		}, nil
	}
	talkTo(t, func(r *rig) { r.opts.Kept = list }, func(r *rig) {
		r.fresh()
		r.types("/sessions")
		r.sees("Kept sessions:", "site, claude, in /home/ada/site, waiting for you: Run a command: make.", "old, claude, in /home/ada/old, ended: Old.", "To attach one, type /sessions attach and its name.", "Sessions:")
		r.types("/sessions attach nothing", "/sessions attach old", "/sessions attach site")
		r.sees("No kept session nothing", "old has ended. parley claude --resume c1", "The input is not a terminal.")
	})
	var k *keepertest.Keeper
	talkTo(t, func(r *rig) { r.opts.Kept = list; k, r.opts.Keeper = keepertest.New("parser") }, func(r *rig) {
		defer k.Close()
		r.types("/sessions attach site")
		if said := k.Said(); said != "switch site" {
			t.Errorf("said %q", said)
		}
	})
}
