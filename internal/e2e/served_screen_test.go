//go:build unix

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// heardVar names a file to which the scripted agent appends every prompt that it receives.
const heardVar = "E2E_HEARD"

// lostVar makes the scripted agent report that every session is lost.
const lostVar = "E2E_LOST"

func heard(prompt string) {
	name := os.Getenv(heardVar)
	if name == "" {
		return
	}
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		panic(err)
	}
	fmt.Fprintln(f, prompt)
	f.Close()
}

// profiles are the transports between the screen and a server.
var profiles = []string{"ws", "http"}

// A chat with an agent at a URL, from the first prompt to the end.
func TestServedChat(t *testing.T) {
	t.Parallel()
	for _, scheme := range profiles {
		t.Run(scheme, func(t *testing.T) {
			t.Parallel()
			server := Serve(t)
			dir := workDir(t)
			notes := filepath.Join(dir, "notes.txt")
			write(t, notes, "one\n")
			s := Start(t, 100, 40, dir, server.URL(scheme), "--share-files")
			s.WaitFor(placeholder)
			s.Prompt("read notes.txt")
			s.WaitFor("✓ Read   notes.txt", "notes.txt has 1 line.")
			s.WaitIdle()

			s.Prompt("edit notes.txt")
			rows := s.WaitFor(armed)
			for _, want := range []string{"asks", "Change notes.txt", "2 + demo agent was here (1)"} {
				if rowOf(rows, want) < 0 {
					t.Errorf("the question does not show %q:\n%s", want, numbered(rows))
				}
			}
			if got := read(t, notes); got != "one\n" {
				t.Errorf("changed before it was allowed: %q", got)
			}
			s.Press("y")
			s.WaitFor("✓ Edit   notes.txt  +1 −0 · allowed ", "notes.txt has one more line now.")
			s.WaitIdle()
			if got, want := read(t, notes), "one\ndemo agent was here (1)\n"; got != want {
				t.Errorf("the file holds %q, want %q", got, want)
			}

			s.Prompt("edit notes.txt") // the turn waits at its question
			s.WaitFor(armed)
			s.Press("ctrl+c")
			s.WaitFunc("the end of it", func(rows []string) bool { return slices.Contains(rows, "  Stopped") })
			s.WaitIdle()
			if got, want := read(t, notes), "one\ndemo agent was here (1)\n"; got != want {
				t.Errorf("the file holds %q, want %q", got, want)
			}
			s.Prompt("/quit")
			if code := s.ExitCode(); code != 0 {
				t.Errorf("exit code %d", code)
			}
			s.noneLeft()
			server.goneAfter(1)
		})
	}
}

// Files that are not shared cannot be read, whatever the agent asks for.
func TestServedWithoutSharing(t *testing.T) {
	t.Parallel()
	server := Serve(t)
	dir := workDir(t)
	s := Start(t, 100, 40, dir, server.URL("ws"))
	s.WaitFor(placeholder)
	s.Prompt("edit notes.txt")
	s.WaitFor("this client does not offer")
	s.WaitIdle()
	if _, err := os.Stat(filepath.Join(dir, "notes.txt")); err == nil {
		t.Error("the file was written")
	}
}

// The server dies during a turn and returns. The agent's stored conversation is shown, the draft
// stays, and the prompt is sent only once.
func TestServedAgain(t *testing.T) {
	t.Parallel()
	for _, scheme := range profiles {
		t.Run(scheme, func(t *testing.T) {
			t.Parallel()
			dir := workDir(t)
			prompts := filepath.Join(t.TempDir(), "prompts")
			env := append(keptIn(t, "/anywhere/work"), heardVar+"="+prompts)
			server := ServeAgent(t, scripted(t), env)
			s := Start(t, 100, 40, dir, server.URL(scheme))
			s.WaitFor(placeholder)
			s.Prompt("trickle")
			s.WaitParagraph(2)
			s.Type("kept in the composer")
			s.WaitDraft("kept in the composer")
			server.Kill()
			s.WaitOnly([]string{"Connection lost", "trying again in"}, "may not have got") // its answer has begun
			s.WaitDraft("kept in the composer")

			server = ServeAgent(t, scripted(t), env, "--listen", server.address())
			s.WaitFor("Reconnected", "question 2 of s1", "answer 2 of s1", "The connection was lost during this turn · the agent's history does not have it", `not in the agent's history  "trickle"`)
			s.WaitDraft("kept in the composer")
			s.WaitOnly(nil, "Connection lost", "Paragraph", "may not have got")
			if got := read(t, prompts); got != "trickle\n" {
				t.Errorf("prompts before the next one: %q", got)
			}
			s.Press("enter")
			s.WaitFor("heard: kept in the composer")
			s.WaitIdle()
			if got := read(t, prompts); got != "trickle\nkept in the composer\n" {
				t.Errorf("prompts: %q", got)
			}
			s.Press("ctrl+d")
			s.ExitCode()
			s.noneLeft()
			server.goneAfter(1)
		})
	}
}

