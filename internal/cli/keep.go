package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"parley/internal/headless"
	"parley/internal/keeper"
	"parley/internal/safetext"
	"parley/internal/text"
	"parley/internal/words"
)

// Keep starts `parley ARG…` so that it outlives this terminal, and attaches to it.
func Keep(ctx context.Context, s Streams, o keeper.Options) error {
	if !keeper.Supported {
		return Usagef("--keep: %v", keeper.ErrUnsupported)
	}
	if _, _, err := terminalOf(s, "--keep"); err != nil {
		return err
	}
	name, err := keeper.Start(o)
	if err != nil {
		return err
	}
	return attach(ctx, s, name)
}

// canKeep is the check before a command about kept sessions runs.
func canKeep(cmd *cobra.Command, _ []string) error {
	if !keeper.Supported {
		return Usagef("%s: %v", cmd.Name(), keeper.ErrUnsupported)
	}
	return nil
}

// HasTerminal reports whether there is a terminal to attach.
func HasTerminal(s Streams) bool {
	_, _, err := terminalOf(s, "")
	return err == nil
}

func terminalOf(s Streams, what string) (in, out *os.File, err error) {
	in, _ = s.In.(*os.File)
	out, _ = s.Out.(*os.File)
	if in == nil || out == nil || !term.IsTerminal(in.Fd()) || !term.IsTerminal(out.Fd()) {
		return nil, nil, Usagef("%s needs a terminal", what)
	}
	return in, out, nil
}

// attach connects the terminal to what is kept by a name, and says why it has left.
func attach(ctx context.Context, s Streams, name string) error {
	in, out, err := terminalOf(s, "attach")
	if err != nil {
		return err
	}
	keeper.Withhold()
	how, name, code, err := keeper.Attach(ctx, name, in, out)
	if err != nil {
		if how == keeper.EndedThere {
			ended := keeper.Session{Name: name, Why: err.Error()}
			if kept, err := keeper.Find(name); err == nil && !kept.Live {
				ended = kept
			}
			s.PrintError((&keeper.EndedError{Session: ended}).Error())
			return ExitCode(code)
		}
		return err
	}
	switch how {
	case keeper.Detached:
		fmt.Fprintf(s.Out, "Detached: parley attach %s\n", name)
		if advice := logoutAdvice(systemFiles, os.Getuid()); advice != "" && !shownBefore(advice) {
			fmt.Fprintln(s.Out, advice)
		}
	case keeper.Taken:
		fmt.Fprintf(s.Out, "Attached from another terminal: parley attach %s\n", name)
	case keeper.Hangup:
		return ExitCode(headless.ExitInterrupted)
	case keeper.Lost:
		switch kept, err := keeper.Find(name); {
		case err != nil:
			return fmt.Errorf("%s has ended", name)
		case kept.Live:
			return fmt.Errorf("the connection to %s is lost; parley attach %[1]s", name)
		default:
			return &keeper.EndedError{Session: kept}
		}
	case keeper.EndedThere:
		if code != 0 {
			return ExitCode(code)
		}
	}
	return nil
}

// NewAttach is `parley attach`.
func NewAttach(s Streams) *cobra.Command {
	return &cobra.Command{
		Use:   "attach [NAME]",
		Short: "Return to a session that was started with --keep",
		Long: `Attach this terminal to a session that was started with --keep. Without a name, it is the one of this directory, or else the only one. A terminal that is attached to it leaves.

Exit codes: that of the session if it ends, 0 detached, 1 cannot attach or connection lost, 2 usage, 130 interrupted.`,
		Args:    cobra.MaximumNArgs(1),
		PreRunE: canKeep,
		RunE: func(cmd *cobra.Command, args []string) error {
			if _, _, err := terminalOf(s, "attach"); err != nil {
				return err
			}
			name, err := keptName(args)
			if err != nil {
				return err
			}
			return attach(cmd.Context(), s, name)
		},
	}
}

// NewStop is `parley stop`.
func NewStop(s Streams) *cobra.Command {
	return &cobra.Command{
		Use:     "stop NAME",
		Short:   "End a session that was started with --keep",
		Long:    "End a session that was started with --keep, with its agent and everything that it runs, or forget one that has ended. `parley ps` lists them.",
		Args:    oneArg("one name; `parley ps` lists them"),
		PreRunE: canKeep,
		RunE: func(cmd *cobra.Command, args []string) error {
			kept, err := keeper.Find(args[0])
			if err != nil {
				return UsageError{err.Error()}
			}
			if kept.Live {
				err = keeper.Stop(cmd.Context(), kept.Name)
			}
			if err != nil {
				return err
			}
			if left, err := keeper.Find(kept.Name); err == nil && !left.Live {
				return keeper.Forget(kept.Name)
			}
			return nil
		},
	}
}

