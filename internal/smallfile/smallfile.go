// Package smallfile reads whole files whose size is bounded.
package smallfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

var errIrregular = errors.New("not a regular file")

// Read returns the content of a regular file of at most so many bytes.
func Read(path string, most int) ([]byte, error) {
	info, err := os.Stat(path) // before it is opened: opening a pipe would wait for a writer
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errIrregular
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, int64(most)+1))
	if err == nil && len(data) > most {
		return nil, fmt.Errorf("larger than %d bytes", most)
	}
	return data, err
}

// Cause returns why a file cannot be used, without its name and that of the system call.
func Cause(err error) error {
	if call, ok := errors.AsType[syscall.Errno](err); ok {
		return call
	}
	if of, ok := errors.AsType[*fs.PathError](err); ok {
		return of.Err
	}
	return err
}
