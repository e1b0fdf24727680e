package ui

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/internal/fakeagent"
)

// Rejecting and saying why sends the rejection, and the reason as the next prompt, before those that
// wait.
func TestRejectAndSayWhy(t *testing.T) {
	old := numbered(12)
	withWrite(t, old, three.Replace(old), func(d *driver, _ *Options) {
		d.fake.Turn(func(turn *fakeagent.Turn) string {
			if turn.N > 1 {
				return "end_turn"
			}
			return writing(filepath.Join(d.Cwd, "notes.txt"), three.Replace(old))(turn)
		})
	}, func(d *driver, path string) {
		d.types("later\n")
		d.grabs()
		d.press("G")
		d.sees("c reject with a reason")
		d.press("c")
		d.sees("Reject with a reason", "- line 5", "enter reject and send")
		d.types("keep the lines\n")
		d.onDisk(path, old)
		d.wait(time.Second)
		got, _, _ := seen(d.Agent())
		first, rest, _ := strings.Cut(got, "|")
		why, last, _ := strings.Cut(rest, "|")
		if first != "go" || last != "later" || !strings.HasPrefix(why, "I rejected this: `") || !strings.Contains(why, "\n\nkeep the lines\n\n") || !strings.Contains(why, "```diff\n@@ ") || !strings.Contains(why, "\n-line 2\n+zwei\n") {
			t.Errorf("the agent got\n%s", got)
		}
	})
}

// A turn that the agent cancels because of a rejection does not hold the reason back; one that the
// user stops does.
func TestReasonAfterACancelledTurn(t *testing.T) {
	for _, stop := range []bool{false, true} {
		n := 0
		drive(t, func(d *driver, _ *Options) {
			d.fake.Turn(func(turn *fakeagent.Turn) string {
				if n++; n > 1 {
					return "end_turn"
				}
				turn.Ask(push, usual)
				turn.Wait(time.Second)
				return "cancelled"
			})
		}, func(d *driver) {
			d.connected()
			d.types("go\n")
			d.wait(100 * time.Millisecond)
			d.grabs()
			d.press("c")
			d.types("not on main\n")
			if stop {
				d.press("esc")
			}
			d.wait(3 * time.Second)
			want := "go"
			if !stop {
				want += "|" + fenced("I rejected this: 'Run outside the project: /home/ada/src/parser'\n\nnot on main\n\n'''\ngit add -A && git push origin HEAD\n'''")
			}
			d.prompts(want)
		})
	}
}

// Without a reason it only rejects; esc goes back to the question, and words for a question that is
// gone are not lost.
func TestRejectWithoutAReason(t *testing.T) {
	withQuestion(t, push, usual, func(d *driver) {
		d.grabs()
		d.press("c")
		d.types("y")
		d.press("esc")
		d.sees("Not kept", "y Allow once")
		d.rest()
		d.press("c", "enter")
		d.wait(100 * time.Millisecond)
		d.outcomes("no")
		d.prompts("go")
	})
}

// What was written for a question that is gone is not lost, and not sent.
func TestReasonForAQuestionThatIsGone(t *testing.T) {
	withQuestion(t, push, usual, func(d *driver) {
		d.grabs()
		d.press("c")
		d.types("not on main")
		cur, _ := d.m.Front.Question.Current()
		d.m.Front.Question.Remove(cur.Key)
		d.press("enter")
		d.sees("The question was answered meanwhile")
		d.press("up")
		d.draft("not on main")
		d.prompts("go")
	})
}

// The question and why it is rejected, in every theme and size.
func TestGoldenRejectWhy(t *testing.T) {
	withQuestion(t, push, usual, func(d *driver) {
		d.grabs()
		d.press("c")
		d.types("keep the lines")
		d.sees("a Always allow", "╰─ esc reject", "╭ Reject with a reason") // the box covers nothing of the question
		d.golden("question, why")
	})
}
