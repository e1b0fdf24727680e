package transcript

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/internal/carried"
	"parley/ui/theme"
	"parley/ui/uitest"
)

// run is a command that has ended with this output.
func run(command, output string, code int) *thread.Shell {
	th := thread.New("s")
	th.Apply(thread.ShellAsked{Key: 1, Command: command})
	th.Apply(thread.ShellOutput{Key: 1, Data: []byte(output)})
	th.Apply(thread.ShellEnded{Key: 1, Code: &code})
	return th.Shell(1)
}

// What goes with a prompt can be told from it again, whatever the output was.
func TestCarried(t *testing.T) {
	for _, c := range []struct {
		command, output string
		code            int
		want, line      string
	}{
		{"ls", "a\nb\n", 0, "I ran this command myself:\n\n```console 2\n$ ls\na\nb\n```\n\nIt succeeded.\n\n", "output of ls (2 lines)"},
		{"true", "", 0, "I ran this command myself:\n\n```console 0\n$ true\n```\n\nIt succeeded.\n\n", "true (no output)"},
		{"x", "\x1b[31mred\x1b[m   \r\n10%\r100%\n", 2, "I ran this command myself:\n\n```console 2\n$ x\nred\n100%\n```\n\nIt ended with exit code 2.\n\n", "output of x (2 lines)"},
		{"cat README.md", "```\n$ code\n```\n\nIt succeeded.\n\n", 0, "", "output of cat README.md (6 lines)"},
		{"echo '````'", "````\n", 0, "", "output of echo '````' (1 line)"},
	} {
		got := ShellBlock(run(c.command, c.output, c.code))
		if c.want != "" && got != c.want {
			t.Errorf("%s: got %q, want %q", c.command, got, c.want)
		}
		if line := carried.Line(got); line != c.line && c.command != "cat README.md" {
			t.Errorf("%s: got %q, want %q", c.command, line, c.line)
		}
		other := ShellBlock(run("other", "x\n", 0))
		blocks, rest := carried.Split(got + other + "my words\n\n```\nof mine\n```\n")
		if !slices.Equal(blocks, []string{got, other}) || rest != "my words\n\n```\nof mine\n```\n" {
			t.Errorf("%s: split into %q and %q", c.command, blocks, rest)
		}
	}
	for _, text := range []string{"", "hello", "I ran this command myself:\n\n", "I ran this command myself:\n\n" + "no fence", "I ran this command myself:\n\n" + "```console 1\n$ x\nnever closed", "I ran this command myself:\n\n" + "```console 1\nx\n```\n\nIt.\n\n"} {
		if blocks, rest := carried.Split(text); len(blocks) > 0 || rest != text {
			t.Errorf("%q: %q and %q", text, blocks, rest)
		}
	}
}

func TestCarriedIsCut(t *testing.T) {
	var b strings.Builder
	for i := range 5000 {
		fmt.Fprintln(&b, "line", i)
	}
	got := ShellBlock(run("seq", b.String(), 0))
	if len(got) > 20_300 || !strings.Contains(got, "$ seq\n… earlier output omitted …\nline ") || !strings.Contains(got, "line 4999\n") || !strings.Contains(got, "bytes omitted …") {
		t.Errorf("%d bytes: %.200q", len(got), got)
	}
	if line := carried.Line(got); line != "output of seq (5,000 lines)" {
		t.Errorf("got %q", line)
	}
	if blocks, rest := carried.Split(got + "x"); len(blocks) != 1 || rest != "x" {
		t.Errorf("split into %d and %q", len(blocks), rest)
	}
}

func FuzzCarried(f *testing.F) {
	f.Add("ls", "a\nb\n", "words")
	f.Add("``` x", "```\n\nIt succeeded.\n\n", "I ran this command myself:\n\n")
	f.Fuzz(func(t *testing.T, command, output, words string) {
		got := ShellBlock(run(command, output, 1))
		if !carried.Begins([]byte(words)) && !strings.ContainsAny(command, "\n\r") {
			if blocks, rest := carried.Split(got + words); len(blocks) != 1 || rest != words {
				t.Errorf("%q: %q and %q", got, blocks, rest)
			}
		}
		carried.Line(words)
		carried.Split(words)
	})
}