// keptName returns the name that somebody has typed, or the one that is meant without one.
func keptName(args []string) (string, error) {
	if len(args) > 0 {
		if _, err := keeper.Find(args[0]); err != nil {
			return "", UsageError{err.Error()}
		}
		return args[0], nil
	}
	all, err := keeper.List()
	if err != nil {
		return "", err
	}
	all = slices.DeleteFunc(all, func(k keeper.Session) bool { return !k.Live })
	if len(all) == 0 {
		return "", Usagef("no session is kept; `parley --keep` starts one")
	}
	if len(all) == 1 {
		return all[0].Name, nil
	}
	cwd, _ := os.Getwd()
	var names, here []string
	for _, k := range all {
		names = append(names, k.Name)
		if k.Dir == cwd || k.From == cwd {
			here = append(here, k.Name)
		}
	}
	if len(here) == 1 {
		return here[0], nil
	}
	if len(here) > 1 {
		names = here
	}
	return "", Usagef("%d sessions are kept: parley attach %s", len(names), strings.Join(names, " | "))
}

// watchEvery is how often `parley ps --watch` looks.
const watchEvery = time.Second

// NewPs is `parley ps`.
func NewPs(s Streams) *cobra.Command {
	var asJSON, watch bool
	cmd := &cobra.Command{
		Use:   "ps",
		Short: "List the sessions that were started with --keep",
		Long: `List the sessions that were started with --keep: those that wait for an answer first. Those that have ended while nobody was there are listed with the command that resumes them, for 30 days or until ` + "`parley stop NAME`" + `.

With --watch it prints the list again whenever it changes; with --json, then, a line for each change.`,
		Args:    NoArgs,
		PreRunE: canKeep,
		RunE: func(cmd *cobra.Command, _ []string) error {
			list := func() ([]byte, error) {
				all, err := keeper.List()
				if err != nil {
					return nil, err
				}
				var b bytes.Buffer
				if asJSON && watch {
					line, err := json.Marshal(append([]keeper.Session{}, all...))
					return append(line, '\n'), err
				}
				if asJSON {
					err = headless.WriteJSON(&b, append([]keeper.Session{}, all...))
				} else {
					err = writeKept(&b, all, time.Now())
				}
				return b.Bytes(), err
			}
			if !watch {
				b, err := list()
				if err == nil {
					_, err = s.Out.Write(b)
				}
				return err
			}
			return watchKept(cmd.Context(), s.Out, !asJSON, list)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().BoolVar(&watch, "watch", false, "print it again when it changes, until ctrl+c")
	return cmd
}

func watchKept(ctx context.Context, w io.Writer, clear bool, list func() ([]byte, error)) error {
	out, _ := w.(*os.File)
	clear = clear && out != nil && term.IsTerminal(out.Fd())
	var last []byte
	for {
		b, err := list()
		if err != nil {
			return err
		}
		if clear {
			cols, rows, _ := term.GetSize(out.Fd())
			b = append([]byte("\x1b[H\x1b[2J"), fitted(b, cols, rows)...)
		}
		if !bytes.Equal(b, last) {
			last = b
			if _, err := w.Write(b); err != nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(watchEvery):
		}
	}
}

// fitted returns the lines of a list that fit into a terminal, so that its head stays visible: what waits for an answer.
func fitted(list []byte, cols, rows int) []byte {
	if cols <= 0 || rows <= 0 {
		return list
	}
	lines := strings.Split(strings.TrimSuffix(string(list), "\n"), "\n")
	if most := max(rows-2, 1); len(lines) > rows-1 { // the cursor needs a line, and so does what is said here
		lines = append(lines[:most], fmt.Sprintf("… %d more", len(lines)-most))
	}
	for i, line := range lines {
		lines[i] = text.Truncate(line, cols, "…")
	}
	return []byte(strings.Join(lines, "\n") + "\n")
}

// writeKept writes the list for a person.
func writeKept(w io.Writer, all []keeper.Session, now time.Time) error {
	if len(all) == 0 {
		_, err := fmt.Fprintln(w, "No session is kept. `parley --keep` starts one.")
		return err
	}
	home, _ := os.UserHomeDir()
	line := func(text string) string { return safetext.Line(text, 200) }
	rows := [][]string{{"NAME", "AGENT", "STATE", "SINCE", "TERMINAL", "DIRECTORY", "ABOUT"}}
	for _, k := range all {
		state, since, terminal, about := string(k.State), k.Since, "-", k.Title
		switch {
		case !k.Live:
			state, since, about = "ended", k.Ended, cmp.Or(k.ResumeCommand(), k.Why)
		case k.State == keeper.Ended:
			state = "agent ended"
		case k.State == keeper.Waiting:
			about = "? " + k.Waits
		}
		if since.After(now) { // a clock has jumped
			since = now
		}
		if k.Attached {
			terminal = "attached"
		}
		rows = append(rows, []string{k.Name, cmp.Or(line(k.Agent), "-"), line(state), words.Ago(since, now), terminal,
			line(words.ShortenHome(k.Dir, home)), line(about)})
	}
	return printTable(w, rows)
}
