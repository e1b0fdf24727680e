package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"parley/internal/atomicfile"
	"parley/internal/config"
)

// NewConfig is `parley config`. check validates what package config cannot; it returns nil if all
// is well.
func NewConfig(s Streams, check func(*config.Config) error) *cobra.Command {
	cmd := &cobra.Command{Use: "config", Short: "Check or create the configuration file", Args: NoArgs, RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() }}
	cmd.AddCommand(&cobra.Command{Use: "path", Short: "Print the path of the file", Args: NoArgs, RunE: func(*cobra.Command, []string) error {
		path, err := config.Path()
		if err != nil {
			return UsageError{err.Error()}
		}
		_, err = fmt.Fprintln(s.Out, path)
		return err
	}}, &cobra.Command{Use: "check", Short: "Check the file for mistakes", Args: NoArgs, RunE: func(*cobra.Command, []string) error {
		setup, err := Load(RemoteFlags{})
		if err != nil {
			return err
		}
		if err := check(setup.Config); err != nil {
			return UsageError{err.Error()}
		}
		path, err := config.Path()
		if err != nil {
			return UsageError{err.Error()}
		}
		word := "ok"
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			word = "no configuration file, and none is needed; `parley config init` writes one"
		}
		_, err = fmt.Fprintf(s.Out, "%s: %s\n", path, word)
		return err
	}}, &cobra.Command{Use: "init", Short: "Write a commented file that changes nothing", Args: NoArgs, RunE: func(*cobra.Command, []string) error {
		path, err := config.Path()
		if err != nil {
			return UsageError{err.Error()}
		}
		return initConfig(s, path)
	}})
	return cmd
}

// initConfig writes the example configuration with every line commented out.
func initConfig(s Streams, path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("write the configuration: %w", err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return Usagef("%s already exists; `parley config check` checks it", path)
	}
	if err != nil {
		return fmt.Errorf("write the configuration: %w", err)
	}
	_, err = f.WriteString(config.Inert())
	if err := errors.Join(err, f.Close()); err != nil {
		os.Remove(path) // a partial file would make the next try fail
		return fmt.Errorf("write the configuration%s: %w", atomicfile.FreeSpaceAdvice(err), err)
	}
	_, err = fmt.Fprintf(s.Out, "%s: written, with every setting commented out\n", path)
	return err
}
