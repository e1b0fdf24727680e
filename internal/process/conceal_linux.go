package process

import (
	"bytes"
	"errors"
	"os"
	"strconv"
)

// envStart is the index of env_start among the fields after the name in /proc/<pid>/stat.
const envStart = 47

// conceal overwrites variables with zeros in the memory that /proc/<pid>/environ shows. The kernel
// set it up when this process started; Go works on a copy, so nothing here reads it again.
func conceal(secret func(name string) bool) error {
	block, err := environOf(os.Getpid())
	if err != nil {
		return err
	}
	stat, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		return err
	}
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) <= envStart {
		return errors.New("/proc/self/stat does not say where the environment is")
	}
	start, err := strconv.ParseInt(string(fields[envStart]), 10, 64)
	if err != nil || start == 0 {
		return errors.New("/proc/self/stat does not say where the environment is")
	}
	memory, err := os.OpenFile("/proc/self/mem", os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer memory.Close()
	for rest := block; len(rest) > 0; {
		at := start + int64(len(block)-len(rest))
		var variable []byte
		variable, rest, _ = bytes.Cut(rest, []byte{0})
		if name, _, ok := bytes.Cut(variable, []byte("=")); ok && secret(string(name)) {
			if _, err := memory.WriteAt(make([]byte, len(variable)), at); err != nil {
				return err
			}
		}
	}
	return nil
}
