//go:build unix

package terminal_test

import (
	"context"
	"fmt"
	"os"

	"parley/terminal"
)

// A command runs in its own process group. Its output can be read while it runs and after it has ended,
// until the terminal is released.
func Example() {
	s := terminal.New(terminal.Options{Shell: "/bin/sh"})
	defer s.Close()
	id, err := s.Create("s1", terminal.Command{Command: "echo one; echo two >&2; exit 3", Dir: os.TempDir()})
	if err != nil {
		fmt.Println(err)
		return
	}
	status, err := s.WaitForExit(context.Background(), "s1", id)
	if err != nil {
		fmt.Println(err)
		return
	}
	out, err := s.Output("s1", id)
	fmt.Printf("exit code %d, %q, %v\n", *status.Code, out.Text, err)

	_, err = s.Output("s2", id) // another session
	fmt.Println(err)
	// Output:
	// exit code 3, "one\ntwo\n", <nil>
	// terminal: unknown terminal
}
