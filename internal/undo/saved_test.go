package undo

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"parley/internal/must"

	"github.com/google/go-cmp/cmp"
)

// Each turn adds a line to the record: what is kept is the same as what the Journal has, and a turn that was not
// written as a whole is lost alone.
func TestKeptLines(t *testing.T) {
	r := newRig(t, map[string]string{"a": "1\n", "b": "1\n"})
	r.keeping(Options{})
	path, lines := "", 0
	same := func(more int) {
		t.Helper()
		path = filepath.Join(r.kept(), savedName)
		data, err := os.ReadFile(path)
		r.must(err)
		if lines += more; bytes.Count(data, []byte("\n")) != lines {
			t.Errorf("%d lines, want %d", bytes.Count(data, []byte("\n")), lines)
		}
		j, _, err := Saved{path: r.kept()}.open()
		r.must(err)
		defer j.Close()
		if diff := cmp.Diff(r.lines(r.j.Since(0)), r.lines(j.Since(0))); diff != "" {
			t.Error(diff)
		}
	}
	r.during(1, func() { r.write("a", "2\n"); r.write("new", "x\n") })
	same(1)
	r.during(2, func() { r.write("b", "2\n") })
	same(1)
	r.during(3, func() {})
	same(0)
	r.undoAll(1)
	same(1)
	if failed := r.errors(r.j.Redo(t.Context(), r.j.Changes(1))); len(failed) > 0 {
		t.Error(failed)
	}
	same(1)
	r.must(r.j.Rewrite(t.Context(), r.j.Changes(2)[0], "3\n"))
	same(1)
	r.again() // continues the file
	r.during(4, func() { r.write("a", "4\n") })
	same(1)

	// A write that a save in the turn has kept, and that the end of the turn replaces.
	r.j.BeginTurn(t.Context(), 5)
	r.write("c", "1\n")
	r.must(r.j.Written(5, Write{Path: r.path("c"), After: "1\n"}))
	r.undoAll(4)
	same(1)
	r.remove("c")
	r.j.EndTurn(t.Context(), 5)
	same(1)
	lines = 0
	r.again()
	r.during(6, func() { r.write("d", "1\n") })
	same(1) // all in one line: the number of what is gone is free again
	r.during(7, func() { r.write("d", "2\n") })
	same(1)

	before := r.lines(r.j.Since(0))
	r.during(8, func() { r.write("e", "1\n") })
	r.must(r.j.Close())
	data, err := os.ReadFile(path)
	r.must(err)
	r.must(os.WriteFile(path, data[:len(data)-3], 0o600))
	r.j, lines = nil, 0
	r.again()
	if diff := cmp.Diff(before, r.lines(r.j.Since(0))); diff != "" {
		t.Error(diff)
	}
	r.during(9, func() { r.write("e", "2\n") })
	same(1)
}

// The record is replaced by a short one before it is much longer than what it says.
func TestKeptIsShort(t *testing.T) {
	r := newRig(t, map[string]string{"a": "1\n"})
	r.keeping(Options{})
	r.during(1, func() { r.write("a", "2\n") })
	size := func() int64 {
		info, err := os.Stat(filepath.Join(r.kept(), savedName))
		r.must(err)
		return info.Size()
	}
	first, longest := size(), int64(0)
	for range 200 {
		r.undoAll(1)
		if failed := r.errors(r.j.Redo(t.Context(), r.j.Changes(1))); len(failed) > 0 {
			t.Fatal(failed)
		}
		longest = max(longest, size())
	}
	if longest < 10*first || longest > 70<<10 {
		t.Errorf("%d bytes at first, at most %d", first, longest)
	}
}

// Every kind of state is the same after it was saved.
func TestSavedStates(t *testing.T) {
	states := []state{
		{}, textState("x"), {kind: file, mode: 0o755, size: 1, sum: sum{1}}, {kind: link, target: "t", size: 1}, {kind: directory},
		{kind: opaque, size: 9, stamp: stamp{9, 1, 2, 3, math.MaxUint64, os.ModeSetuid | 0o755}}, {kind: odd}, {kind: unsettled}, {kind: unknowable, size: -1},
	}
	for _, s := range states {
		c := change{id: 3, turn: 2, path: "/p", before: s, after: s, by: Both, newDirs: anyDirs, goneDirs: 1, doubt: doubtTwin, undone: true}
		data := must.Get(json.Marshal(savedOf(&c)))(t)
		var back savedChange
		must.Do(t, json.Unmarshal(data, &back))
		if *back.change() != c || !back.Before.valid() {
			t.Errorf("%+v became %+v", c, back.change())
		}
	}
}
