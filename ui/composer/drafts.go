package composer

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/internal/notes"
	"parley/ui/intent"
	"parley/ui/widget/editor"
)

// Drafts stores unsent drafts between runs. Its methods may block and are called from any
// goroutine.
type Drafts interface {
	Load(DraftKey) (Draft, error) // an empty Draft if there is none
	Save(DraftKey, Draft) error   // an empty Draft deletes it
}

// DraftKey is the key of a draft: of a session or, if Session is "", of the project and the
// agent.
type DraftKey struct {
	Dir     string // the session's; "" for the project's
	Agent   string // workspace.Spec.Key
	Session string // the agent's id, verbatim
}

// ofProject returns the key under which the next session in the project finds the draft.
func (k DraftKey) ofProject() DraftKey { return DraftKey{Dir: k.Dir, Agent: k.Agent} }

// Draft is the text in a composer, the prompts in the queue, and the notes that are no prompt yet.
type Draft struct {
	Parts   []editor.Part
	Queued  []string
	Notes   []notes.Note
	Session string // of a project's draft: the session in which it was typed
}

func (d Draft) empty() bool {
	return len(d.Queued)+len(d.Notes) == 0 && !slices.ContainsFunc(d.Parts, func(p editor.Part) bool { return strings.TrimSpace(p.Text) != "" })
}

func (d Draft) equal(other Draft) bool {
	return slices.Equal(d.Parts, other.Parts) && slices.Equal(d.Queued, other.Queued) && slices.Equal(d.Notes, other.Notes) || d.empty() && other.empty()
}

// savedDraft is what is known of a composer's draft on the disk.
type savedDraft struct {
	asked   bool // a load was started, under key
	loaded  bool // a load has ended
	loads   int  // loads that are running; nothing is written until they end
	key     DraftKey
	draft   Draft      // as it is on the disk
	hadText bool       // the composer had text when it was last checked
	queued  int        // prompts in the queue then
	oldKeys []DraftKey // earlier keys, deleted once the draft is saved under key
}

// draft returns what the composer has now, as far as it can be saved.
func (c *Composer) draft(s Session) Draft {
	d := Draft{Queued: slices.Clone(s.Queued), Notes: notes.Draft(s.Notes)}
	for i := range d.Queued {
		d.Queued[i] = c.PortableText(d.Queued[i])
	}
	for _, p := range c.Parts() {
		if p.Text = c.PortableText(p.Text); p.Text != "" {
			d.Parts = append(d.Parts, p)
		}
	}
	return d
}

// collect returns the writes that save the draft as it is now.
func (c *Composer) collect(s Session) []draftWrite {
	k := &c.saved
	if !k.loaded || k.loads > 0 {
		return nil
	}
	k.hadText, k.queued = !c.Empty(), len(s.Queued)
	d := c.draft(s)
	if d.equal(k.draft) && len(k.oldKeys) == 0 {
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
func (c *Composer) fill(d Draft) tea.Cmd {
	c.host.RestoreNotes(d.Notes)
	if len(notes.Draft(d.Notes)) > 0 && len(d.parts()) == 0 {
		return c.host.Say("Restored your notes: /notes lists them")
	}
	if !c.Empty() || len(c.host.Session().Queued) > 0 {
		c.AddToRunHistory(strings.TrimSpace(d.Text()))
		return c.host.Say("Your earlier draft is in the history: " + c.env.Keys.ChatKey(intent.HistoryBack))
	}
	c.SetParts(d.parts())
	c.Refresh()
	return c.host.Say("Restored your earlier draft")
}

// parts returns the prompts of the queue, which are never sent unasked, and then the draft.
func (d Draft) parts() []editor.Part {
	var parts []editor.Part
	for i, q := range d.Queued {
		if i > 0 {
			parts = append(parts, editor.Part{Text: "\n\n"})
		}
		parts = append(parts, editor.Part{Text: q, Pasted: true})
	}
	if len(d.Queued) > 0 && len(d.Parts) > 0 {
		parts = append(parts, editor.Part{Text: "\n\n"})
	}
	return append(parts, d.Parts...)
}

// Text returns all of a draft as one text.
func (d Draft) Text() string {
	var b strings.Builder
	for _, p := range d.parts() {
		b.WriteString(p.Text)
	}
	return b.String()
}
