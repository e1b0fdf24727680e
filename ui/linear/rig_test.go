package linear

import (
	"bytes"
	"context"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"parley/internal/fakeagent"
	"parley/internal/workspace"
)

func TestMain(m *testing.M) {
	time.Local = time.UTC
	os.Exit(m.Run())
}

// rig is a user at the chat with a fake agent, in a bubble with its own clock.
type rig struct {
	fakeagent.Dialer
	fake   fakeagent.Script // what the agent does
	t      *testing.T
	typing *io.PipeWriter
	out    screen
	ints   chan os.Signal
	done   chan struct{}
	left   workspace.ResumableSession
	opts   Options
	tty    bool
	offset int // of the output not looked at yet
}

type screen struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *screen) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// talkTo runs a test in a bubble.
func talkTo(t *testing.T, change func(*rig), f func(r *rig)) {
	t.Helper()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		r := &rig{t: t, ints: make(chan os.Signal, 4), done: make(chan struct{})}
		r.Cwd, r.Script = dir, func(string) *fakeagent.Script { return &r.fake }
		read, write := io.Pipe()
		r.typing = write
		r.opts = Options{Interrupts: r.ints, FrontEnd: workspace.FrontEnd{Start: "fake", Input: read, Output: &r.out, Options: workspace.Options{Cwd: dir, Connect: r.Connect, Agents: []workspace.Spec{
			{Name: "fake", Command: "fake --acp", Where: "on PATH", Section: "Installed"},
			{Name: "absent", Command: "absent", Section: "Not installed", Missing: "npm i absent"},
		}}}}
		if change != nil {
			change(r)
		}
		go func() {
			defer close(r.done)
			left, err := r.run(context.Background())
			if err != nil {
				t.Error(err)
			}
			r.left = left
		}()
		synctest.Wait()
		f(r)
		write.Close()
		time.Sleep(time.Second)
		read.Close()
		select {
		case <-r.done:
		case <-time.After(time.Hour):
			t.Errorf("it does not end:\n%s", r.out.text())
		}
	})
}

// run is Run, with a simulated terminal if the test wants one.
func (r *rig) run(ctx context.Context) (workspace.ResumableSession, error) {
	if !r.tty {
		return Run(ctx, r.opts)
	}
	in := newInput(r.opts.Input)
	c := newChat(r.opts, in, newPrinter(r.opts.Output, true))
	return c.run(ctx)
}

// types types lines and lets everything settle after each.
func (r *rig) types(lines ...string) {
	r.t.Helper()
	for _, l := range lines {
		if r.tty {
			r.out.Write([]byte(l + "\n")) // the terminal's echo
		}
		if _, err := io.WriteString(r.typing, l+"\n"); err != nil {
			r.t.Fatalf("the chat did not read %q: %v", l, err)
		}
		synctest.Wait()
	}
}

// pause lets more time pass than the guard of a question.
func (r *rig) pause() { time.Sleep(time.Second); synctest.Wait() }

func (r *rig) interrupt() { r.ints <- os.Interrupt; synctest.Wait() }

// fresh returns the output since the last call.
func (r *rig) fresh() string {
	synctest.Wait()
	all := r.out.text()
	out := all[r.offset:]
	r.offset = len(all)
	return out
}

// wants compares the output since the last look with lines.
func (r *rig) wants(lines ...string) {
	r.t.Helper()
	got, want := r.fresh(), strings.Join(lines, "\n")
	if strings.TrimSuffix(got, "\n") != want {
		r.t.Errorf("written:\n%s\nwant:\n%s", got, want)
	}
}

// sees expects parts in the output since the last look.
func (r *rig) sees(parts ...string) {
	r.t.Helper()
	got := r.fresh()
	for _, p := range parts {
		if !strings.Contains(got, p) {
			r.t.Errorf("the output does not have %q:\n%s", p, got)
		}
	}
}

// seen returns the prompts of the last agent started, and the results of its questions, forms
// and pages.
func (r *rig) seen() (prompts, outcomes, answers string) {
	a := r.Agent()
	return strings.Join(a.Prompts(), "|"), strings.Join(a.Outcomes(), "|"), strings.Join(a.Answers(), "|")
}

// usual are options as agents usually send them.
const usual = `[{"optionId":"ok","name":"Allow once","kind":"allow_once"},{"optionId":"ever","name":"Always allow","kind":"allow_always"},{"optionId":"no","name":"Reject","kind":"reject_once"}]`

const push = `{"toolCallId":"t1","title":"Commit typed errors","kind":"execute","status":"pending","rawInput":{"command":"git push origin HEAD","cwd":"/home/ada/src"}}`

// started returns the first lines of every chat with the fake agent.
func (r *rig) started() []string {
	return []string{"parley, line mode, in " + r.opts.Cwd + ". /help lists the commands.", "Starting fake: fake --acp", "Connected: fake 1.2."}
}
