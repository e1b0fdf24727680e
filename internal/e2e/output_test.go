//go:build unix

package e2e

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

var sgr = regexp.MustCompile(`\x1b\[([0-9;:]*)m`)

// colours lists the graphic renditions in raw output that set a colour.
func colours(raw string) []string {
	var out []string
	for _, m := range sgr.FindAllStringSubmatch(raw, -1) {
		for p := range strings.SplitSeq(m[1], ";") {
			p, _, _ = strings.Cut(p, ":")
			n, _ := strconv.Atoi(p)
			if n >= 30 && n <= 38 || n >= 40 && n <= 48 || n == 58 || n >= 90 && n <= 97 || n >= 100 && n <= 107 {
				out = append(out, m[0][1:])
				break
			}
		}
	}
	return out
}

func TestNoColor(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		env    []string
		colour bool
	}{
		{"as it is", nil, true},
		{"NO_COLOR", []string{"NO_COLOR=1"}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := StartEnv(t, 100, 40, workDir(t), test.env)
			s.WaitFor("enter start")
			s.Press("enter")
			s.WaitFor(placeholder)
			s.Prompt("think, plan, edit notes.txt")
			s.WaitFor(armed)
			s.Press("y")
			s.WaitFor("That is all.")
			s.WaitIdle()
			s.Prompt("long")
			s.WaitFor("Section 16 ends here.")
			s.WaitIdle()
			s.Press("ctrl+d")
			s.ExitCode()
			raw, _ := s.Raw(0)
			if got := colours(string(raw)); (len(got) > 0) != test.colour {
				t.Errorf("%d colours, such as %q", len(got), got[:min(len(got), 5)])
			}
		})
	}
}

// No control sequence from an agent reaches the terminal.
func TestHostileText(t *testing.T) {
	t.Parallel()
	s := Start(t, 100, 40, workDir(t), scripted(t)...)
	s.WaitFor(placeholder)
	_, mark := s.Raw(0)
	s.Prompt("hostile")
	s.WaitFor("n No")
	s.WaitFor(armed)
	s.Press("d")
	s.Press("alt+a") // a letter typed right after another is not an answer
	s.PressUntil("n", "that was all of it")
	s.WaitFor("that was all of it", "plain text")
	s.WaitIdle()
	s.Press("ctrl+o") // show everything
	s.WaitFor("Detail level: everything")
	s.Press("f2")
	s.WaitFor("╭ Log")
	s.Press("esc")
	s.WaitGone("╭ Log")
	s.Press("ctrl+t")
	s.WaitFor("╭ Plan")
	raw, _ := s.Raw(mark)
	for _, bad := range []string{"\x1b]2;pwned", "\x1b]2;<\x1b", "\x1b[?1049l", "\x1b]52", "\x1b[2J", "\x1b[31mpwned", "\u009b", "\u009d", "\x00"} {
		if i := strings.Index(string(raw), bad); i >= 0 {
			t.Errorf("%q reached the terminal: %q", bad, raw[max(0, i-40):min(len(raw), i+40)])
		}
	}
}

// quietFor waits until there has been no output for that long.
func (s *Screen) quietFor(d time.Duration) {
	s.t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); {
		_, changed := s.look()
		select {
		case <-changed:
		case <-time.After(d):
			return
		}
	}
	s.t.Fatal("the screen is never at rest")
}

// An idle screen writes nothing. Parallel to no other test: it measures a real second.
func TestIdleWritesNothing(t *testing.T) {
	for _, page := range []string{"start", "chat"} {
		t.Run(page, func(t *testing.T) {
			t.Parallel()
			s := Start(t, 100, 40, workDir(t))
			s.WaitFor("enter start")
			if page != "start" {
				s.Press("enter")
				s.WaitFor(placeholder)
				s.Prompt("hello")
				s.WaitFor("That is all.")
				s.WaitIdle()
			}
			s.quietFor(300 * time.Millisecond)
			before, _ := cpuTicks(s.Pid())
			_, mark := s.Raw(0)
			time.Sleep(time.Second) // the idle second
			raw, _ := s.Raw(mark)
			if len(raw) > 0 {
				t.Errorf("%d bytes in an idle second: %q", len(raw), raw[:min(len(raw), 200)])
			}
			if after, ok := cpuTicks(s.Pid()); ok {
				t.Logf("%d clock ticks of processor time in an idle second", after-before)
			}
		})
	}
}

// Keys are echoed and nothing is lost while the agent sends as fast as it can. Not parallel: it
// reports times.
func TestKeysDuringFlood(t *testing.T) {
	s := Start(t, 100, 30, workDir(t), scripted(t)...)
	s.WaitFor(placeholder)
	began := time.Now()
	s.Prompt("flood")
	s.WaitFunc("the first of the flood", func(rows []string) bool { return rowOf(rows, "w0 ") >= 0 || flooding(rows) })
	typed, echoes, during := "", []time.Duration(nil), 0
	for _, key := range "the quick brown fox jumps over the lazy dog, twice" {
		at := time.Now()
		s.Type(string(key))
		typed += string(key)
		rows := s.WaitDraft(strings.TrimRight(typed, " "))
		if key == ' ' {
			continue // a space cannot be seen
		}
		echoes = append(echoes, time.Since(at))
		if rowOf(rows, "flood-is-over") < 0 {
			during++
		}
	}
	s.WaitFor("flood-is-over")
	t.Logf("%d updates took %v", floodSize, time.Since(began).Round(time.Millisecond))
	rows := s.WaitIdle()
	if got := draft(rows); got != typed {
		t.Errorf("the draft is %q, typed was %q", got, typed)
	}
	consecutive(t, rows)
	slices.Sort(echoes)
	t.Logf("key echo: p50 %v, p99 %v, of %d keys, %d of them during the flood", echoes[len(echoes)/2].Round(time.Microsecond),
		echoes[len(echoes)*99/100].Round(time.Microsecond), len(echoes), during)
}

var floodWord = regexp.MustCompile(`\bw([0-9]+)\b`)

func flooding(rows []string) bool { return floodWord.MatchString(strings.Join(rows, "\n")) }

// consecutive checks that the numbered words on the screen have no gap up to the last.
func consecutive(t *testing.T, rows []string) {
	t.Helper()
	last := -1
	for _, m := range floodWord.FindAllStringSubmatch(strings.Join(rows, "\n"), -1) {
		n, _ := strconv.Atoi(m[1])
		if last >= 0 && n != last+1 {
			t.Errorf("w%d follows w%d", n, last)
		}
		last = n
	}
	if last != floodSize-1 {
		t.Errorf("the last word is w%d:\n%s", last, numbered(rows))
	}
}
