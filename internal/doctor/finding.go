// Package doctor looks for what keeps parley from working: in the terminal, its own files, and the programs that
// it starts. It changes nothing. What it found is a list of findings, which it prints as a table.
package doctor

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"parley/internal/safetext"
	"parley/internal/text"
)

// State says how a check ended.
type State string

// The states. A check of this machine is ok, one of an agent passes or is skipped.
const (
	OK   State = "ok"
	Pass State = "pass"
	Warn State = "warn"
	Fail State = "fail"
	Skip State = "skip"
)

// Finding is the outcome of one check.
type Finding struct {
	Check   string `json:"check"`
	State   State  `json:"state"`
	Text    string `json:"text"`              // one line, as a person reads it
	Fix     string `json:"fix,omitempty"`     // what to type or to change
	Message string `json:"message,omitempty"` // the message of an agent that shows it
	Section string `json:"section,omitempty"` // of the protocol, for a check of an agent
}

// Failed reports whether any check has failed.
func Failed(all []Finding) bool { return Count(all, Fail) > 0 }

// Count returns how many findings there are of a state.
func Count(all []Finding, state State) int {
	return len(slices.DeleteFunc(slices.Clone(all), func(f Finding) bool { return f.State != state }))
}

// Style is how findings are printed.
type Style struct {
	Width  int  // cells of a row
	Colour bool // for the state
	Live   bool // a row can be replaced
	Check  int  // cells of the names of checks
}

// Waiting says which check runs, in a row that the finding replaces.
func (s Style) Waiting(w io.Writer, check string) {
	if s.Live {
		fmt.Fprint(w, strings.Repeat(" ", stateCells)+text.Truncate(check+" …", max(s.Width-stateCells-1, 0), ""))
	}
}

// Clear erases what Waiting has said.
func (s Style) Clear(w io.Writer) {
	if s.Live {
		fmt.Fprint(w, "\r"+ansi.EraseLineRight)
	}
}

// colours are those of the terminal's own palette.
var colours = map[State]string{OK: "32", Pass: "32", Warn: "33", Fail: "31", Skip: "2"}

const (
	stateCells   = len("warn  ")
	textCells    = 36  // narrower texts are below the names of their checks
	shownMessage = 400 // bytes that are shown of a message
)

// Print prints a finding: its state, the check, the text, and below it what to do.
func (s Style) Print(w io.Writer, f Finding) {
	state := fmt.Sprintf("%-4s", f.State)
	if s.Colour {
		state = "\x1b[" + colours[f.State] + "m" + state + "\x1b[m"
	}
	s.Clear(w)
	indent := stateCells + s.Check + 2
	first := state + "  " + text.Pad(safetext.Line(f.Check, 100), s.Check+2)
	words := safetext.Line(f.Text, 2000)
	if f.Section != "" && (f.State == Warn || f.State == Fail) {
		words += " (" + f.Section + ")"
	}
	if s.Width-indent < textCells {
		indent = stateCells
		fmt.Fprintln(w, strings.TrimRight(first, " "))
		first = strings.Repeat(" ", indent)
	}
	margin := strings.Repeat(" ", indent)
	rows := func(first, rest string, all []string) {
		for _, row := range all {
			fmt.Fprintln(w, strings.TrimRight(first+row, " "))
			first = rest
		}
	}
	rows(first, margin, text.Wrap(words, s.Width-indent))
	if f.Fix != "" {
		rows(margin+"→ ", margin+"  ", text.Wrap(safetext.Line(f.Fix, 2000), s.Width-indent-2))
	}
	if f.Message != "" {
		message, _ := text.HardWrap(safetext.Line(f.Message, shownMessage), s.Width-indent-2, 100)
		rows(margin+"  ", margin+"  ", message)
	}
}
