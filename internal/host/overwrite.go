package host

import (
	"errors"
	"fmt"
	"slices"

	"parley/acpclient/wire"
	"parley/fsops"
	"parley/internal/words"
	"parley/permissions"
)

// maxOldTexts bounds what is read to complete the questions of a session, in bytes: the transcript keeps
// it, and a short request can name a large file.
const maxOldTexts = 256 << 20

// oldTexts implements acpclient.Services.OldTexts. Many agents send no old text when they replace a
// file, so a change without one may overwrite a file or create it.
func (h *Host) oldTexts(session string, items []wire.ToolContent) []wire.ToolContent {
	out, s := slices.Clone(items), h.session(session)
	for i, c := range items {
		if c = asDiff(c); !saysNew(c) || s == nil || s.oldTexts.Load() > maxOldTexts {
			continue
		}
		if text, err := h.readable(session, h.find(session, c.Path)); err == nil {
			c.OldText, c.Overwrites = &text, true
			out[i] = c
			s.oldTexts.Add(int64(len(text)))
		}
	}
	return out
}

// saysNew reports whether a piece of content shows a file as new.
func saysNew(c wire.ToolContent) bool {
	return c.Type == "diff" && text(c.OldText) == "" && !c.Deleted && !c.Partial && !c.Overwrites
}

// asDiff returns a patch of v2 that only adds a file as a diff with its text, anything else unchanged.
func asDiff(c wire.ToolContent) wire.ToolContent {
	if len(c.Changes) == 1 && c.Changes[0].Operation == "add" {
		if files, ok := hunksOf(c.Patch); ok && len(files) == 1 && files[0].created && showsAll(c, files) {
			return wire.ToolContent{Type: "diff", Path: files[0].path, NewText: files[0].new}
		}
	}
	return c
}

// readable returns what a file holds, if an agent may read it without a question: it is in the
// session's directories, not sensitive, and no rule restricts it.
func (h *Host) readable(session string, f found) (string, error) {
	switch {
	case f.elsewhere:
		return "", errors.New("on another machine")
	case f.err != nil:
		return "", f.err
	case !f.target.Inside:
		return "", fsops.ErrOutsideRoot
	case f.target.Secret != "":
		return "", errors.New("sensitive")
	case h.ruled(session, h.fileFacts(session, "read", f.target)):
		return "", errors.New("your rules restrict reading it")
	case h.files.Stat(session, f.target.Path).Size > maxLocated:
		return "", fmt.Errorf("larger than %d MiB", maxLocated>>20)
	}
	text, err := h.files.Read(session, f.target.Path, fsops.Window{}, false)
	return text, errors.Unwrap(err) // without the path
}

// noteOverwrites says in the heading how many lines a change replaces, and warns of files that are
// shown as new although they exist. A whole text in the input replaces a file even if the change is
// shown as a patch.
func (d *draft) noteOverwrites() {
	lines, hidden := 0, false
	for _, p := range d.q.Body {
		if p.Overwrites {
			lines += len(splitLines(p.Old))
		}
	}
	if _, edit := inputChange(d.call.RawInput); lines == 0 && d.q.Kind == "edit" && saysNew(edit) {
		if text, err := d.host.readable(d.q.Session, d.host.find(d.q.Session, edit.Path)); err == nil {
			lines = len(splitLines(text))
		}
	}
	for _, f := range d.files {
		if !f.target.Exists || !slices.ContainsFunc(d.seen.diffs, func(s shownDiff) bool { return s.created && s.path == f.path }) {
			continue
		}
		hidden = true
		why := "what it holds is not shown"
		if _, err := d.host.readable(d.q.Session, f.found); err != nil {
			why += ": " + visiblePath(err.Error())
		}
		if !d.about.named(f.path) { // else the heading says it
			why = d.host.shownPath(d.q.Session, f.path) + ": exists, and is overwritten (" + why + ")"
		}
		d.q.Body = append(d.q.Body, permissions.Part{Kind: permissions.Warning, Text: why})
	}
	switch {
	case lines > 0:
		d.q.Heading += " (replaces " + words.Count(lines, "line") + ")"
	case hidden:
		d.q.Heading += " (overwrites it)"
	}
}

// overwritten returns the parts of a question that show what a file holds.
func overwritten(q permissions.Question) (parts []permissions.Part) {
	for _, p := range q.Body {
		if p.Overwrites {
			parts = append(parts, p)
		}
	}
	return parts
}
