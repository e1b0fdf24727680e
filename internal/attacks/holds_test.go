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

	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/internal/decoy"
	"parley/internal/elicit"
	"parley/internal/safetext"
	"parley/permissions"
	"parley/ui/transcript"
	"parley/ui/uitest"
)

// hold checks one line of what must hold.
func (s *stage) hold(line string, before map[string]string, used int64) error {
	word, rest, _ := strings.Cut(line, " ")
	rest = s.fill(rest)
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
		if s.links > 0 {
			return fmt.Errorf("%d pages could be opened", s.links)
		}
	case word == "questions":
		if strconv.Itoa(s.asks) != rest {
			return fmt.Errorf("there were %d", s.asks)
		}
	case strings.HasPrefix(line, "never hears "), word == "hears":
		return s.heard(strings.TrimPrefix(rest, "hears "), word == "hears")
	case word == "shows":
		if !strings.Contains(s.everything(), rest) {
			return fmt.Errorf("the transcript:\n%.3000s", s.everything())
		}
	case word == "hides":
		if strings.Contains(s.everything(), rest) {
			return fmt.Errorf("the transcript:\n%.3000s", s.everything())
		}
	case word == "logs":
		if !strings.Contains(s.logged(), rest) {
			return fmt.Errorf("the log:\n%.3000s", s.logged())
		}
	case strings.HasPrefix(line, "keeps below "):
		return s.keeps(rest, used)
	case line == "lives":
		return s.lives()
	case line == "ends":
		if !s.until(func() bool { return s.thread.State == thread.Ended }) || s.thread.Err == nil {
			return fmt.Errorf("the session is %v, with %v", s.thread.State, s.thread.Err)
		}
	default:
		return fmt.Errorf("nobody knows how to check that")
	}
	return nil
}

func (s *stage) heard(text string, want bool) error {
	s.agent.mu.Lock()
	defer s.agent.mu.Unlock()
	if i := bytes.Index(s.agent.heard, []byte(text)); (i >= 0) != want {
		return fmt.Errorf("the agent has heard %.2000s", s.agent.heard[max(0, i-100):])
	}
	return nil
}

func (s *stage) keeps(rest string, used int64) error {
	var limit int64
	if _, err := fmt.Sscanf(rest, "below %d MiB", &limit); err != nil {
		return err
	}
	s.agent.mu.Lock()
	s.agent.heard, s.agent.answers = nil, nil
	s.agent.mu.Unlock()
	if grown := (heap() - used) >> 20; grown > limit {
		return fmt.Errorf("it has grown by %d MiB", grown)
	}
	return nil
}

// lives checks that the conversation goes on.
func (s *stage) lives() error {
	if err := s.session.Prompt(event.Block{Text: "still there?"}); err != nil {
		return err
	}
	if s.agent.v2 {
		if err := s.agent.insert(); err != nil {
			return err
		}
	}
	if err := s.says("update", `{"sessionUpdate":"agent_message_chunk","messageId":"at the end","content":{"type":"text","text":"yes, still there"}}`, 1); err != nil {
		return err
	}
	if err := s.agent.endTurn(`"result":{"stopReason":"end_turn"}`); err != nil {
		return err
	}
	if !s.until(func() bool { return !s.session.Running() }) {
		return fmt.Errorf("the second turn does not end")
	}
	s.take()
	if !strings.Contains(uitest.Text(s.view.Rows()), "yes, still there") {
		return fmt.Errorf("the screen:\n%s", uitest.Text(s.view.Rows()))
	}
	return nil
}

// everything is the transcript with all opened.
func (s *stage) everything() string {
	v := s.tall(transcript.Everything)
	return uitest.Text(v.Rows())
}

// tall is a view with room for much.
func (s *stage) tall(d transcript.Density) *transcript.View {
	v := s.view.Afresh(s.thread)
	v.SetSize(80, 3000)
	v.SetDensity(d)
	return v
}

