package page

import (
	tea "charm.land/bubbletea/v2"

	"parley/internal/intent"
	"parley/ui/layer"
)

// conversation is the transcript while it has the keys. Text typed there is dropped.
type conversation struct{ c *Page }

func (conversation) Armed() bool { return true }

func (l conversation) Key(p layer.Press) (tea.Cmd, bool) {
	c := l.c
	switch want := c.screen.Keys.Of(intent.Transcript, p.Name); want {
	case intent.Open:
		if it := c.View.Selected(); it != nil && it.Subagent != nil {
			return openSubagent(c, it.Subagent), true
		}
		if !c.View.Toggle() {
			return c.say("Nothing to open here"), true
		}
	case intent.WriteNote:
		return noteOnEntry(c), true
	case intent.ShowMessages:
		return showItemMessages(c), true
	case intent.StopTool:
		return stopSelected(c), true
	case intent.Copy:
		return showCopy(c), true
	case intent.OpenFile:
		return openFile(c), true
	case intent.Search:
		c.find.Start()
	case intent.SearchNext:
		return c.find.Next(1), true
	case intent.SearchPrevious:
		return c.find.Next(-1), true
	case intent.FocusTranscript:
		return switchFocus(c), true
	case intent.Leave:
		if c.find.Open() { // esc first removes the marks of the search
			c.find.End()
			return nil, true
		}
		if c.sub != nil {
			leaveSubagent(c)
			return nil, true
		}
		c.focus(false)
	default:
		if c.step(want) {
			return nil, true
		}
		if p.Want == intent.Stop {
			c.focus(false)
			return nil, true
		}
		return nil, p.Text != "" // keys with a meaning elsewhere keep it
	}
	return nil, true
}
