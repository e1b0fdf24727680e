package page

import (
	"parley/acpclient/thread"
	"parley/internal/describe"
	"parley/internal/words"
	"parley/ui/status"
)

// maxRecent is how many entries at the end of a conversation are looked at for what runs.
const maxRecent = 200

// recent returns the entries at the end of the conversation.
func (c *Page) recent() []*thread.Item {
	return c.Thread.Items[max(0, len(c.Thread.Items)-maxRecent):]
}

// runs reports whether a call has begun and not ended.
func runs(call *thread.Tool) bool { return call.Live() && call.State() != thread.ToolPending }

// Runs returns what runs in the session, the newest last.
func (c *Page) Runs() (all []status.SideRun) {
	for _, it := range c.recent() {
		call := it.Tool
		if call == nil || !runs(call) {
			continue
		}
		run := status.SideRun{Title: words.OneLine(verbed(call))}
		if paths := call.Paths(); len(paths) > 0 && call.Command() == "" {
			run = status.SideRun{Title: describe.Verb(call), Path: paths[0]}
		}
		all = append(all, run)
	}
	for _, run := range c.shells.All() {
		all = append(all, status.SideRun{Title: "! " + run.Line})
	}
	return all
}
