package cli

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"parley/internal/headless"
	"parley/internal/safetext"
	"parley/internal/words"
)

// comparison is the object of `parley compare -o json`, which docs/run.md describes.
type comparison struct {
	Uncommitted int        `json:"uncommitted"`
	Results     []compared `json:"results"`
	Code        int        `json:"code"`
}

// compared is what one agent has done.
type compared struct {
	Name          string   `json:"name"` // the agent with its options
	Worktree      string   `json:"worktree"`
	Branch        string   `json:"branch"`
	Path          string   `json:"path"`
	Files         int      `json:"files"`
	Added         int      `json:"added"`
	Removed       int      `json:"removed"`
	Diff          string   `json:"diff"`
	DiffTruncated bool     `json:"diffTruncated,omitempty"`
	DiffError     string   `json:"diffError,omitempty"`
	Check         *checked `json:"check,omitempty"`
	headless.Result
}

// checked is the outcome of --check in one worktree.
type checked struct {
	Command   string  `json:"command"`
	Code      *int    `json:"code"` // nil if it was ended or did not start
	Signal    string  `json:"signal,omitempty"`
	Error     string  `json:"error,omitempty"`
	Output    string  `json:"output"`
	Truncated bool    `json:"truncated,omitempty"` // Output has the end only
	Seconds   float64 `json:"seconds"`
}

func (c *checked) passed() bool { return c == nil || c.Code != nil && *c.Code == 0 }

// outcome describes in a few words how a check ended, "" if there was none.
func (c *checked) outcome() string {
	switch {
	case c == nil:
		return ""
	case c.passed():
		return "passed"
	case c.Code != nil:
		return fmt.Sprintf("exit %d", *c.Code)
	}
	return cmp.Or(c.Error, c.Signal)
}

// outcome describes in a few words how the turn ended.
func (c *compared) outcome() string {
	switch c.Result.Code {
	case headless.ExitDone:
		return "done"
	case headless.ExitDenied:
		return "denied"
	case headless.ExitTimeout:
		return "timed out"
	case headless.ExitInterrupted:
		return "interrupted"
	}
	if c.Error == "" && c.StopReason != "" {
		return safetext.Line(c.StopReason, 30)
	}
	return "failed"
}

// took is how long the turn took, as a person reads it.
func (c *compared) took() string {
	took := time.Duration(c.Result.Seconds * float64(time.Second))
	if took < time.Minute {
		return fmt.Sprintf("%.1fs", took.Seconds())
	}
	return took.Round(time.Second).String()
}

func seconds(d time.Duration) float64 { return float64(d.Milliseconds()) / 1000 }

// code returns the exit code of the command.
func (c *comparison) code(interrupted bool) int {
	if interrupted {
		return headless.ExitInterrupted
	}
	for _, r := range c.Results {
		if r.Result.Code != headless.ExitDone {
			return r.Result.Code
		}
	}
	if slices.ContainsFunc(c.Results, func(r compared) bool { return !r.Check.passed() }) {
		return headless.ExitAgent
	}
	return headless.ExitDone
}

// print writes the comparison for a reader: a table, answers, and what to type next.
func (c *comparison) print(to io.Writer) error {
	out := bufio.NewWriter(to)
	rows := [][]string{{"WORKTREE", "AGENT", "RESULT", "TIME", "TOKENS", "COST", "FILES", "LINES", "CHECK"}}
	var names []string
	for _, r := range c.Results {
		row := []string{r.Worktree, r.Name, r.outcome(), r.took(), "", "", fmt.Sprint(r.Files), fmt.Sprintf("+%d -%d", r.Added, r.Removed), r.Check.outcome()}
		if r.Used > 0 {
			row[4] = fmt.Sprint(r.Used)
		}
		if r.Cost != nil {
			row[5] = fmt.Sprintf("%.2f %s", *r.Cost, safetext.Line(r.Currency, 10))
		}
		if r.DiffError != "" {
			row[6], row[7] = "?", "?"
		}
		rows, names = append(rows, row), append(names, r.Worktree)
	}
	printTable(out, withoutEmpty(rows))
	for _, r := range c.Results {
		excerpt(out, r.Worktree+" answered:", r.Answer, false)
		if !r.Check.passed() {
			excerpt(out, "The check in "+r.Worktree+" printed:", r.Check.Output, true)
		}
	}
	fmt.Fprintf(out, "\nEach is kept in its worktree.\nShow:   parley worktrees diff NAME\nMerge:  parley worktrees merge NAME\nRemove: parley worktrees remove %s\n", strings.Join(names, " "))
	return out.Flush()
}

// withoutEmpty returns rows, the first of which is the head, without columns that are empty.
func withoutEmpty(rows [][]string) [][]string {
	filled := make([][]string, len(rows))
	for i := range rows[0] {
		if slices.ContainsFunc(rows[1:], func(r []string) bool { return r[i] != "" }) {
			for n, row := range rows {
				filled[n] = append(filled[n], row[i])
			}
		}
	}
	return filled
}

// excerpt writes the first or the last lines of a text under a heading, with single blank lines.
func excerpt(out io.Writer, heading, text string, end bool) {
	const most, widest = 12, 500 // lines, and characters in a line
	if text = strings.Trim(text, "\n"); text == "" {
		return
	}
	blank := func(a, b string) bool { return a == "" && b == "" }
	lines := slices.CompactFunc(strings.Split(text, "\n"), blank)
	fmt.Fprintf(out, "\n%s\n", heading)
	more := len(lines) - most
	if end && more > 0 {
		fmt.Fprintf(out, "  … %s before (-o json has more)\n", words.Count(more, "line"))
		lines = lines[more:]
	}
	for _, line := range lines[:min(most, len(lines))] {
		if runes := []rune(line); len(runes) > widest {
			line = string(runes[:widest]) + "…"
		}
		fmt.Fprintln(out, strings.TrimRight("  "+line, " "))
	}
	if !end && more > 0 {
		fmt.Fprintf(out, "  … %s more (-o json has all)\n", words.Count(more, "line"))
	}
}
