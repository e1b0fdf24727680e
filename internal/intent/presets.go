package intent

// presets change some of the keys; "default" changes none.
var presets = map[string]map[Context]map[Intent][]string{
	"default": {},
	// The composer then has the modes of vi (widget/editor); these are the keys around them.
	"vim": {
		Transcript: {HalfDown: {"d", "ctrl+d"}, HalfUp: {"u", "ctrl+u"}},
	},
	"emacs": {
		Chat: {
			HistoryBack: {"up", "ctrl+p"}, HistoryForward: {"down", "ctrl+n"}, Palette: {"alt+x"}, Editor: {"alt+e"}, PasteImage: {"alt+i"},
			PageUp: {"pgup", "alt+v"}, PageDown: {"pgdown", "ctrl+v"}, Home: {"ctrl+home", "alt+<"}, End: {"ctrl+end", "alt+>"}, Stop: {"esc", "ctrl+g"},
		},
		Draft:      {LineUp: {"up", "ctrl+p"}, LineDown: {"down", "ctrl+n"}, CharRight: {"right", "ctrl+f"}},
		Transcript: {Next: {"ctrl+n", "j", "down"}, Previous: {"ctrl+p", "k", "up"}, Leave: {"esc", "ctrl+g"}},
		Reading:    {Close: {"esc", "q", "enter", "ctrl+g"}, ScrollUp: {"up", "k", "ctrl+p"}, ScrollDown: {"down", "j", "ctrl+n"}},
		Question:   {Reject: {"esc", "ctrl+g"}},
		Hunks:      {Leave: {"esc", "ctrl+g"}},
	},
}