// A command that failed has no green tick, whatever the agent calls it; and what would
// save no more than a few rows is not hidden.
func TestFailedCommandAndFewLines(t *testing.T) {
	for lines, hidden := range map[int]string{13: "", 14: "… 4 lines"} {
		th := thread.New("s")
		in := event.For{Session: "s"}
		of := func(s string) *string { return &s }
		var out strings.Builder
		for i := range lines {
			fmt.Fprintf(&out, "row %d\n", i)
		}
		code := 2
		th.Apply(event.ToolChanged{For: in, ID: "a", Kind: of("other"), Title: of("make"), Status: of("completed"), Content: &[]event.ToolContent{{Terminal: "t"}}})
		th.Apply(event.TerminalStarted{For: in, ID: "t", Command: "make"})
		th.Apply(event.TerminalOutput{For: in, ID: "t", Data: []byte(out.String())})
		th.Apply(event.TerminalExited{For: in, ID: "t", Code: &code})
		v := New(th, uitest.Dir, theme.Plain())
		v.SetSize(80, 40)
		got := ansi.Strip(strings.Join(v.Rows(), "\n"))
		if !strings.Contains(got, "✗ Tool") || strings.Contains(got, "✓") || !strings.Contains(got, "exit 2") {
			t.Errorf("%d lines:\n%s", lines, got)
		}
		if hidden == "" && strings.Contains(got, "…") || !strings.Contains(got, hidden) || strings.Count(got, "row ") != map[int]int{13: 13, 14: 10}[lines] {
			t.Errorf("%d lines:\n%s", lines, got)
		}
	}
}

// What the line of a call says is not said again below it.
func TestInputThatTheLineSays(t *testing.T) {
	for _, c := range []struct {
		kind, title, input string
		shown              bool
	}{
		{"read", "Read a.go", `{"path":"` + uitest.Dir + `/a.go"}`, false},
		{"read", "Read", `{"filePath":"` + uitest.Dir + `/a.go","offset":10,"limit":20}`, false},
		{"search", "grep TODO", `{"pattern":"TODO"}`, false},
		{"search", "grep", `{"pattern":"TODO"}`, false}, // which the line names
		{"search", "grep", `{"pattern":"TODO","hook":"rm -rf /"}`, true},
		{"other", "deploy", `{"target":"production"}`, true},
		{"read", "Read a.go", `{"path":"a.go","hook":"rm -rf /"}`, true},
		{"read", "Read a.go", `{"path":"a.go","more":["x"]}`, true},
	} {
		th := thread.New("s")
		of := func(s string) *string { return &s }
		th.Apply(event.ToolChanged{For: event.For{Session: "s"}, ID: "a", Kind: &c.kind, Title: &c.title, Status: of("completed"), RawInput: &c.input,
			Locations: &[]event.Location{{Path: uitest.Dir + "/a.go"}}})
		v := New(th, uitest.Dir, theme.Plain())
		v.SetSize(100, 40)
		if got := ansi.Strip(strings.Join(v.Rows(), "\n")); strings.Contains(got, "{") != c.shown {
			t.Errorf("%s %s:\n%s", c.title, c.input, got)
		}
	}
}

// A command that wrote nothing shows no raw output: how it ended is in its line.
func TestCommandWithoutOutput(t *testing.T) {
	th := thread.New("s")
	in := event.For{Session: "s"}
	of := func(s string) *string { return &s }
	code := 0
	th.Apply(event.ToolChanged{For: in, ID: "a", Kind: of("execute"), Title: of("true"), Status: of("completed"), RawInput: of(`{"command":"true"}`), RawOutput: of(`{"exitCode":0,"truncated":false}`),
		Content: &[]event.ToolContent{{Terminal: "t"}}})
	th.Apply(event.TerminalStarted{For: in, ID: "t", Command: "true"})
	th.Apply(event.TerminalExited{For: in, ID: "t", Code: &code})
	v := New(th, uitest.Dir, theme.Plain())
	v.SetSize(80, 40)
	if got := ansi.Strip(strings.Join(v.Rows(), "\n")); strings.Contains(got, "exitCode") {
		t.Error(got)
	}
}
