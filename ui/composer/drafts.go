package composer

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/internal/intent"
	"parley/internal/memory"
	"parley/internal/notes"
	"parley/ui/widget/editor"
)

// savedDraft is what is known of a composer's draft on the disk.
type savedDraft struct {
	asked   bool // a load was started, under key
	loaded  bool // a load has ended
	loads   int  // loads that are running; nothing is written until they end
	key     memory.Key
	draft   memory.Draft // as it is on the disk
	hadText bool         // the composer had text when it was last checked
	queued  int          // prompts in the queue then
	oldKeys []memory.Key // earlier keys, deleted once the draft is saved under key
}

// draft returns what the composer has now, as far as it can be saved.
func (c *Composer) draft(s State) memory.Draft {
	d := memory.Draft{Queued: slices.Clone(s.Queued), Notes: notes.Draft(s.Notes)}
	for i := range d.Queued {
		d.Queued[i] = c.PortableText(d.Queued[i])
	}
	for _, p := range c.Parts() {
		if p.Text = c.PortableText(p.Text); p.Text != "" {
			d.Parts = append(d.Parts, memory.Part(p))
		}
	}
	return d
}

// collect returns the writes that save the draft as it is now.
func (c *Composer) collect(s State) []draftWrite {
	k := &c.saved
	if !k.loaded || k.loads > 0 {
		return nil
	}
	k.hadText, k.queued = !c.Empty(), len(s.Queued)
	d := c.draft(s)
	if d.Equal(k.draft) && len(k.oldKeys) == 0 {
		return nil
	}
	out := []draftWrite{{k.key, d}}
	for _, key := range k.oldKeys {
		if key != k.key {
			out = append(out, draftWrite{key: key})
		}
	}
	k.draft, k.oldKeys = d, nil
	return out
}

// fill puts a saved draft into the composer. If there is text already, it puts the draft
// into the history instead. Notes are added to those that there are.
func (c *Composer) fill(d memory.Draft) tea.Cmd {
	c.out.Add(RestoreNotes(d.Notes))
	if len(notes.Draft(d.Notes)) > 0 && len(d.All()) == 0 {
		return c.out.Say("Restored your notes: /notes lists them")
	}
	if !c.Empty() || len(c.state().Queued) > 0 {
		c.AddToRunHistory(strings.TrimSpace(d.Text()))
		return c.out.Say("Your earlier draft is in the history: " + c.env.Keys.ChatKey(intent.HistoryBack))
	}
	c.SetParts(partsOf(d))
	c.Refresh()
	return c.out.Say("Restored your earlier draft")
}

// partsOf returns the pieces of a saved draft for the editor.
func partsOf(d memory.Draft) (parts []editor.Part) {
	for _, p := range d.All() {
		parts = append(parts, editor.Part(p))
	}
	return parts
}
