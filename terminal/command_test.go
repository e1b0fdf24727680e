package terminal

import "testing"

func TestLine(t *testing.T) {
	for _, tc := range []struct {
		c    Command
		want string
	}{
		{Command{Command: "npm", Args: []string{"test", "--grep=a"}}, "npm test --grep=a"},
		{Command{Command: "npm test && echo x"}, "npm test && echo x"},
		{Command{Command: "my tool", Args: []string{"a b", "", "it's", "$HOME"}}, `'my tool' 'a b' '' 'it'\''s' '$HOME'`},
		{Command{Command: "A=1", Args: []string{"x"}}, "'A=1' x"},
		{Command{Command: "ls", Args: []string{"~", "*", "grün", "日本"}}, "ls '~' '*' grün 日本"},
		{Command{Command: "printf", Args: []string{"a\nb\x1b[2J\\'\u202e\u009b"}}, `printf $'a\nb\x1b[2J\\\'\u202e\u009b'`},
		{Command{Command: "ls", Env: []EnvVar{{"LD_PRELOAD", "/x y"}, {"A", "1"}}}, "LD_PRELOAD='/x y' A=1 ls"},
		{Command{}, "''"},
	} {
		if got := Line(tc.c); got != tc.want {
			t.Errorf("Line(%+v) = %s, want %s", tc.c, got, tc.want)
		}
	}
}

// A command that no shell reads is not shown like one that a shell reads.
func TestWordsLine(t *testing.T) {
	for _, tc := range []struct {
		c    Command
		want string
	}{
		{Command{Command: "npm test && echo x"}, "'npm test && echo x'"},
		{Command{Command: "a\nb"}, `$'a\nb'`},
		{Command{Command: "A=1"}, "'A=1'"},
		{Command{Command: "ls"}, "ls"},
		{Command{Command: "ls", Args: []string{"a b"}, Env: []EnvVar{{"A", ""}}}, "A='' ls 'a b'"},
		{Command{}, "''"},
	} {
		if got := WordsLine(tc.c); got != tc.want {
			t.Errorf("WordsLine(%+v) = %s, want %s", tc.c, got, tc.want)
		}
	}
}
