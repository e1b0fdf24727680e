//go:build unix

package attacks

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/acpclient/acptest"
	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/internal/decoy"
	"parley/internal/elicit"
	"parley/internal/must"
	"parley/internal/safetext"
	"parley/permissions"
	"parley/ui/transcript"
	"parley/ui/uitest"
)

// check checks one line of what must hold.
func (s *stage) check(line string, before map[string]string, used int64) error {
	word, rest, _ := strings.Cut(line, " ")
	rest = s.expand(rest)
	switch {
	case line == "no file changed":
		after, err := decoy.Tree(filepath.Dir(s.place.in))
		if diff := cmp.Diff(before, after); err != nil || diff != "" {
			return fmt.Errorf("%v, %s", err, diff)
		}
	case word == "holds":
		name, quoted, _ := strings.Cut(rest, " ")
		want, err := strconv.Unquote(quoted)
		if err != nil {
			return err
		}
		if got, err := os.ReadFile(s.place.at(name)); err != nil || string(got) != want {
			return fmt.Errorf("it is %.200q, %v", got, err)
		}
	case line == "opens nothing":
		if s.openable > 0 {
			return fmt.Errorf("%d pages could be opened", s.openable)
		}
	case word == "questions":
		if strconv.Itoa(s.asks) != rest {
			return fmt.Errorf("there were %d", s.asks)
		}
	case strings.HasPrefix(line, "never hears "), word == "hears":
		return s.checkReceived(strings.TrimPrefix(rest, "hears "), word == "hears")
	case word == "shows":
		if !strings.Contains(s.wholeTranscript(), rest) {
			return fmt.Errorf("the transcript:\n%.3000s", s.wholeTranscript())
		}
	case word == "hides":
		if strings.Contains(s.wholeTranscript(), rest) {
			return fmt.Errorf("the transcript:\n%.3000s", s.wholeTranscript())
		}
	case word == "logs":
		if !strings.Contains(s.logged(), rest) {
			return fmt.Errorf("the log:\n%.3000s", s.logged())
		}
	case strings.HasPrefix(line, "keeps below "):
		return s.keeps(rest, used)
	case line == "lives":
		return s.checkAlive()
	case line == "ends":
		if !s.waitUntil(func() bool { return s.thread.State == thread.Ended }) || s.thread.Err == nil {
			return fmt.Errorf("the session is %v, with %v", s.thread.State, s.thread.Err)
		}
	default:
		return fmt.Errorf("there is no check for that")
	}
	return nil
}

func (s *stage) checkReceived(text string, want bool) error {
	s.agent.mu.Lock()
	defer s.agent.mu.Unlock()
	if i := bytes.Index(s.agent.received, []byte(text)); (i >= 0) != want {
		return fmt.Errorf("the agent has heard %.2000s", s.agent.received[max(0, i-100):])
	}
	return nil
}

func (s *stage) keeps(rest string, used int64) error {
	var limit int64
	if _, err := fmt.Sscanf(rest, "below %d MiB", &limit); err != nil {
		return err
	}
	s.agent.mu.Lock()
	s.agent.received, s.agent.answers = nil, nil
	s.agent.mu.Unlock()
	if grown := (heap() - used) >> 20; grown > limit {
		return fmt.Errorf("it has grown by %d MiB", grown)
	}
	return nil
}

// checkAlive checks that the session still works.
func (s *stage) checkAlive() error {
	if err := s.session.Prompt(event.Block{Text: "still there?"}); err != nil {
		return err
	}
	if s.agent.v2 {
		if err := s.agent.insert(); err != nil {
			return err
		}
	}
	if err := s.play("update", `{"sessionUpdate":"agent_message_chunk","messageId":"at the end","content":{"type":"text","text":"yes, still there"}}`, 1); err != nil {
		return err
	}
	if err := s.agent.endTurn(`"result":{"stopReason":"end_turn"}`); err != nil {
		return err
	}
	if !s.waitUntil(func() bool { return !s.session.Running() }) {
		return fmt.Errorf("the second turn does not end")
	}
	s.applyEvents()
	if !strings.Contains(uitest.Text(s.view.Rows()), "yes, still there") {
		return fmt.Errorf("the screen:\n%s", uitest.Text(s.view.Rows()))
	}
	return nil
}

