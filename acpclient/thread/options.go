package thread

import (
	"slices"
	"strings"

	"parley/acpclient/event"
)

// HasModes reports whether the session's modes are used: only if the agent has no
// options other than the legacy models.
func (t *Thread) HasModes() bool {
	return len(t.Modes) > 0 && !slices.ContainsFunc(t.Config, func(o event.ConfigOption) bool { return o.ID != event.LegacyModels })
}

// Option returns the config option that a key means. Of the options in that category it
// is the one that is also named so, or else the first; without any it is the one named
// so. Some agents put the provider into the category of the model. It returns false if
// there is none.
func (t *Thread) Option(key string) (event.ConfigOption, bool) {
	named := func(o event.ConfigOption) bool { return o.ID == key || strings.EqualFold(o.Name, key) }
	for _, means := range []func(event.ConfigOption) bool{
		func(o event.ConfigOption) bool { return o.Category == key && named(o) },
		func(o event.ConfigOption) bool { return o.Category == key },
		named,
	} {
		if i := slices.IndexFunc(t.Config, means); i >= 0 {
			return t.Config[i], true
		}
	}
	return event.ConfigOption{}, false
}
