package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"parley/acpclient/event"
	"parley/internal/describe"
	"parley/internal/headless"
	"parley/internal/linediff"
	"parley/internal/record"
	"parley/internal/safetext"
	"parley/internal/undo"
	"parley/internal/workspace"
)

type reviewFlags struct {
	json, list bool
	turn       int
}

// NewReview is `parley review`.
func NewReview(s Streams) *cobra.Command {
	var f reviewFlags
	cmd := &cobra.Command{
		Use:   "review [SESSION]",
		Short: "Show what a session has changed",
		Long: `Print what a session has changed, as a patch with a line for each file above it. SESSION is an id or title; without it, the latest session that has changed something in this directory.

Changes are kept for 30 days. To undo them, open the session again with ` + "`parley --resume ID`" + ` and type /undo or /review.

Exit codes: 0 done, 1 error, 2 usage, 4 no such session.`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return Usagef("only one session at a time; put a title in quotes")
			}
			if f.list && (len(args) > 0 || cmd.Flags().Changed("turn")) {
				return Usagef("--list takes no session and no --turn")
			}
			if cmd.Flags().Changed("turn") && f.turn < 1 {
				return Usagef("--turn %d: want a number from 1 on", f.turn)
			}
			dir, err := changesDir()
			if err != nil {
				return err
			}
			all, err := undo.List(dir)
			if err != nil {
				return err
			}
			if f.list {
				all = slices.DeleteFunc(all, func(s undo.Saved) bool { return s.Files == 0 })
				return listReviews(s, all, titlesOf(all, s), f.json)
			}
			titles := titlesOf(all, s)
			i, err := chosen(all, titles, args)
			if err != nil {
				s.PrintError(err.Error())
				if err := undo.CanKeep(dir); err != nil {
					s.PrintError(notKept("changes are not recorded", err))
				}
				return ExitCode(headless.ExitNoSession)
			}
			return printReview(cmd.Context(), s, all[i], f)
		},
	}
	cmd.Flags().BoolVar(&f.json, "json", false, "print JSON")
	cmd.Flags().BoolVar(&f.list, "list", false, "list the sessions that have changed something")
	cmd.Flags().IntVar(&f.turn, "turn", 0, "show only this turn (default: all, each file once)")
	return cmd
}

// titlesOf returns the titles of sessions, safe to show: the user's, or those in the logs.
func titlesOf(all []undo.Saved, s Streams) []string {
	given := userNames(s.PrintError)
	var logged []workspace.Logged
	if dir, err := record.Dir(); err == nil {
		logged, _ = Logs(dir)
	}
	titles := make([]string, len(all))
	for i, saved := range all {
		titles[i] = given(saved.Agent, saved.ID)
		for _, g := range logged {
			if g.Session == saved.ID && g.Agent == safetext.Line(saved.Agent, 80) {
				titles[i] = cmp.Or(titles[i], g.Title)
			}
		}
	}
	return titles
}

// chosen finds the session that is to be shown.
func chosen(all []undo.Saved, titles []string, args []string) (int, error) {
	if len(args) == 0 {
		here, err := directory("", "")
		if err != nil {
			return 0, err
		}
		in := func(s undo.Saved) bool { return sameDir(s.Dir, here) }
		if i := slices.IndexFunc(all, func(s undo.Saved) bool { return s.Files > 0 && in(s) }); i >= 0 {
			return i, nil
		}
		if i := slices.IndexFunc(all, in); i >= 0 {
			return i, nil
		}
		return 0, fmt.Errorf("%w with changes in %s; `parley review --list` lists those of all directories", event.ErrNoSession, here)
	}
	i := slices.IndexFunc(all, func(s undo.Saved) bool { return s.ID == args[0] })
	if i < 0 {
		i = slices.IndexFunc(titles, func(title string) bool { return strings.EqualFold(title, args[0]) })
	}
	if i < 0 {
		return 0, fmt.Errorf("%w with changes: %s; `parley review --list` lists them", event.ErrNoSession, args[0])
	}
	return i, nil
}

