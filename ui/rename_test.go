package ui

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"parley/internal/memory"
)

// A session is renamed in its row. The name wins over the agent's title on the whole screen, and
// an empty one gives the title back.
func TestRenameInTheList(t *testing.T) {
	dir := t.TempDir()
	drive(t, func(d *driver, o *Options) {
		keeping(oneKept)(d, o)
		o.Names = memory.NewNames(dir)
	}, func(d *driver) {
		d.connected()
		d.press("ctrl+s")
		d.soon()
		d.sees("ctrl+e rename")
		d.types("lexer") // the filter
		d.press("ctrl+e")
		d.sees("› Fix the lexer", "enter save")
		d.types("!")
		d.press("home")
		d.types("Please ")
		d.send(tea.PasteMsg{Content: "do\n"})
		d.press("ctrl+n", "ctrl+x", "up") // no keys of the list
		d.press("enter")
		d.soon()
		d.sees("Please do Fix the lexer!", "1/2")
		d.press("ctrl+e", "ctrl+u", "esc") // changes nothing
		d.sees("Please do Fix the lexer!", "1/2")
		d.press("esc")
		d.sees("2/2")
		d.types("Please")
		d.press("ctrl+d")
		d.sees(`Delete "Please do Fix the lexer!"?`)
		d.press("enter")
		d.soon()
		if title := d.m.View().WindowTitle; !strings.Contains(title, "Please do Fix the lexer!") {
			t.Errorf("the window is called %q", title)
		}
		d.press("ctrl+s", "end", "ctrl+e", "ctrl+u")
		d.sees("› Name of the session")
		d.press("enter")
		d.soon()
		d.sees("2 Fix the lexer")
		d.prompts("")
		if of, err := memory.NewNames(dir).Load(); err != nil || of("fake", "k1") != "" {
			t.Errorf("the name is still stored: %q, %v", of("fake", "k1"), err)
		}
	})
}

func TestRenameCommand(t *testing.T) {
	dir := t.TempDir()
	drive(t, func(_ *driver, o *Options) { o.Names = memory.NewNames(dir) }, func(d *driver) {
		d.connected()
		d.types("/rename  Lexer errors \n")
		d.soon()
		d.sees("Renamed: Lexer errors")
		d.types("/rename\n") // in its row
		d.sees("╭ Sessions", "› Lexer errors", "enter save")
		d.types(" 2\n")
		d.sees("Renamed: Lexer errors 2")
		d.misses("╭ Sessions")
		d.types("/rename\n")
		d.sees("╭ Sessions")
		d.types("x")
		d.press("esc") // closes what the command opened
		d.misses("╭ Sessions")
		d.types("/sessions and more\n\n") // a prompt
		d.rest()
		d.prompts("/sessions and more")
		if of, err := memory.NewNames(dir).Load(); err != nil || of("fake", "s1") != "Lexer errors 2" {
			t.Errorf("the stored name is %q, %v", of("fake", "s1"), err)
		}
	})
}

// Names that cannot be read or stored hold for this run.
func TestBrokenNames(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "names.json"), []byte("?"), 0o600); err != nil {
		t.Fatal(err)
	}
	drive(t, func(_ *driver, o *Options) { o.Names = memory.NewNames(dir) }, func(d *driver) {
		d.connected()
		d.sees("Read the names of sessions")
		d.rest()
		d.types("/rename mine\n")
		d.soon()
		d.sees("Keep the name of the session")
		d.press("ctrl+s")
		d.sees("1 mine")
	})
}

// A session that the agent deletes while its name is edited takes the keys with it: what is typed
// then goes to the filter, and renames no other.
func TestRenameOfOneThatIsGone(t *testing.T) {
	drive(t, keeping(twoKept), func(d *driver) {
		d.connected()
		d.press("ctrl+s")
		d.soon()
		d.types("lexer")
		d.press("ctrl+e")
		d.fake.Answer("session/list", `{"sessions":[]}`)
		d.m.Workspace.List()
		d.run(d.m.sync())
		d.soon()
		d.types("x\n")
		d.sees("0/1")
		if name := d.m.Workspace.NameOf("fake", "k1"); name != "" {
			t.Errorf("it was renamed to %q", name)
		}
	})
}

// offering makes the agent offer session methods, ways to log in and to ask who has.
func (d *driver) offering(session, auth string) {
	d.fake.Capabilities(`,"agentCapabilities":{"loadSession":true,"auth":{` + auth + `},"sessionCapabilities":{"list":{},"close":{},` + session + `}},"authMethods":[{"id":"own","name":"Own login"}]`)
}

// Case 210: the title that the agent has stored is shown, also when it is not what was typed, and its later
// titles do not replace it. A failure is one line, and the name is kept.
func TestRenameByTheAgent(t *testing.T) {
	dir := t.TempDir()
	drive(t, func(d *driver, o *Options) {
		o.Names = memory.NewNames(dir)
		d.offering(`"title":{}`, "")
		d.fake.Answer("session/list", `{"sessions":[{"sessionId":"k1","cwd":"/","title":"Fix the lexer"}]}`)
		d.fake.Answer("session/set_title", `{"title":"Lexer (done)"}`)
	}, func(d *driver) {
		d.connected()
		d.types("/rename lexer\n")
		d.soon()
		d.sees("The agent named it: Lexer (done)")
		d.Agent().Update("s1", `{"sessionUpdate":"session_info_update","title":"From a model"}`)
		d.soon()
		if title := d.m.View().WindowTitle; !strings.Contains(title, "Lexer (done)") {
			t.Errorf("the window is called %q", title)
		}
		d.fake.Fail("session/set_title", -32003, "busy")
		d.press("ctrl+s")
		d.soon()
		d.types("fix")
		d.press("ctrl+e", "ctrl+u")
		d.types("Mine\n")
		d.soon()
		d.press("esc")
		d.sees("Renamed in parley only: the agent answered: busy (-32003)", "Mine")
		d.called("session/set_title", 2)
	})
}
