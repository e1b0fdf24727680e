package join

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/internal/fakeagent"
	"parley/internal/hello"
	"parley/internal/must"
)

// An @ of the user's reads a file. A client gets no files, also when its prompt was queued and it has left.
func TestPromptsReadNoFile(t *testing.T) {
	each(t, func(r *rig, version int) {
		must.Do(r.T, os.WriteFile(filepath.Join(r.Cwd, ".env"), []byte("KEY=hunter2"), 0o600))
		r.script.Turn(func(t *fakeagent.Turn) string { t.Wait(time.Minute); return "end_turn" })
		phone := r.follow("phone", hello.Talk, version)
		for _, text := range []string{"first @.env", "second @.env", "/agent:review @.env"} {
			phone.prompt(text)
		}
		phone.begin("session/prompt", `{"sessionId":"s1","prompt":[{"type":"resource_link","name":".env x","uri":"x"}]}`)
		r.settle()
		phone.peer.Close(nil)
		time.Sleep(10 * time.Minute)
		got := r.Agent().Blocks()
		if all := strings.Join(got, "\n"); len(got) != 4 || strings.Contains(all, "resource") || strings.Contains(all, "file:") {
			t.Errorf("the agent got %q", got)
		}
		r.on(func() { must.Do(r.T, r.session().Prompts.Submit("second @.env", false)) })
		time.Sleep(10 * time.Minute)
		if got := r.Agent().Blocks(); len(got) != 5 || !strings.Contains(got[4], "file:") {
			t.Errorf("of the user the agent got %q", got)
		}
	})
}
