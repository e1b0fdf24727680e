package host

import (
	"path/filepath"
	"slices"
	"strings"

	"parley/acpclient/wire"
	"parley/internal/jsonscan"
	"parley/internal/safetext"
	"parley/permissions"
)

// sights are what a question already shows, so that members of the input that repeat it can be left
// out. A text counts by its role: a title that reads like a command does not show a command.
type sights struct {
	texts   map[string][]role // with the roles in which they say no more
	diffs   []shownDiff
	members []string // members of the input that are shown
}

type shownDiff struct {
	path, old, new string
	created        bool     // it is shown as a new file
	deleted        bool     // it is shown as deleted
	changed        []string // lines, of a patch
}

func (s *sights) add(text string, roles ...role) {
	if s.texts == nil {
		s.texts = map[string][]role{}
	}
	for _, t := range []string{text, strings.TrimSpace(text)} {
		s.texts[t] = append(s.texts[t], roles...)
	}
}

// content adds a piece of the tool call's content.
func (s *sights) content(c wire.ToolContent) {
	switch {
	case c.Type == "diff":
		d := shownDiff{path: c.Path, new: c.NewText, created: saysNew(c)}
		if c.OldText != nil {
			d.old = *c.OldText
		}
		s.diffs = append(s.diffs, d)
		s.add(d.path, rolePlace, roleTarget)
		s.add(d.old, roleText)
		s.add(d.new, roleText)
	case c.Block.Type == "text":
		s.add(c.Block.Text, roleNote, roleDetail, roleText)
	default:
		s.add(c.Block.URI, rolePlace, roleURL)
	}
}

// patched adds a patch of files.
func (s *sights) patched(files []shownDiff, patch string) {
	s.diffs = append(s.diffs, files...)
	s.add(patch, rolePatch, roleDiff)
	for _, f := range files {
		s.add(f.path, rolePlace, roleTarget)
	}
}

// paths returns the files whose change is shown.
func (s *sights) paths() (out []string) {
	for _, d := range s.diffs {
		out = append(out, d.path)
	}
	return out
}

// replaced adds the two members of an input that describe a shown change: the old and the new text.
func (s *sights) replaced(raw []byte) {
	_, edit := inputChange(raw)
	if edit.OldText != nil && *edit.OldText != "" && slices.ContainsFunc(s.diffs, func(d shownDiff) bool {
		return strings.Count(d.old, *edit.OldText) == 1 && strings.Replace(d.old, *edit.OldText, edit.NewText, 1) == d.new
	}) {
		s.add(*edit.OldText, roleText)
		s.add(edit.NewText, roleText)
	}
}

// rest returns what the raw input has that is not shown yet, in the agent's order. Relative paths of a
// patch begin in cwd. Members that say nothing are left to the details.
func (s *sights) rest(raw []byte, cwd string) []permissions.Part {
	whole := []permissions.Part{{Kind: permissions.Field, Label: "input", Text: safetext.Visible(string(raw))}}
	if jsonscan.KindOf(raw) != jsonscan.Object {
		if len(raw) == 0 || string(raw) == "null" {
			return nil
		}
		return whole
	}
	var out []permissions.Part
	s.replaced(raw)
	m := jsonscan.MembersOf(raw)
	for m.Next() {
		if slices.Contains(s.members, string(m.Key)) || saysNothingMore(plainName(string(m.Key)), string(m.Value)) {
			continue
		}
		value := string(m.Value)
		r, known := roleOf(plainName(string(m.Key)))
		if text, ok := jsonscan.Text(m.Value); ok {
			if value = text; known && s.shows(r, text, cwd) {
				continue
			}
		} else if _, w := commandIn(m.Value); w != "" && known && slices.Contains(s.texts[w], r) {
			continue
		}
		out = append(out, permissions.Part{Kind: permissions.Field, Label: safetext.Line(string(m.Key), 80), Text: safetext.Visible(value)})
	}
	if m.Err() != nil {
		return whole
	}
	return out
}

// shows reports whether a text in a member of that role is shown. For the text of a file a part of a
// shown change is enough.
func (s *sights) shows(r role, text, cwd string) bool {
	switch {
	case slices.Contains(s.texts[text], r), slices.Contains(s.texts[strings.TrimSpace(text)], r):
		return true
	case r == roleText:
		return len(text) >= 8 && slices.ContainsFunc(s.diffs, func(d shownDiff) bool { return d.holds(text) })
	case r == rolePatch, r == roleDiff:
		return s.patch(text, cwd)
	}
	return false
}

func (d shownDiff) holds(text string) bool {
	return strings.Contains(d.old, text) || strings.Contains(d.new, text)
}

// patch reports whether a text is a unified diff whose changed lines are all shown as changes of
// the same file.
func (s *sights) patch(text, cwd string) bool {
	files, ok := hunksOf(text)
	for _, f := range files {
		ok = ok && slices.ContainsFunc(s.diffs, func(d shownDiff) bool {
			shown := absoluteIn(cwd, d.path)
			if shown != absoluteIn(cwd, f.path) && shown != string(filepath.Separator)+f.path { // git's a/ in place of the first separator
				return false
			}
			return !slices.ContainsFunc(f.changed, func(line string) bool { return !d.holds(line) })
		})
	}
	return ok
}

func absoluteIn(cwd, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(cwd, path)
}
