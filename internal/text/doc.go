// Package text measures, wraps, cuts and overlays rows of a terminal.
//
// Every row that a widget hands out is one terminal row: no newline, at most the asked
// width in cells, styles set only where they change and reset at the end, not padded
// unless said. Widths are those of grapheme clusters. Control characters of the input
// never reach a row; of escape sequences only the styles (SGR) of text that says it may
// be styled survive, less blinking and concealing, and the links (OSC 8) of text that says
// it may have some.
//
// All of it is for the screen's goroutine: nothing here locks, starts goroutines or
// blocks. That holds for the packages below ui/widget too.
package text