// If the agent stores no sessions, a new one starts below the old conversation.
func TestServedAgainWithoutTheSession(t *testing.T) {
	t.Parallel()
	for _, scheme := range profiles {
		t.Run(scheme, func(t *testing.T) {
			t.Parallel()
			server := Serve(t)
			dir := workDir(t)
			write(t, filepath.Join(dir, "notes.txt"), "one\n")
			s := Start(t, 100, 60, dir, server.URL(scheme), "--share-files")
			s.WaitFor(placeholder)
			s.Prompt("edit notes.txt")
			s.WaitFor(armed)
			server.Kill()
			s.WaitOnly([]string{"Connection lost"}, armed, "may not have got")
			server = Serve(t, "--listen", server.address())
			s.Type("read notes.txt")
			s.WaitFor("Reconnected, but the session is gone · enter starts a new one")
			s.WaitDraft("read notes.txt")
			s.Press("enter")
			s.WaitFor("started again: the agent does not remember what is above")
			s.WaitDraft("read notes.txt")
			s.WaitIdle()
			s.Press("enter")
			rows := s.WaitFor("notes.txt has 1 line.")
			if n := strings.Count(strings.Join(rows, "\n"), "edit notes.txt"); n > 1 {
				t.Errorf("the prompt was sent again:\n%s", numbered(rows))
			}
			s.WaitIdle()
			s.Press("ctrl+d")
			s.ExitCode()
			s.noneLeft()
			server.goneAfter(1)
		})
	}
}

// If the agent has lost its sessions, the page stays, enter starts a new session on the same
// connection, and nothing is sent again. This is tested over each transport, between turns and
// during one.
func TestServedAgainWithoutTheStore(t *testing.T) {
	t.Parallel()
	for name, way := range map[string][]string{"ws": {"ws"}, "http": {"http", "--h2c", "off"}, "h2c": {"http", "--h2c", "on"}} {
		for _, prompt := range []string{"hello", "trickle"} {
			t.Run(name+", "+prompt, func(t *testing.T) {
				t.Parallel()
				if (name == "ws") == (prompt == "hello") {
					long(t)
				}
				prompts := filepath.Join(t.TempDir(), "prompts")
				server := ServeAgent(t, scripted(t), append(keptIn(t, "/anywhere/work"), heardVar+"="+prompts))
				s := Start(t, 80, 40, workDir(t), append([]string{server.URL(way[0])}, way[1:]...)...)
				s.WaitFor(placeholder)
				s.Prompt(prompt)
				answer := "heard: hello"
				if prompt == "trickle" {
					answer = "Paragraph "
				}
				s.WaitFor(answer)
				if prompt == "hello" {
					s.WaitIdle()
				}
				s.Type("kept in the composer")
				s.WaitDraft("kept in the composer")
				server.Kill()
				s.WaitFor("Connection lost")
				server = ServeAgent(t, scripted(t), append(keptIn(t, "/anywhere/work"), heardVar+"="+prompts, lostVar+"=1"), "--listen", server.address())
				s.WaitFor(answer, "Reconnected, but the session is gone: the agent answered: no such session", "Reconnected, but the session is gone · enter starts a new one")
				s.WaitDraft("kept in the composer")
				s.Press("enter")
				s.WaitFor(answer, "started again: the agent does not remember what is above")
				s.WaitDraft("kept in the composer")
				s.WaitIdle()
				if got := read(t, prompts); got != prompt+"\n" {
					t.Errorf("prompts before the next one: %q", got)
				}
				s.Press("enter")
				s.WaitFor("heard: kept in the composer")
				s.WaitIdle()
				if got := read(t, prompts); got != prompt+"\nkept in the composer\n" {
					t.Errorf("prompts: %q", got)
				}
				s.Press("ctrl+d")
				s.ExitCode()
				s.noneLeft()
				server.goneAfter(1)
			})
		}
	}
}
