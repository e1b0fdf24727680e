// Package widget holds the parts of the screen that know nothing of ACP: the text editor, lists, dialogs, diffs, the
// output of commands, and the text tools they share.
//
// Every row that a widget hands out is one terminal row: no newline, at most the asked width in cells, styles set only
// where they change and reset at the end, not padded unless said. Widths are those of grapheme clusters. Control
// characters of the input never reach a row; of escape sequences only the styles (SGR) of text that says it may be styled
// survive, less blinking and concealing.
//
// Widgets are plain values for the screen's goroutine: nothing here locks, starts goroutines or blocks.
package widget