func listReviews(s Streams, all []undo.Saved, titles []string, asJSON bool) error {
	if asJSON {
		type session struct {
			sessionInfo
			Files int `json:"files"`
		}
		list := []session{}
		for i, saved := range all {
			list = append(list, session{sessionInfo{saved.ID, saved.Agent, saved.Dir, titles[i], second(saved.Updated)}, saved.Files})
		}
		return headless.WriteJSON(s.Out, list)
	}
	if len(all) == 0 {
		_, err := fmt.Fprintln(s.Out, "No changes are recorded")
		return err
	}
	rows := [][]string{{"ID", "AGENT", "UPDATED", "FILES", "DIRECTORY", "TITLE"}}
	for i, saved := range all {
		rows = append(rows, []string{safetext.Line(saved.ID, 200), safetext.Line(saved.Agent, 80), minute(saved.Updated), strconv.Itoa(saved.Files), safetext.Line(saved.Dir, 200), titles[i]})
	}
	return printTable(s.Out, rows)
}

// reviewedFile is a changed file.
type reviewedFile struct {
	Path     string `json:"path"`
	Kind     string `json:"kind"`
	By       string `json:"by"`
	Turn     int    `json:"turn"`
	Added    int    `json:"added"`
	Removed  int    `json:"removed"`
	Undone   bool   `json:"undone"`
	NoUndo   string `json:"noUndo,omitempty"` // why it cannot be undone
	Diff     string `json:"diff"`
	change   undo.Change
	noText   bool
	tooLarge bool
}

// review is what a session has changed.
type review struct {
	Session string         `json:"session"`
	Agent   string         `json:"agent"`
	Cwd     string         `json:"cwd"`
	Turns   []int          `json:"turns"` // that have changed something
	Files   []reviewedFile `json:"files"`

	NotRecorded []string `json:"notRecorded,omitempty"` // what is not, and why
}

func printReview(ctx context.Context, s Streams, saved undo.Saved, f reviewFlags) error {
	j, err := saved.Open()
	if err != nil {
		return err
	}
	defer j.Close()
	r := reviewOf(ctx, j, saved, f.turn)
	if f.json {
		return headless.WriteJSON(s.Out, r)
	}
	for _, line := range r.NotRecorded {
		s.PrintError(line)
	}
	switch {
	case len(r.Files) == 0 && f.turn == 0:
		s.PrintError(fmt.Sprintf("session %s has no recorded changes", safetext.Line(saved.ID, 200)))
	case len(r.Files) == 0:
		s.PrintError(fmt.Sprintf("session %s has no changes in turn %d; turns with changes: %s", safetext.Line(saved.ID, 200), f.turn, strings.Trim(fmt.Sprint(r.Turns), "[]")))
	}
	var text strings.Builder
	for _, file := range r.Files {
		fmt.Fprintln(&text, file.line(r.Cwd))
		if !file.Undone {
			text.WriteString(file.Diff)
		}
	}
	out := text.String()
	if isTerminal(s.Out) {
		out = safetext.Source(out)
	}
	_, err = io.WriteString(s.Out, out)
	return err
}

// reviewOf lists the changes of a turn, or with 0 those of all turns, each file once.
func reviewOf(ctx context.Context, j *undo.Journal, saved undo.Saved, turn int) review {
	r := review{Session: saved.ID, Agent: saved.Agent, Cwd: saved.Dir, Turns: []int{}, Files: []reviewedFile{}}
	for _, n := range j.Notes() {
		r.NotRecorded = append(r.NotRecorded, noteLine(n, n.Root != saved.Dir))
	}
	for _, n := range j.Turns() {
		if len(j.Changes(n)) > 0 {
			r.Turns = append(r.Turns, n)
		}
	}
	changes := j.Since(0)
	if turn > 0 {
		changes = j.Changes(turn)
	}
	could := j.Preview(ctx, changes)
	for i, c := range changes {
		f := reviewedFile{Path: c.Path, Kind: c.Kind.String(), By: c.By.String(), Turn: c.Turn, Undone: c.Undone, change: c}
		if !c.Undone {
			f.NoUndo = c.NoUndoReason
			if err := could[i].Err; err != nil {
				f.NoUndo = cmp.Or(f.NoUndo, err.Error())
			}
		}
		f.compare(c, j, nameIn(saved.Dir, c.Path))
		r.Files = append(r.Files, f)
	}
	return r
}

