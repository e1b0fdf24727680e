package config

import (
	"bufio"
	"bytes"
	"fmt"
	"strings"

	"parley/internal/smallfile"
)

// EnvFile reads a file of variables: lines of NAME=VALUE, also with "export" before and quotes around the value. Empty
// lines and those that begin with # are skipped; nothing is expanded. Errors say the line, never what is in it.
func EnvFile(path string) (map[string]string, error) {
	data, err := smallfile.Read(path, maxSize)
	if err != nil {
		return nil, fmt.Errorf("env_file %s: %w", oneLine(path), smallfile.Cause(err))
	}
	env := map[string]string{}
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, maxSize+1)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		name, value, ok := strings.Cut(strings.TrimPrefix(line, "export "), "=")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		if !ok || name == "" || strings.ContainsAny(name, " \t\x00") || strings.Contains(value, "\x00") {
			return nil, fmt.Errorf("env_file %s:%d: want NAME=VALUE", oneLine(path), n)
		}
		if last := len(value) - 1; last > 0 && value[0] == value[last] && (value[0] == '"' || value[0] == '\'') {
			value = value[1:last]
		}
		env[name] = value
	}
	return env, lines.Err()
}
