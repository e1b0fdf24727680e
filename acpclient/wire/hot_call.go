package wire

import "parley/internal/jsonscan"

// HotCall is what a tool call's message says of it: raw values, nil where it does
// not. Content that is not text alone, places that are not as they should be, and
// a null where JSON is shown go the plain way.
type HotCall struct {
	Title, Name, Kind, Status []byte // any value
	RawInput, RawOutput       []byte // sound

	Filled  bool     // it has content
	Texts   [][]byte // that: raw JSON strings, to be decoded or not taken at all
	Located bool     // it has locations
	Places  []HotPlace
}

// HotPlace is a location.
type HotPlace struct {
	Path []byte // a raw JSON string, to be decoded or not taken at all; not the empty one
	Line int    // 0 where it is not told
}

// Says tells whether there is anything.
func (c *HotCall) Says() bool {
	return c.Title != nil || c.Name != nil || c.Kind != nil || c.Status != nil || c.Filled || c.Located || c.RawInput != nil || c.RawOutput != nil
}

// raw takes JSON that will be shown.
func (s *hotScan) raw(into *[]byte) bool {
	if *into != nil {
		return false
	}
	*into = s.at.Sound()
	return *into != nil && jsonscan.KindOf(*into) != jsonscan.Null
}

// texts looks at the content of a tool call.
func (s *hotScan) texts() bool {
	if !s.at.EnterList() {
		return false
	}
	for s.at.Item() {
		var kind, blockType, text []byte
		if !s.at.Enter() || !s.item(&kind, &blockType, &text) || !jsonscan.Is(kind, "content") || !jsonscan.Is(blockType, "text") || text == nil {
			return false
		}
		s.call.Texts = append(s.call.Texts, text)
	}
	return true
}

func (s *hotScan) item(kind, blockType, text *[]byte) bool {
	block := false
	for s.at.Key() {
		ok := true
		switch string(s.at.Name) {
		case "type":
			ok = s.once(kind)
		case "content":
			ok = first(&block) && s.at.Enter() && s.two("type", blockType, "text", text)
		default:
			s.at.Value()
		}
		if !ok {
			return false
		}
	}
	return true
}

// places looks at the locations of a tool call, with DecodeLocation's eyes.
func (s *hotScan) places() bool {
	if !s.at.EnterList() {
		return false
	}
	for s.at.Item() {
		var path, line []byte
		if !s.at.Enter() || !s.two("path", &path, "line", &line) || len(path) <= len(`""`) {
			return false
		}
		p := HotPlace{Path: path}
		if n, ok := jsonscan.Int(line); ok && n > 0 && n < 1<<31 {
			p.Line = int(n)
		}
		s.call.Places = append(s.call.Places, p)
	}
	return true
}