// safe checks the rows of the transcript, and the log.
func (s *stage) safe() {
	s.t.Helper()
	uitest.CheckRows(s.t, s.view.Rows(), 80)
	for _, d := range []transcript.Density{transcript.Normal, transcript.Everything, transcript.Quiet} {
		uitest.CheckRows(s.t, s.tall(d).Rows(), 80)
	}
	for _, l := range strings.Split(s.logged(), "\n") {
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

// raw are members of events that go back to the agent as they came, or to an
// emulator, or are judged before they are shown.
var raw = map[string]bool{"ID": true, "Session": true, "MessageID": true, "ToolID": true, "PlanID": true, "ModeID": true, "Terminal": true, "Current": true, "Data": true, "URL": true}

// inspect checks every string of an event of the engine.
func (s *stage) inspect(e event.Event) {
	s.t.Helper()
	t := reflect.TypeOf(e)
	if t.Kind() != reflect.Struct || t.PkgPath() != reflect.TypeFor[event.For]().PkgPath() {
		return
	}
	eachString(reflect.ValueOf(e), t.Name(), func(path, text string) {
		if name := path[strings.LastIndexByte(path, '.')+1:]; !raw[name] && safetext.Clean(text) != text {
			s.t.Errorf("%s is %.200q", path, text)
		}
	})
}

// linked judges an address as the screen does before it offers to open it.
func (s *stage) linked(url string) {
	if url == "" {
		return
	}
	l := elicit.ParseLink(url)
	if l.OK {
		s.links++
	}
	if bad := uitest.Unsafe(l.URL + l.Host); bad != "" {
		s.t.Errorf("the address %q is shown as %q", url, l.URL)
	}
}

// eachString visits all strings that can be seen of a value, errors by their text.
func eachString(v reflect.Value, path string, f func(path, text string)) {
	if !v.IsValid() {
		return
	}
	if v.CanInterface() {
		if err, ok := v.Interface().(error); ok && err != nil {
			f(path, err.Error())
			return
		}
	}
	switch v.Kind() {
	case reflect.String:
		f(path, v.String())
	case reflect.Pointer, reflect.Interface:
		eachString(v.Elem(), path, f)
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return
		}
		for i := range v.Len() {
			eachString(v.Index(i), path, f)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				eachString(v.Field(i), path+"."+v.Type().Field(i).Name, f)
			}
		}
	}
}

// inspectQuestion checks what there is to read of a question.
func (s *stage) inspectQuestion(q permissions.Question) {
	s.t.Helper()
	for _, text := range strings.Split(readable(q)+"\n"+q.Details, "\n") {
		if bad := uitest.Unsafe(strings.ReplaceAll(text, "\t", " ")); bad != "" || strings.Contains(text, "\x1b") {
			s.t.Errorf("the question says %.200q", text)
		}
	}
}

// readable is what a question says, details aside.
func readable(q permissions.Question) string {
	out := []string{q.Heading, q.Words}
	for _, p := range q.Body {
		out = append(out, p.Label, p.Path, p.Old, p.Text)
	}
	for _, o := range q.Options {
		out = append(out, o.Name)
	}
	return strings.Join(out, "\n")
}

// Checks of this package that can be wrong themselves.
func TestChecks(t *testing.T) {
	for name, text := range map[string]string{
		"no comment":       "-- script --\nunasked\n-- holds --\nno file changed\n",
		"no checks":        "# x\n-- script --\nunasked\n",
		"checks of all":    "# x\n-- script --\nunasked\n-- holds --\nlives\n",
		"a file for whom?": "# x\n-- script --\nunasked\n-- inn/x --\n-- holds --\nno file changed\n",
		"who?":             "# x\n-- user --\nsleeps\n-- script --\nunasked\n-- holds --\nno file changed\n",
	} {
		path := t.TempDir() + "/a.txtar"
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := readAttack(path); err == nil {
			t.Errorf("%s: not found out", name)
		}
	}
}
