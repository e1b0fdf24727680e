package thread

import "parley/acpclient/event"

// Files returns the files that the call concerns: those that it changes, then its
// locations. A file may occur more than once.
func (t *Tool) Files() []event.Location {
	var out []event.Location
	for _, c := range t.Content {
		if c.Diff != nil {
			out = append(out, event.Location{Path: c.Diff.Path})
		}
		if c.Changes != nil {
			for _, f := range c.Changes.Files {
				out = append(out, event.Location{Path: f.Path})
			}
		}
	}
	return append(out, t.Locations...)
}
