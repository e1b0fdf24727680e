package linear

import (
	"cmp"
	"context"
	"slices"

	"parley/internal/memory"
	"parley/internal/notes"
	"parley/internal/workspace"
)

// disk saves what the user types, in order, without waiting for the disk.
type disk struct {
	writes chan func() error
	done   chan struct{}
	failed chan error // the first error
	broken bool       // there was one; to be read after end
}

func newDisk() *disk {
	const most = 100
	d := &disk{writes: make(chan func() error, most), done: make(chan struct{}), failed: make(chan error, 1)}
	go func() {
		defer close(d.done)
		for write := range d.writes {
			if err := write(); err != nil && !d.broken {
				d.broken = true
				d.failed <- err
			}
		}
	}()
	return d
}

// add saves something; false if the disk is too slow for it.
func (d *disk) add(write func() error) bool {
	select {
	case d.writes <- write:
		return true
	default:
		return false
	}
}

// end waits until everything is saved.
func (d *disk) end() {
	close(d.writes)
	<-d.done
}

// noteSaver saves the notes of sessions with their drafts, where the screen finds them, too. The rest of a
// draft is the screen's: it stays as it is.
type noteSaver struct {
	w     *workspace.Workspace
	out   *printer
	tasks *tasks
	disk  *disk
	store memory.DraftStore // nil: notes are not saved
	// left says that the first session begins with the notes that were left in the project.
	left  bool
	saved map[*workspace.Session]*savedNotes
}

// savedNotes are the notes of a session as they are on the disk.
type savedNotes struct {
	key     memory.Key
	loading bool
	notes   []notes.Note
	old     []memory.Key // where they were saved before
}

// update loads the notes of sessions that have opened and saves those that have changed.
func (k *noteSaver) update() {
	if k.store == nil {
		return
	}
	for _, s := range k.w.Sessions() {
		key, on := memory.Key{Dir: s.Dir, Agent: s.Agent.Spec.Key(), Session: s.Thread.Session}, k.saved[s]
		switch {
		case s.ReadOnly:
		case s.IsOpen() && (on == nil || on.key != key):
			k.load(s, key)
		case on != nil && !on.loading:
			k.save(s, on)
		}
	}
}

// load adds the saved notes of a session to those that it has.
func (k *noteSaver) load(s *workspace.Session, key memory.Key) {
	on, left := &savedNotes{key: key, loading: true}, k.left
	if before := k.saved[s]; before != nil {
		on.old = append(on.old, before.key)
	}
	k.saved[s], k.left = on, false
	k.tasks.run(func(context.Context) func() {
		draft, err := k.store.Load(key)
		inProject, inProjectErr := k.store.Load(key.OfProject())
		return func() {
			on.loading, on.notes = false, draft.Notes
			found := draft.Notes
			if len(inProject.Notes) > 0 && (left || inProject.Session == key.Session) {
				found = notes.Merge(found, inProject.Notes)
				on.old = append(on.old, key.OfProject(), memory.Key{Dir: key.Dir, Agent: key.Agent, Session: inProject.Session})
			}
			if len(found) > 0 {
				s.SetNotes(notes.Merge(s.Notes(), found))
				k.out.say("Restored your notes; /notes lists them.")
			}
			if err = cmp.Or(err, inProjectErr); err != nil {
				k.disk.add(func() error { return err })
			}
			k.save(s, on)
		}
	})
}

// save saves the notes of a session if they have changed, then removes them from where they were saved
// before.
func (k *noteSaver) save(s *workspace.Session, on *savedNotes) {
	now, key, old := notes.Draft(s.Notes()), on.key, on.old
	if len(old) == 0 && slices.Equal(on.notes, now) {
		return
	}
	added := k.disk.add(func() error {
		err := k.change(key, func(d *memory.Draft) { d.Notes = now })
		for _, from := range old {
			if from != key && err == nil {
				err = k.change(from, func(d *memory.Draft) { d.Notes = nil })
			}
		}
		return err
	})
	if added {
		on.notes, on.old = now, nil
	}
}

// change changes a draft on the disk.
func (k *noteSaver) change(key memory.Key, change func(*memory.Draft)) error {
	draft, err := k.store.Load(key)
	if err != nil {
		return err
	}
	change(&draft)
	return k.store.Save(key, draft)
}

// leave forgets a session that is closed, and returns its notes if they are not saved.
func (k *noteSaver) leave(s *workspace.Session) []notes.Note {
	on := k.saved[s]
	delete(k.saved, s)
	if on == nil || on.loading {
		return s.Notes()
	}
	k.save(s, on)
	return nil
}

// end saves all notes, and those of the session in front also for the next session in the project.
func (k *noteSaver) end() {
	if k.store == nil {
		return
	}
	k.update()
	for s, on := range k.saved {
		if now := notes.Draft(s.Notes()); on.loading && now != nil {
			k.disk.add(func() error {
				return k.change(on.key, func(d *memory.Draft) { d.Notes = notes.Merge(d.Notes, now) })
			})
		}
	}
	s := k.w.Front()
	if now := notes.Draft(s.Notes()); now != nil && !s.ReadOnly {
		key, id := memory.Key{Dir: s.Dir, Agent: s.Agent.Spec.Key()}, s.Thread.Session
		k.disk.add(func() error {
			return k.change(key, func(d *memory.Draft) { d.Notes, d.Session = now, id })
		})
	}
}
