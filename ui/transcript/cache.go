package transcript

import (
	"strings"

	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/internal/describe"
	"parley/internal/emulator"
	"parley/internal/linediff"
	"parley/internal/patch"
	"parley/ui/widget/diff"
)

// Bounds of the cache, in entries.
const (
	maxDiffs    = 200
	maxCommands = 100
	maxScreens  = 100 // more than fit a screen
	maxColoured = 400
	maxPatches  = 50
	maxTallies  = 1000 // sub-agents
	// maxPatchLines bounds the lines of those patches.
	maxPatchLines = 200_000
)

// maxCompared bounds the lines of two texts that are compared while drawing.
const maxCompared = 30_000

// longInput is the size of a call's input, in bytes, from which the command in it is
// cached.
const longInput = 1024

// memo remembers a value for each key. When it is full it is emptied.
type memo[K comparable, V any] map[K]V

func (m *memo[K, V]) get(key K, most int, make func() V) V {
	if v, ok := (*m)[key]; ok {
		return v
	}
	v := make()
	m.put(key, most, v)
	return v
}

func (m *memo[K, V]) put(key K, most int, v V) {
	if *m == nil || len(*m) >= most {
		*m = memo[K, V]{}
	}
	(*m)[key] = v
}

// cache holds what is expensive to derive from items. Dropping an entry only makes the
// next drawing slower.
type cache struct {
	diffs      memo[*event.Diff, *linediff.Diff]
	patches    memo[*event.Changes, *patched]
	patchLines int
	commands   memo[*thread.Tool, command]
	screens    memo[screenKey, *screen]
	colours    memo[*linediff.Diff, *coloured]
	tallies    memo[*thread.Thread, tally]
}

// diff compares the texts of a diff once; nil if they are too large to be compared
// while drawing.
func (c *cache) diff(d *event.Diff) *linediff.Diff {
	if d.TooLarge() {
		return nil
	}
	known := c.diffs[d]
	if known == nil && d.Old != "" && d.New != "" && strings.Count(d.Old, "\n")+strings.Count(d.New, "\n") > maxCompared {
		return nil
	}
	return c.diffs.get(d, maxDiffs, func() *linediff.Diff { return linediff.Compare(d.Texts()) })
}

// patched parses a patch once and finds the file of each part.
func (c *cache) patched(changes *event.Changes, cwd string) *patched {
	if c.patchLines > maxPatchLines {
		c.patches = nil
	}
	return c.patches.get(changes, maxPatches, func() *patched {
		if len(c.patches) == 0 || len(c.patches) >= maxPatches {
			c.patchLines = 0
		}
		p := &patched{}
		matched, unread := patch.Match(changes.Files, changes.PatchFormat, changes.Patch, cwd)
		p.text = unread
		for _, change := range matched {
			p.add(change)
		}
		c.patchLines += p.lines
		return p
	})
}

// command is the command line found in a raw input.
type command struct{ input, line string }

// command returns the Command of a call; a long input is parsed once.
func (c *cache) command(t *thread.Tool) string {
	if len(t.RawInput) < longInput {
		return describe.Command(t.RawInput)
	}
	if known, ok := c.commands[t]; ok && known.input == t.RawInput {
		return known.line
	}
	found := command{input: t.RawInput}
	if len(t.RawInput) > maxRead {
		found.line, _, _ = beginning(t.RawInput, []string{"command", "cmd"})
	} else {
		found.line = describe.Command(t.RawInput)
	}
	c.commands.put(t, maxCommands, found)
	return found.line
}

// screen is an emulated terminal and how much of a command's output it has played.
type screen struct {
	*emulator.Terminal
	fed int64
}

type screenKey struct {
	terminal *thread.Terminal
	columns  int
}

// screen returns the output of a command played on a terminal of so many columns.
// One that was dropped plays again what the thread retains.
func (c *cache) screen(term *thread.Terminal, columns int) *emulator.Terminal {
	s := c.screens.get(screenKey{term, columns}, maxScreens, func() *screen { return &screen{Terminal: emulator.New(columns)} })
	if fresh := term.Total - s.fed; fresh > 0 {
		from := max(0, len(term.Output)-int(min(fresh, int64(len(term.Output)))))
		s.Write(term.Output[from:])
		s.fed = term.Total
	}
	return s.Terminal
}

// coloured is the part of a diff's highlighting that is known.
type coloured struct {
	syntax    *diff.Syntax
	requested int // lines that Uncoloured has returned
}

// coloured returns the highlighting of a diff, for the caller to extend.
func (c *cache) coloured(d *linediff.Diff) *coloured {
	return c.colours.get(d, maxColoured, func() *coloured { return &coloured{} })
}
