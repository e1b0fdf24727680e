package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"parley/internal/access"
	"parley/internal/headless"
	"parley/internal/hello"
	"parley/internal/record"
	"parley/internal/words"
)

// clientTokens returns the tokens for `parley serve --sessions`.
func clientTokens() (*access.Store, error) {
	dir, err := record.StateDir()
	if err != nil {
		return nil, err
	}
	if !filepath.IsAbs(dir) {
		return nil, fmt.Errorf("the state directory %s is not absolute: set HOME or PARLEY_STATE", dir)
	}
	return access.Open(filepath.Join(dir, "clients.json")), nil
}

// NewTokens is `parley tokens`.
func NewTokens(s Streams) *cobra.Command {
	list := newTokensList(s)
	cmd := &cobra.Command{
		Use:   "tokens",
		Short: "List, add and revoke tokens of clients that join live sessions",
		Long: `List, add and revoke the tokens by which clients on other machines and in browsers join live sessions, with ` + "`parley serve --sessions`" + `. Each has a name, by which the screen calls its client, and a role:

  watch    list sessions and follow them
  talk     also prompt, cancel, open sessions and change their settings
  approve  also answer questions: reject, and allow if the configuration has approve_from_clients = true

parley keeps no token, only what is needed to recognise one.`,
		Args: NoArgs, RunE: list.RunE,
	}
	cmd.Flags().AddFlagSet(list.Flags())
	cmd.AddCommand(list, newTokensAdd(s), newTokensRemove())
	return cmd
}

func newTokensList(s Streams) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{Use: "list", Short: "List the tokens", Args: NoArgs, RunE: func(*cobra.Command, []string) error {
		store, err := clientTokens()
		if err != nil {
			return err
		}
		all, err := store.All()
		if err != nil {
			return err
		}
		if asJSON {
			type token struct {
				Name    string     `json:"name"`
				Role    hello.Role `json:"role"`
				Once    bool       `json:"once"`
				Created time.Time  `json:"created"`
				Used    time.Time  `json:"used,omitzero"`
			}
			out := []token{}
			for _, t := range all {
				out = append(out, token{t.Name, t.Role, t.Once, t.Created, t.Used})
			}
			return headless.WriteJSON(s.Out, out)
		}
		if len(all) == 0 {
			_, err = fmt.Fprintln(s.Out, "no tokens; parley tokens add NAME --role watch|talk|approve")
			return err
		}
		var rows [][]string
		now := time.Now()
		for _, t := range all {
			used := "never used"
			if !t.Used.IsZero() {
				used = "used " + words.Ago(t.Used, now)
			}
			if t.Once {
				used += " (one-time)"
			}
			rows = append(rows, []string{t.Name, string(t.Role), "added " + words.Ago(t.Created, now), used})
		}
		return printTable(s.Out, rows)
	}}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func newTokensAdd(s Streams) *cobra.Command {
	var role string
	var once bool
	cmd := &cobra.Command{Use: "add NAME --role ROLE", Short: "Make a token and print it, once", Args: oneArg("one name; see --help"), RunE: func(_ *cobra.Command, args []string) error {
		if role == "" {
			return Usagef("say what the client may do: --role watch, talk or approve")
		}
		r, err := hello.ParseRole(role)
		if err != nil {
			return Usagef("--role: %v", err)
		}
		store, err := clientTokens()
		if err != nil {
			return err
		}
		text, err := store.Add(args[0], r, once)
		if errors.Is(err, access.ErrExists) || errors.Is(err, access.ErrName) {
			return UsageError{err.Error()}
		}
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(s.Out, text)
		return err
	}}
	cmd.Flags().StringVar(&role, "role", "", "what the client may do: watch, talk or approve")
	cmd.Flags().BoolVar(&once, "once", false, "valid for one connection, which must begin within a day")
	return cmd
}

func newTokensRemove() *cobra.Command {
	return &cobra.Command{Use: "remove NAME", Short: "Revoke a token; its connections end", Args: oneArg("one name; see --help"), RunE: func(_ *cobra.Command, args []string) error {
		store, err := clientTokens()
		if err != nil {
			return err
		}
		err = store.Remove(args[0])
		if errors.Is(err, access.ErrUnknown) {
			return UsageError{err.Error()}
		}
		return err
	}}
}
