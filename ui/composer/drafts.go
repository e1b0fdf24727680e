package composer

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/ui/widget/editor"
)

// Drafts keeps what was typed and not sent, over runs. Its methods may wait, and
// are called on goroutines of their own.
type Drafts interface {
	Load(DraftKey) (Draft, error) // an empty one where there is none
	Save(DraftKey, Draft) error   // an empty one is none
}

// DraftKey says whose draft it is: a session's, or, without a session, the one that
// was left in the project for the agent.
type DraftKey struct {
	Dir     string // the session's; "" for that of the project
	Agent   string // workspace.Spec.Key
	Session string // the agent's id, verbatim
}

// left is the key of the draft that is left in the project when the session ends.
func (k DraftKey) left() DraftKey { return DraftKey{Dir: k.Dir, Agent: k.Agent} }

// Draft is what stood in the composer, and the prompts that waited.
type Draft struct {
	Parts   []editor.Part
	Queued  []string
	Session string // of the one left in the project: the session it was typed in
}

func (d Draft) empty() bool {
	return len(d.Queued) == 0 && !slices.ContainsFunc(d.Parts, func(p editor.Part) bool { return strings.TrimSpace(p.Text) != "" })
}

func (d Draft) equal(other Draft) bool {
	return slices.Equal(d.Parts, other.Parts) && slices.Equal(d.Queued, other.Queued) || d.empty() && other.empty()
}

// kept is what is known of a composer's draft on the disk.
type kept struct {
	asked  bool // it was looked for, under key
	loaded bool // and what there was has come
	looks  int  // that are under way: nothing is written meanwhile
	key    DraftKey
	saved  Draft
	filled bool       // the composer was, when it was looked at last
	queued int        // prompts that waited then
	former []DraftKey // where it was before; those are forgotten once it is under key
}

// draft is what the composer has now, as far as it can be kept.
func (c *Composer) draft(s Session) Draft {
	d := Draft{Queued: slices.Clone(s.Queued)}
	for i := range d.Queued {
		d.Queued[i] = c.Lasting(d.Queued[i])
	}
	for _, p := range c.Parts() {
		if p.Text = c.Lasting(p.Text); p.Text != "" {
			d.Parts = append(d.Parts, p)
		}
	}
	return d
}

// collect says what has to be written so that the draft is kept as it is.
func (c *Composer) collect(s Session) []draftWrite {
	k := &c.kept
	if !k.loaded || k.looks > 0 {
		return nil
	}
	k.filled, k.queued = !c.Empty(), len(s.Queued)
	d := c.draft(s)
	if d.equal(k.saved) && len(k.former) == 0 {
		return nil
	}
	out := []draftWrite{{k.key, d}}
	for _, key := range k.former {
		if key != k.key {
			out = append(out, draftWrite{key: key})
		}
	}
	k.saved, k.former = d, nil
	return out
}

// fill puts a draft into the composer that was left there once. What is being typed
// already stays: then the old one is in the history.
func (c *Composer) fill(d Draft) tea.Cmd {
	if !c.Empty() || len(c.host.Session().Queued) > 0 {
		c.Remember(strings.TrimSpace(d.Text()))
		return c.host.Say("Your earlier draft is in the history: up")
	}
	c.SetParts(d.parts())
	c.Refresh()
	return c.host.Say("Restored your earlier draft")
}

// parts are those of a draft with the prompts that waited in front. They are
// never sent by themselves.
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

// Text is all of a draft as one text.
func (d Draft) Text() string {
	var b strings.Builder
	for _, p := range d.parts() {
		b.WriteString(p.Text)
	}
	return b.String()
}
