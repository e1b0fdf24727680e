package undo

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"parley/internal/must"
)

// noise returns a text that cannot be compressed.
func noise(seed uint64, size int) string {
	rnd := rand.New(rand.NewPCG(seed, 1))
	b := make([]byte, size)
	for i := range b {
		b[i] = byte(rnd.Uint32())
	}
	return string(b)
}

// What is kept of many contents, of which some are removed again, is what was given, within the room.
func TestStoreMakesRoom(t *testing.T) {
	s := must.Get(openStore(t.TempDir(), 64<<10))(t)
	defer s.close()
	rnd := rand.New(rand.NewPCG(1, 1))
	turns, pinned, contents := map[sum]int{}, map[sum]bool{}, map[sum]string{}
	for turn := 1; turn <= 300; turn++ {
		text := noise(uint64(turn), rnd.IntN(3000))
		if turn%3 == 0 {
			text = strings.Repeat(text, 1+rnd.IntN(4)) // which can be compressed
		}
		of := textState(text).sum
		must.Do(t, s.keep(of, []byte(text), 0))
		if !s.has(of) {
			t.Fatalf("turn %d: there is no room", turn)
		}
		turns[of], contents[of] = turn, text
		pinned[of] = turn%40 == 0
		had := len(s.at)
		lost := s.makeRoom(turns, pinned)
		if lost != (len(s.at) < had) || s.used > s.room/8*7 {
			t.Errorf("turn %d: %d bytes, lost: %v", turn, s.used, lost)
		}
		oldest := turn
		for of := range s.at {
			if !pinned[of] {
				oldest = min(oldest, turns[of])
			}
		}
		for of, text := range contents {
			got, err := s.content(of)
			switch {
			case s.has(of) != (pinned[of] || turns[of] >= oldest):
				t.Fatalf("turn %d: that of turn %d is kept: %v, the oldest is of %d", turn, turns[of], s.has(of), oldest)
			case s.has(of) && (err != nil || !bytes.Equal(got, []byte(text))):
				t.Fatalf("turn %d: that of turn %d: %v", turn, turns[of], err)
			}
		}
	}
	if info, err := s.pack.Stat(); err != nil || info.Size() > 2*s.room {
		t.Errorf("the file has %d bytes, %v", info.Size(), err)
	}
}

// A compressed copy that is damaged, or longer than it was, is not returned.
func TestDamagedCompressed(t *testing.T) {
	s := must.Get(openStore(t.TempDir(), 1<<20))(t)
	defer s.close()
	s.used = s.room / 2
	text := []byte(strings.Repeat("line\n", 1000))
	of := textState(string(text)).sum
	if err := s.keep(of, text, 0); err != nil || s.at[of].n >= s.at[of].size {
		t.Fatalf("%+v, %v", s.at[of], err)
	}
	where := s.at[of]
	s.at[of] = span{where.off, where.n, where.size - 10}
	if _, err := s.content(of); !errors.Is(err, errDamaged) {
		t.Errorf("longer: %v", err)
	}
	s.at[of] = where
	s.pack.WriteAt([]byte("XXX"), where.off)
	if _, err := s.content(of); !errors.Is(err, errDamaged) {
		t.Errorf("damaged: %v", err)
	}
}

// When copies have used up their room, the oldest turns can no longer be undone, and that is said once; the last
// ones can, also after another Journal has taken over, and files that stay as they are keep their copies.
func TestOldestAreDropped(t *testing.T) {
	for _, keep := range []bool{false, true} {
		t.Run(fmt.Sprint(keep), func(t *testing.T) {
			r := withoutGit(t, map[string]string{"still": noise(0, 4000)})
			r.must(r.j.Close())
			if r.j = nil; keep {
				r.keeping(Options{MaxBytes: 128 << 10})
				r.j.opts.Keep.copies.room = 128 << 10
			} else {
				r.j = r.journal(Options{MaxBytes: 128 << 10})
			}
			r.name("still", "f")
			const last = 60
			for turn := 1; turn <= last; turn++ {
				r.j.BeginTurn(t.Context(), turn)
				r.write("f", noise(uint64(turn), 4000))
				notes := r.j.EndTurn(t.Context(), turn)
				if said := len(notes) > 0; said && notes[0].String() != "the oldest changes can no longer be undone: the copies of a session may take 0 MiB" {
					t.Errorf("turn %d: %v", turn, notes)
				}
			}
			if got := r.j.Notes(); len(got) != 2 { // and that there is no git
				t.Errorf("notes: %v", got)
			}
			if keep {
				r.again()
				r.name("still")
			}
			can := func(c Change) bool { return c.NoUndoReason == "" }
			changes := make([]Change, 0, last)
			for turn := 1; turn <= last; turn++ {
				changes = append(changes, r.j.Changes(turn)...)
			}
			first := slices.IndexFunc(changes, can)
			if first < 10 || first > last-15 || slices.ContainsFunc(changes[first:], func(c Change) bool { return !can(c) }) {
				t.Errorf("the first of %d that can be undone is %d", len(changes), first)
			}
			for _, res := range r.j.Undo(t.Context(), changes[first:]) {
				if res.Err != nil {
					t.Fatal(res.Err)
				}
			}
			r.holds("f", noise(uint64(first), 4000))
			waitTick()
			r.named(last+1, nil, func() { r.write("still", "2") })
			r.undoAll(last + 1)
			r.holds("still", noise(0, 4000))
		})
	}
}

// A content that is kept with the changes of a session is not kept twice.
func TestKeptOnce(t *testing.T) {
	r := newRig(t, nil)
	r.write("a", noise(1, 5000))
	r.write("b", noise(2, 5000))
	r.write("same as b", noise(2, 5000))
	r.keeping(Options{})
	r.during(1, func() { r.write("a", noise(3, 5000)) })
	if mine, kept := r.j.store.used, r.j.opts.Keep.copies.used; mine != 5000 || kept != 10_000 {
		t.Errorf("%d and %d bytes are kept", mine, kept)
	}
	r.undoAll(1)
	r.holds("a", noise(1, 5000))
}
