package host

import (
	"slices"
	"strings"

	"parley/acpclient/wire"
	"parley/internal/jsonscan"
	"parley/internal/safetext"
	"parley/permissions"
)

// hunksOf parses a unified diff and returns, for each file, the text of its hunks before and after. ok
// is false if it is not one, or has other lines that a drawing of it might omit.
func hunksOf(patch string) (files []shownDiff, ok bool) {
	old, head, inHunk := "", "", false // head is the line before the names, which also names the file
	var file *shownDiff
	for l := range strings.SplitSeq(strings.TrimSuffix(patch, "\n"), "\n") {
		kind, rest, _ := strings.Cut(l, " ")
		switch {
		case kind == "---" && !inHunk:
			old, _, _ = strings.Cut(rest, "\t")
		case kind == "+++" && !inHunk:
			path, _, _ := strings.Cut(rest, "\t")
			before, after := unprefixed(old, path)
			if after == "/dev/null" {
				after = before
			}
			if head != "" && !strings.HasSuffix(head, "/"+after) && !strings.HasSuffix(head, " "+after) {
				return nil, false
			}
			head = ""
			files = append(files, shownDiff{path: after, created: before == "/dev/null"})
			file = &files[len(files)-1]
		case kind == "@@" && file != nil:
			inHunk = true
		case kind == "diff", kind == "Index:", kind == "index", kind == "new", kind == "deleted", strings.Trim(l, "=") == "" && l != "":
			if inHunk, file = false, nil; kind == "diff" || kind == "Index:" {
				if head != "" && kind == "diff" {
					return nil, false
				}
				head = l
			}
		case !inHunk:
			return nil, false
		case l == "" || l[0] == ' ':
			file.old, file.new = file.old+strings.TrimPrefix(l, " ")+"\n", file.new+strings.TrimPrefix(l, " ")+"\n"
		case l[0] == '-':
			file.old += l[1:] + "\n"
		case l[0] == '+':
			file.new += l[1:] + "\n"
		case l[0] != '\\':
			return nil, false
		}
	}
	changed := func(d shownDiff) bool { return d.old != d.new }
	return files, len(files) > 0 && slices.ContainsFunc(files, changed)
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

// told reports whether the drawing of a patch shows everything v2 says of its changes: each file is
// modified in place, created or deleted, and is in the patch.
func told(c wire.ToolContent, files []shownDiff) bool {
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
var plainTitle = strings.Fields("edit edits write writes create update change modify replace read file in to the apply patch")

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