// compare adds the patch of a change.
func (f *reviewedFile) compare(c undo.Change, j *undo.Journal, name string) {
	before, after, ok := j.Texts(c)
	if f.noText = !ok && c.Kind != undo.Mode; f.noText {
		return
	}
	hunks := ""
	if c.Kind != undo.Mode {
		d := linediff.Compare(linediff.Texts{Old: before, New: after})
		hunks, f.Added, f.Removed = d.Unified(), d.Added, d.Removed
		if f.tooLarge = hunks == "" && before != after; f.tooLarge {
			return
		}
	}
	was, is := c.GitModes()
	if was != is && (was == "120000" || is == "120000") && c.Kind == undo.Changed { // git has two changes for that
		gone := linediff.Compare(linediff.Texts{Old: before}).Unified()
		made := linediff.Compare(linediff.Texts{New: after}).Unified()
		f.Diff = filePatch(name, undo.Deleted, was, "", gone) + filePatch(name, undo.Created, "", is, made)
		return
	}
	f.Diff = filePatch(name, c.Kind, was, is, hunks)
}

// line describes the file in one line, which is safe to show. No name can end it.
func (f reviewedFile) line(dir string) string {
	line := fmt.Sprintf("%s, turn %d", describe.Changed(f.change, safetext.Line(nameIn(dir, f.Path), 1000)), f.Turn)
	switch {
	case f.noText:
		line += ", its content is no text or was not kept"
	case f.tooLarge:
		line += ", too large to compare"
	case f.Kind != undo.Mode.String():
		line += fmt.Sprintf(", +%d -%d", f.Added, f.Removed)
	}
	switch {
	case f.Undone:
		line += ", undone"
	case f.NoUndo != "":
		line += ", cannot be undone: " + safetext.Line(f.NoUndo, 300)
	}
	return line
}

// nameIn returns the name of a file in a directory; outside of it, its path.
func nameIn(dir, path string) string {
	if rel, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return filepath.ToSlash(path)
}

// filePatch returns the patch of one file, as git writes and reads it.
func filePatch(name string, kind undo.Kind, was, is, hunks string) string {
	var b strings.Builder
	before, after := gitName("a/", name), gitName("b/", name)
	fmt.Fprintf(&b, "diff --git %s %s\n", before, after)
	switch {
	case kind == undo.Created:
		fmt.Fprintf(&b, "new file mode %s\n", cmp.Or(is, "100644"))
		before = "/dev/null"
	case kind == undo.Deleted:
		fmt.Fprintf(&b, "deleted file mode %s\n", cmp.Or(was, "100644"))
		after = "/dev/null"
	case was != is && was != "" && is != "":
		fmt.Fprintf(&b, "old mode %s\nnew mode %s\n", was, is)
	case hunks == "": // bits that git does not know
		return ""
	}
	if hunks != "" {
		fmt.Fprintf(&b, "--- %s\n+++ %s\n%s", withTab(before), withTab(after), hunks)
	}
	return b.String()
}

// withTab ends a name with a space with a tab, so that patch knows where it ends.
func withTab(name string) string {
	if strings.Contains(name, " ") && !strings.HasPrefix(name, `"`) {
		name += "\t"
	}
	return name
}

// gitName is a file's name in a patch, in quotes if git would use some.
func gitName(side, name string) string {
	name = side + strings.TrimPrefix(name, "/")
	if !strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f || r == '"' || r == '\\' }) {
		return name
	}
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(name) {
		switch c := name[i]; {
		case c < ' ' || c == 0x7f:
			fmt.Fprintf(&b, `\%03o`, c)
		case c == '"' || c == '\\':
			b.WriteString(`\` + string(c))
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}
