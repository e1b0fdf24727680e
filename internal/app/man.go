package app

import (
	"cmp"
	"io"
	"strings"
	"time"

	mango "github.com/muesli/mango-cobra"
	"github.com/muesli/roff"
	"github.com/spf13/cobra"

	"parley/internal/cli"
	"parley/internal/version"
)

// newMan is `parley man`, which prints the page that packages install.
func newMan(s cli.Streams) *cobra.Command {
	return &cobra.Command{
		Use:   "man",
		Short: "Print the manual page",
		Long:  "Print the manual page of parley, in the format of man.",
		Example: `  parley man | man -l -
  parley man > ~/.local/share/man/man1/parley.1`,
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			page, err := mango.NewManPage(1, cmd.Root())
			if err != nil {
				return err
			}
			_, err = io.WriteString(s.Out, page.Build(&manual{roff.NewDocument()}))
			return err
		},
	}
}

// manual is a page whose date is that of the program, so that two builds give the same page.
type manual struct{ *roff.Document }

// TextBold implements mango.Builder. mango writes "--c --continue" for a flag with a letter.
func (m *manual) TextBold(text string) {
	if letter, name, both := strings.Cut(strings.TrimPrefix(text, "--"), " --"); both && len(letter) == 1 {
		text = "-" + letter + " --" + name
	}
	m.Document.TextBold(text)
}

// Heading implements mango.Builder.
func (m *manual) Heading(section uint, title, description string, _ time.Time) {
	m.Document.Heading(section, title, description, cmp.Or(version.Date(), time.Unix(0, 0).UTC()))
}
