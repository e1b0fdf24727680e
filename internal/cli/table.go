package cli

import (
	"io"
	"strings"

	"parley/internal/text"
)

// printTable prints a row a line, the cells of each in columns.
func printTable(w io.Writer, rows [][]string) error {
	_, err := io.WriteString(w, strings.Join(append(text.Columns(rows), ""), "\n"))
	return err
}
