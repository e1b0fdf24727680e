package host

import (
	"cmp"
	"slices"
	"strings"

	"parley/acpclient/wire"
	"parley/internal/jsonscan"
	"parley/internal/patch"
	"parley/internal/safetext"
	"parley/permissions"
)

// hunksOf parses a unified diff and returns, for each file, the text of its hunks before and after. ok
// is false if it is not one, or does anything that a drawing of it might omit.
func hunksOf(text string) (files []shownDiff, ok bool) {
	all, ok := patch.Strict(text)
	for _, f := range all {
		d := shownDiff{path: cmp.Or(f.Path, f.OldPath), created: f.OldPath == "", deleted: f.Path == "", changed: f.Changed()}
		for _, h := range f.Hunks {
			before, after := f.Texts(h)
			d.old, d.new = d.old+before, d.new+after
		}
		if ok = ok && len(f.Hunks) > 0 && f.NewMode == "" && (f.OldPath == "" || f.Path == "" || f.OldPath == f.Path); !ok {
			return nil, false
		}
		files = append(files, d)
	}
	return files, ok
}

// patchPart returns a unified diff to be drawn. After its sign, each line is made visible.
func patchPart(patch string) permissions.Part {
	lines := strings.Split(patch, "\n")
	for i, l := range lines {
		if l != "" && strings.IndexByte(" +-", l[0]) >= 0 {
			lines[i] = l[:1] + safetext.Visible(l[1:])
		} else {
			lines[i] = safetext.Visible(l)
		}
	}
	return permissions.Part{Kind: permissions.Patch, Text: strings.Join(lines, "\n")}
}

// showsAll reports whether the drawing of a patch shows everything v2 says of its changes: each file is
// modified in place, created or deleted, and is in the patch.
func showsAll(c wire.ToolContent, files []shownDiff) bool {
	return len(c.Changes) == len(files) && !slices.ContainsFunc(c.Changes, func(f wire.FileChange) bool {
		return !slices.Contains([]string{"add", "modify", "delete"}, f.Operation) || f.FileType != "" && f.FileType != "text" || f.OldPath != "" && f.OldPath != f.Path ||
			!slices.ContainsFunc(files, func(d shownDiff) bool { return d.path == f.Path })
	})
}

// inputChange returns the change that the input of an edit spells out, for a call whose content shows
// none: a patch, a replacement, or the text of a whole file.
func inputChange(raw []byte) (patch string, edit wire.ToolContent) {
	if jsonscan.KindOf(raw) != jsonscan.Object {
		return "", edit
	}
	var paths, old, now, whole []string
	adds := false // the text is added to the file
	m := jsonscan.MembersOf(raw)
	for m.Next() {
		text, ok := jsonscan.Text(m.Value)
		if !ok {
			continue
		}
		name := plainName(string(m.Key))
		switch r, known := roleOf(name); {
		case known && (r == rolePatch || r == roleDiff):
			if _, ok := hunksOf(text); ok && patch == "" {
				patch = text
			}
		case known && (r == roleVerb || r == roleCommand):
			adds = adds || slices.Contains([]string{"add", "append", "insert"}, text)
		case known && r == rolePlace:
			paths = append(paths, text)
		case slices.Contains([]string{"oldstring", "oldstr", "oldtext"}, name):
			old = append(old, text)
		case slices.Contains([]string{"newstring", "newstr", "newtext"}, name):
			now = append(now, text)
		case slices.Contains([]string{"content", "contents", "filetext"}, name):
			whole = append(whole, text)
		}
	}
	switch {
	case m.Err() != nil || patch != "" || len(paths) != 1:
	case len(old) == 1 && len(now) == 1 && len(whole) == 0:
		edit = wire.ToolContent{Type: "diff", Path: paths[0], OldText: &old[0], NewText: now[0]}
	case len(old)+len(now) == 0 && len(whole) == 1:
		edit = wire.ToolContent{Type: "diff", Path: paths[0], NewText: whole[0], Partial: adds}
	}
	return patch, edit
}

// plainTitle are words that say no more than the heading.
var plainTitle = strings.Fields("edit edits write writes writing create update change modify replace read delete move search fetch file in to the apply patch")

// saysNothing reports whether a title only has such words and the names of the files shown.
func saysNothing(title string, paths []string, cwd string) bool {
	for _, path := range paths {
		names := []string{path, strings.TrimPrefix(path, strings.TrimSuffix(cwd, "/")+"/"), path[strings.LastIndexAny(path, `/\`)+1:]}
		for _, name := range names {
			if name != "" {
				title = strings.ReplaceAll(title, name, " ")
			}
		}
	}
	words := strings.FieldsFunc(strings.ToLower(title), func(r rune) bool { return strings.ContainsRune(" `'\":,()", r) })
	return !slices.ContainsFunc(words, func(w string) bool { return !slices.Contains(plainTitle, w) })
}
