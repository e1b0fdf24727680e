//go:build unix

package e2e

import (
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// faulty is an agent made of a few lines of shell: its reactions to a prompt, to session/cancel,
// and to the end of its input.
func faulty(prompt, cancel, end string) []string {
	script := fmt.Sprintf(`while IFS= read -r line; do
  id=${line#*\"id\":}; id=${id%%%%[,\}]*}
  case $line in
  *'"method":"initialize"'*) printf '{"jsonrpc":"2.0","id":%%s,"result":{"protocolVersion":1}}\n' "$id" ;;
  *'"method":"session/new"'*) printf '{"jsonrpc":"2.0","id":%%s,"result":{"sessionId":"s1"}}\n' "$id" ;;
  *'"method":"session/cancel"'*) %s ;;
  *'"method":"session/prompt"'*) printf '%%s\n' '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"first words"}}}}'; %s ;;
  esac
done
%s`, or(cancel), or(prompt), or(end))
	return []string{"--", "sh", "-c", script}
}

// dyingEarly is an agent that exits after the handshake, before there is a session.
var dyingEarly = []string{"--", "sh", "-c", `read line; echo '{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1}}'; read line; echo no key >&2; exit 7`}

func or(command string) string {
	if command == "" {
		return "true"
	}
	return command
}

// However an agent exits during a turn, its output so far stays, the exit is reported, the draft is
// intact, and the agent can be started again.
func TestAgentGoes(t *testing.T) {
	t.Parallel()
	for name, agent := range map[string][]string{
		"half a line":       faulty(`printf '{"jsonrpc":"2.0","method":"session/upd'; exit 3`, "", ""),
		"closes its output": faulty(`exec 1>&-`, "", "sleep 600"),
		"killed":            faulty(`kill -KILL $$`, "", ""),
		"stubborn":          faulty(`trap '' TERM HUP INT; exec 1>&-`, "", "while :; do sleep 600; done"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if name == "killed" {
				long(t)
			}
			s := Start(t, 80, 24, workDir(t), agent...)
			s.WaitFor(placeholder)
			s.Prompt("go on")
			s.WaitFor("first words", "The agent has ended · enter restarts it")
			s.Type("still here")
			s.WaitDraft("still here")
			s.Press("enter")
			s.WaitFunc("a new agent", func(rows []string) bool { return rowOf(rows, "has ended") < 0 && rowOf(rows, "? help") >= 0 })
			s.WaitDraft("still here")
			s.Press("ctrl+c")
			s.WaitDraft("")
			s.Press("ctrl+d")
			if code := s.ExitCode(); code != 0 {
				t.Errorf("exit code %d", code)
			}
		})
	}
}

// An agent that ignores every request to stop cannot keep parley from quitting.
func TestAgentStopsForNothing(t *testing.T) {
	t.Parallel()
	for name, agent := range map[string][]string{
		"ignores cancel":  faulty("", "", ""),
		"ignores signals": faulty("trap '' TERM HUP INT", "", "while :; do sleep 600; done"),
		"does not read":   faulty("trap '' TERM HUP INT; while :; do sleep 600; done", "", ""),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := Start(t, 80, 24, workDir(t), agent...)
			s.WaitFor(placeholder)
			s.Prompt("go on")
			s.WaitFor("first words")
			s.Press("esc")
			s.WaitFor("stopping")
			s.Type("typed on")
			s.WaitDraft("typed on")
			s.Press("ctrl+c") // clears the draft, or continues stopping
			s.Type("!")
			// Wait until the ctrl+c was handled: one that arrives after the shell has the terminal
			// again would discard parley's last output.
			s.WaitFunc("a key typed after ctrl+c", func(rows []string) bool { return strings.HasSuffix(draft(rows), "!") })
			s.Kill(syscall.SIGTERM)
			s.ExitCode()
			s.noneLeft()
		})
	}
}

// However parley ends, the draft is offered again at the next start.
func TestDraftOutlives(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*Screen){
		"SIGTERM":           func(s *Screen) { s.Kill(syscall.SIGTERM) },
		"SIGHUP":            func(s *Screen) { s.Kill(syscall.SIGHUP) },
		"SIGKILL":           func(s *Screen) { s.waitKept("half a thought"); s.Kill(syscall.SIGKILL) },
		"the window closed": func(s *Screen) { s.hangUp() },
		"the agent dies": func(s *Screen) {
			open(s.t, filepath.Join(s.root, "work"))
			s.WaitFor("The agent has ended")
			s.Press("ctrl+c")
			s.WaitDraft("")
			s.Type("half a thought")
			s.WaitDraft("half a thought")
			s.Kill(syscall.SIGTERM)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := workDir(t)
			s := Start(t, 80, 24, dir, scripted(t)...)
			s.WaitFor(placeholder)
			s.Prompt("leave")
			s.WaitFor("heard: leave")
			s.WaitIdle()
			s.Type("half a thought")
			s.WaitDraft("half a thought")
			end(s)
			s.ExitCode()
			s.noneLeft()
			s = Start(t, 80, 24, dir, scripted(t)...)
			s.WaitFunc("the draft", func(rows []string) bool { return strings.HasPrefix(draft(rows), "half a thought") })
		})
	}
}
