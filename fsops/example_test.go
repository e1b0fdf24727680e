package fsops_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"parley/fsops"
)

// Files below a session's directories can be read and written. Others are refused unless the user has
// allowed exactly that path.
func Example() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	project, other := filepath.Join(dir, "project"), filepath.Join(dir, "other")
	_, _ = os.Mkdir(project, 0o700), os.Mkdir(other, 0o700)

	s := fsops.New(fsops.Options{})
	defer s.Close()
	if err := s.OpenSession("s1", []string{project}); err != nil {
		fmt.Println(err)
		return
	}
	if _, err := s.Write("s1", filepath.Join(project, "notes.txt"), "milk\nbread\n", false); err != nil {
		fmt.Println(err)
		return
	}
	line, limit := 2, 1
	text, err := s.Read("s1", filepath.Join(project, "notes.txt"), fsops.Window{Line: &line, Limit: &limit}, false)
	fmt.Printf("%q %v\n", text, err)

	_, err = s.Write("s1", filepath.Join(other, "notes.txt"), "milk\n", false)
	fmt.Println(errors.Is(err, fsops.ErrOutsideRoot))
	// Output:
	// "bread\n" <nil>
	// true
}