// wholeTranscript returns the transcript with everything expanded.
func (s *stage) wholeTranscript() string {
	v := s.tall(transcript.Everything)
	return uitest.Text(v.Rows())
}

// tall returns a view with room for many rows.
func (s *stage) tall(d transcript.Density) *transcript.View {
	v := s.view.CopyFor(s.thread)
	v.SetSize(80, 3000)
	v.SetDensity(d)
	return v
}

// checkScreen checks the rows of the transcript and the log.
func (s *stage) checkScreen() {
	s.t.Helper()
	uitest.CheckRows(s.t, s.view.Rows(), 80)
	for _, d := range []transcript.Density{transcript.Normal, transcript.Everything, transcript.Quiet} {
		uitest.CheckRows(s.t, s.tall(d).Rows(), 80)
	}
	for l := range strings.SplitSeq(s.logged(), "\n") {
		if l = strings.TrimRight(l, " "); safetext.Line(l, 1<<20) != l {
			s.t.Errorf("the log says %q", l)
		}
	}
}

func (s *stage) logged() string {
	all, _ := s.log.Lines()
	var out []string
	for _, l := range all {
		out = append(out, string(l.Source)+": "+l.Text)
	}
	return strings.Join(out, "\n")
}

// raw are the fields of events that are returned to the agent unchanged, passed to an emulator, or
// checked before they are shown.
var raw = map[string]bool{"ID": true, "Session": true, "MessageID": true, "ToolID": true, "PlanID": true, "ModeID": true, "Terminal": true, "Current": true, "Data": true, "URL": true}

// inspect checks every string of an event.
func (s *stage) inspect(e event.Event) {
	s.t.Helper()
	t := reflect.TypeOf(e)
	if t.Kind() != reflect.Struct || t.PkgPath() != reflect.TypeFor[event.For]().PkgPath() {
		return
	}
	acptest.EachString(e, func(path, text string) {
		if name := path[strings.LastIndexByte(path, '.')+1:]; !raw[name] && safetext.Clean(text) != text {
			s.t.Errorf("%s is %.200q", path, text)
		}
	})
}

// checkLink checks a URL like the screen does before offering to open it.
func (s *stage) checkLink(url string) {
	if url == "" {
		return
	}
	l := elicit.ParseLink(url)
	if l.OK {
		s.openable++
	}
	if bad := uitest.Unsafe(l.URL + l.Host); bad != "" {
		s.t.Errorf("the address %q is shown as %q", url, l.URL)
	}
}

// inspectQuestion checks everything a question shows.
func (s *stage) inspectQuestion(q permissions.Question) {
	s.t.Helper()
	for text := range strings.SplitSeq(readable(q)+"\n"+q.Details, "\n") {
		if bad := uitest.Unsafe(strings.ReplaceAll(text, "\t", " ")); bad != "" || strings.Contains(text, "\x1b") {
			s.t.Errorf("the question says %.200q", text)
		}
	}
}

// readable returns what a question says, without details.
func readable(q permissions.Question) string {
	out := []string{q.Heading, q.Description}
	for _, p := range q.Body {
		out = append(out, p.Label, p.Path, p.Old, p.Text)
	}
	for _, o := range q.Options {
		out = append(out, o.Name)
	}
	return strings.Join(out, "\n")
}

// TestChecks tests checks of this package that could be wrong themselves.
func TestChecks(t *testing.T) {
	for name, text := range map[string]string{
		"no comment":       "-- script --\nunasked\n-- holds --\nno file changed\n",
		"no checks":        "# x\n-- script --\nunasked\n",
		"checks of all":    "# x\n-- script --\nunasked\n-- holds --\nlives\n",
		"a file for whom?": "# x\n-- script --\nunasked\n-- inn/x --\n-- holds --\nno file changed\n",
		"who?":             "# x\n-- user --\nsleeps\n-- script --\nunasked\n-- holds --\nno file changed\n",
	} {
		path := t.TempDir() + "/a.txtar"
		must.Do(t, os.WriteFile(path, []byte(text), 0o600))
		if _, err := readAttack(path); err == nil {
			t.Errorf("%s: not found out", name)
		}
	}
}
