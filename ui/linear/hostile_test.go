package linear

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"parley/internal/fakeagent"
	"parley/internal/safetext"
	"parley/ui/uitest"
)

// hostileWords are what the user types while the hostile text arrives and afterwards: answers
// to questions and forms, and every command that shows something.
var hostileWords = []string{"d", "1", "1", "", "1", "decline", "decline", "decline", "/help", "/output 1", "/output 2", "/output 3", "/plan", "/status", "/log", "/mode", "1", "", "/model", "1", "",
	"/options", "1", "1", "", "/review", "/trust", "/undo", "", "/note . no", "/notes", "/notes send", "/sessions", "1", "", "/commands", "/transcript"}

var (
	joined  = regexp.MustCompile(`\x{200d}|\p{Mn}`)
	tooMany = regexp.MustCompile(`\p{Mn}{33,}`)
)

// Whatever an agent sends, and in whatever field, the output is plain lines that neither
// control the terminal nor mislead the reader or listener.
func TestHostileStringsInLines(t *testing.T) {
	for name, evil := range uitest.HostileStrings {
		for _, protocol := range []string{"", "2"} {
			t.Run(strings.TrimSpace(name+" "+protocol), func(t *testing.T) {
				in := func(s string) string { return strings.ReplaceAll(s, "E", fakeagent.Quote(evil)) }
				talkTo(t, func(r *rig) {
					r.fake.Protocol = protocol
					r.tty = name != "of our own"
					r.fake.On("initialize", func(*fakeagent.Call) (string, error) {
						if protocol == "2" {
							return in(`{"protocolVersion":2,"info":{"name":E,"title":E,"version":E},"capabilities":{"session":{"prompt":{}}}}`), nil
						}
						return in(`{"protocolVersion":1,"agentInfo":{"name":E,"title":E,"version":E},"agentCapabilities":{"loadSession":true,"sessionCapabilities":{"list":{},"resume":{},"close":{},"delete":{}}},"authMethods":[{"id":"x","name":E,"description":E}]}`), nil
					})
					r.fake.On("session/new", func(c *fakeagent.Call) (string, error) {
						return in(fmt.Sprintf(`{"sessionId":"s%d",`, c.N) + `"modes":{"currentModeId":E,"availableModes":[{"id":E,"name":E,"description":E},{"id":"z","name":E}]},"models":{"currentModelId":E,"availableModels":[{"modelId":E,"name":E,"description":E}]}}`), nil
					})
					r.fake.On("session/list", func(*fakeagent.Call) (string, error) {
						return in(`{"sessions":[{"sessionId":E,"cwd":E,"title":E,"updatedAt":E},{"sessionId":"k","cwd":"/x","title":E}],"nextCursor":null}`), nil
					})
					r.fake.Turn(func(tn *fakeagent.Turn) string {
						for _, u := range uitest.HostileUpdates[protocol] {
							tn.Update(in(u))
						}
						tn.Ask(in(uitest.HostileTool), in(uitest.HostileOptions))
						for _, form := range uitest.HostileForms {
							tn.Elicit(in(form))
						}
						return evil
					})
				}, func(r *rig) {
					r.types("go")
					for _, l := range hostileWords {
						r.pause()
						r.pause()
						r.types(l)
					}
					r.pause()
					r.clean()
				})
			})
		}
	}
}

// clean checks everything that was written.
func (r *rig) clean() {
	r.t.Helper()
	all := r.out.text()
	if n := strings.Count(all, "Zq"); n < 20 {
		r.t.Errorf("the peer's word appears only %d times, so this test shows little", n)
	}
	for line := range strings.Lines(all) {
		line = strings.TrimSuffix(line, "\n")
		if many := tooMany.FindString(line); many != "" {
			r.t.Fatalf("%d marks are written in one place", len(many)/2)
		}
		if bare := joined.ReplaceAllString(line, ""); safetext.Clean(bare) != bare {
			r.t.Fatalf("a line is %.300q, which is not %.300q", bare, safetext.Clean(bare))
		}
	}
}
