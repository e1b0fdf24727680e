package ui

import (
	"context"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/internal/safetext"
	"parley/ui/uitest"
)

// hostileStrings are what a peer puts wherever it can put a string. Each begins
// with a word that can be looked for.
var hostileStrings = map[string]string{
	"sequences":   "Zq\x1b]52;c;eA==\x07\x1b[2J\x1b[1;1H\u009b31m\x1b]0;title\x1b\\\x1bPq\x1b\\\x00\r\x08\x7f;a\\b",
	"unfinished":  "Zq\x1b]0;never ends \x1b[38;5;",
	"bidi":        "Zq\u202e\u2066abc\u2069\u200f\u061c \u05d0\u05d1 end",
	"zero width":  "Zq\u200b\u2060\ufeff\u00ad\u200d\u2063\U000e0041\U000e007f\u034f\u115f\u3164 end",
	"many lines":  "Zq\n\n\nb\tc\r\nd\u2028e\u2029f\x0bg\x85h",
	"long":        "Zq" + strings.Repeat("W", 3000),
	"wide":        "Zq" + strings.Repeat("漢字", 700) + strings.Repeat("👨‍👩‍👧‍👦", 50),
	"marks":       "Zq" + strings.Repeat("e"+strings.Repeat("\u0301", 300), 20),
	"of our own":  "Zq │ ╭─╮ › ▌ y allow once · esc reject ✓ \x1b[0m",
	"only blanks": "Zq" + strings.Repeat(" ", 500) + "\u00a0\u2003\u3000",
}

// hostileUpdates are updates of v1 and v2 with E in every place for a string.
var hostileUpdates = map[string][]string{"": {
	`{"sessionUpdate":"agent_message_chunk","messageId":E,"content":{"type":"text","text":E}}`,
	`{"sessionUpdate":"agent_message_chunk","content":{"type":"image","mimeType":E,"uri":E,"data":E}}`,
	`{"sessionUpdate":"user_message_chunk","content":{"type":"resource","resource":{"uri":E,"mimeType":E,"text":E}}}`,
	`{"sessionUpdate":"agent_thought_chunk","content":{"type":"resource_link","uri":E,"name":E,"title":E,"mimeType":E}}`,
	`{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":E}}`,
	`{"sessionUpdate":"agent_message_chunk","content":{"type":E,"x":E}}`,
	`{"sessionUpdate":"tool_call","toolCallId":E,"title":E,"name":E,"kind":E,"status":E,"rawInput":E,"rawOutput":{"a":[E]},"locations":[{"path":E}],` +
		`"content":[{"type":"diff","path":E,"oldText":E,"newText":E},{"type":"terminal","terminalId":E},{"type":E,"a":E},{"type":"content","content":{"type":"text","text":E}}],` +
		`"_meta":{"terminal_info":{"terminal_id":E,"cwd":E},"terminal_output":{"terminal_id":E,"data":E},"terminal_exit":{"terminal_id":E,"signal":E}}}`,
	`{"sessionUpdate":"tool_call","toolCallId":"run","title":E,"kind":"execute","status":"completed","rawInput":{"command":E,"cwd":E}}`,
	`{"sessionUpdate":"tool_call","toolCallId":"edit","title":E,"kind":"edit","status":"failed","rawInput":{"path":E},"locations":[{"path":E}]}`,
	`{"sessionUpdate":"tool_call","toolCallId":"goes on","title":E,"kind":"fetch","status":"in_progress"}`,
	`{"sessionUpdate":"plan","entries":[{"content":E,"priority":E,"status":E},{"content":E,"priority":"high","status":"pending"}]}`,
	`{"sessionUpdate":"available_commands_update","availableCommands":[{"name":E,"description":E,"input":{"hint":E}},{"name":"zq","description":E,"input":{"hint":E}}]}`,
	`{"sessionUpdate":"current_mode_update","currentModeId":E}`,
	`{"sessionUpdate":"config_option_update","configOptions":[{"id":E,"name":E,"category":E,"type":"select","currentValue":E,"options":[{"value":E,"name":E,"description":E},{"value":"w","name":E}]},` +
		`{"id":"m","name":E,"category":"mode","type":"select","currentValue":E,"options":[{"value":E,"name":E,"description":E}]},{"id":"l","name":E,"category":"model","type":"select","currentValue":E,"options":[{"group":E,"name":E,"options":[{"value":E,"name":E}]}]},` +
		`{"id":"b","name":E,"description":E,"type":"boolean","currentValue":true},{"id":"o","name":E,"type":E,"currentValue":E}]}`,
	`{"sessionUpdate":"session_info_update","title":E,"updatedAt":E}`,
	`{"sessionUpdate":"usage_update","used":1,"size":2,"cost":{"amount":1,"currency":E}}`,
	`{"sessionUpdate":"notice","severity":E,"title":E,"description":E}`,
	`{"sessionUpdate":"compaction_update","compactionId":E,"status":E,"summary":[{"type":"text","text":E}],"error":E}`,
	`{"sessionUpdate":"compaction_summary_chunk","compactionId":E,"content":{"type":"text","text":E}}`,
	`{"sessionUpdate":E,"x":E}`,
}, "2": {
	`{"sessionUpdate":"user_message","messageId":"u7","content":[{"type":"text","text":E},{"type":E,"text":E}]}`,
	`{"sessionUpdate":"agent_message","messageId":E,"content":[{"type":"text","text":E},{"type":"image","mimeType":E,"uri":E,"data":E},{"type":"resource_link","uri":E,"name":E}]}`,
	`{"sessionUpdate":"agent_message_chunk","messageId":E,"content":{"type":"text","text":E}}`,
	`{"sessionUpdate":"agent_thought","messageId":"t7","content":[{"type":"text","text":E}]}`,
	`{"sessionUpdate":"tool_call_update","toolCallId":E,"title":E,"name":E,"kind":E,"status":E,"rawInput":{"command":E},"rawOutput":E,"locations":[{"path":E}],"capabilities":{"cancel":{}},` +
		`"content":[{"type":"diff","changes":[{"operation":E,"path":E,"oldPath":E,"fileType":E},{"operation":"move","path":E,"oldPath":E}],"patch":{"format":E,"text":E}},{"type":"terminal","terminalId":E}]}`,
	`{"sessionUpdate":"tool_call_content_chunk","toolCallId":E,"content":{"type":"content","content":{"type":"text","text":E}}}`,
	`{"sessionUpdate":"tool_call_update","toolCallId":"goes on","title":E,"kind":"execute","status":"in_progress","capabilities":{"cancel":{}}}`,
	`{"sessionUpdate":"terminal_update","terminalId":E,"command":E,"cwd":E,"capabilities":{"cancel":{}},"exitStatus":{"signal":E}}`,
	`{"sessionUpdate":"terminal_update","terminalId":"t1","command":E,"cwd":E,"capabilities":{"cancel":{}}}`,
	`{"sessionUpdate":"terminal_update","terminalId":"t1","output":{"data":"G1sySlp"}}`,
	`{"sessionUpdate":"terminal_update","terminalId":"t1","output":{"data":"G1sySlpx"}}`,
	`{"sessionUpdate":"terminal_output_chunk","terminalId":"t1","data":"G1sySlpx"}`,
	`{"sessionUpdate":"plan_update","plan":{"planId":E,"type":"items","entries":[{"content":E,"priority":E,"status":E}]}}`,
	`{"sessionUpdate":"plan_update","plan":{"planId":E,"type":E,"content":E}}`,
	`{"sessionUpdate":"state_update","state":E,"background":[{"type":"terminal","terminalId":"t1"},{"type":"tool_call","toolCallId":E},{"type":E}]}`,
}}

// hostileForms are what is asked for besides permission.
var hostileForms = []string{
	`{"sessionId":"s1","mode":"form","message":E,"requestedSchema":{"type":"object","title":E,"description":E,"properties":{
	E:{"type":"string","title":E,"description":E,"default":E},"n":{"type":"integer","title":E,"description":E,"minimum":1},"b":{"type":"boolean","title":E,"default":true},
	"w":{"type":"string","title":E,"oneOf":[{"const":E,"title":E},{"const":"s","title":E}],"default":E},"p":{"type":"array","title":E,"items":{"type":"string","enum":[E,"x"]}},
	"secret":{"type":"string","title":E,"format":"password"}},"required":[E,"n"]}}`,
	`{"sessionId":"s1","mode":"url","elicitationId":E,"message":E,"url":"https://example.org/?q=Zq"}`,
	`{"sessionId":"s1","mode":"url","elicitationId":"e2","message":E,"url":E}`,
}

const hostileTool = `{"toolCallId":"asked","title":E,"name":E,"kind":"execute","status":"pending","rawInput":{"command":E,"cwd":E,E:E},"locations":[{"path":E}],"content":[{"type":"content","content":{"type":"text","text":E}},{"type":"diff","path":E,"oldText":E,"newText":E}]}`
const hostileOptions = `[{"optionId":E,"name":E,"kind":"allow_once"},{"optionId":"ever","name":E,"kind":"allow_always"},{"optionId":"no","name":E,"kind":"reject_once"}]`

// tap notes which events there were, and whether their strings held the word.
type tap struct {
	acpclient.Sink
	mu   sync.Mutex
	seen map[string]bool // by kind
}

// Post implements acpclient.Sink.
func (p *tap) Post(e acpclient.Event) {
	p.mu.Lock()
	p.seen[reflect.TypeOf(e).Name()] = true
	p.mu.Unlock()
	p.Sink.Post(e)
}

// hostile is an agent that puts the string everywhere, and a terminal that can be
// told things.
func hostile(protocol, evil string, p *tap) func(*driver, *Options) {
	in := func(s string) string { return strings.ReplaceAll(s, "E", quoted(evil)) }
	return func(d *driver, o *Options) {
		o.Notify, o.Progress, d.protocol = NotifyOSC777, true, protocol
		d.on["initialize"] = func(*call) (string, error) {
			if protocol == "2" {
				return in(`{"protocolVersion":2,"info":{"name":E,"title":E,"version":E},"capabilities":{"session":{"prompt":{},"delete":{}}}}`), nil
			}
			return in(`{"protocolVersion":1,"agentInfo":{"name":E,"title":E,"version":E},"agentCapabilities":{"loadSession":true,"sessionCapabilities":{"list":{},"resume":{},"close":{},"delete":{}}},"authMethods":[{"id":"x","name":E,"description":E}]}`), nil
		}
		d.on["session/new"] = newSession(in(`,"modes":{"currentModeId":E,"availableModes":[{"id":E,"name":E,"description":E},{"id":"z","name":E}]},"models":{"currentModelId":E,"availableModels":[{"modelId":E,"name":E,"description":E}]}`))
		d.on["session/list"] = func(*call) (string, error) {
			return in(`{"sessions":[{"sessionId":E,"cwd":E,"title":E,"updatedAt":E},{"sessionId":"k","cwd":"/x","title":E}],"nextCursor":null}`), nil
		}
		for _, m := range []string{"session/load", "session/resume", "session/set_mode", "session/set_config_option", "session/set_model", "session/delete", "authenticate"} {
			d.on[m] = func(*call) (string, error) { return fails(-32603, evil) }
		}
		d.turn = func(t *turn) string {
			for _, u := range hostileUpdates[protocol] {
				t.a.update(in(u))
			}
			t.a.peer.Notify("_"+evil, json.RawMessage(in(`{"x":E}`)))
			t.until(time.Hour)
			return evil
		}
		connect := o.Connect
		o.Connect = func(ctx context.Context, a Agent, sink acpclient.Sink, log *acpclient.Log) (*Connection, error) {
			for _, src := range []acpclient.LogSource{acpclient.LogStderr, acpclient.LogProtocol} {
				log.Add(src, safetext.Line(evil, 500))
			}
			p.Sink = sink
			return connect(ctx, a, p, log)
		}
	}
}

var (
	sgrOf     = regexp.MustCompile("\x1b\\[[0-9;:]*m")
	joiners   = regexp.MustCompile(`\x{200d}|\p{Mn}`)
	manyMarks = regexp.MustCompile(`\p{Mn}{33,}`)
	boxes     = regexp.MustCompile(`╭ ([a-zA-Z ]+)`)
)

// clean checks what the driver does not: that nothing of a row is invisible, and
// what the terminal is told besides.
func (d *driver) clean() {
	d.t.Helper()
	v := d.m.View()
	for _, box := range boxes.FindAllStringSubmatch(d.screen(), -1) {
		d.seenBoxes(strings.TrimSpace(box[1]))
	}
	for i, row := range strings.Split(v.Content, "\n") {
		// Output of commands may hold joiners, and marks as many as fit a cell.
		bare := sgrOf.ReplaceAllString(row, "")
		if many := manyMarks.FindString(bare); many != "" {
			d.t.Fatalf("row %d holds %d marks in one place", i, len(many)/2)
		}
		if bare = joiners.ReplaceAllString(bare, ""); safetext.Clean(bare) != bare {
			d.t.Fatalf("row %d is %q, which is not %q; the screen:\n%.3000q", i, bare, safetext.Clean(bare), d.screen())
		}
	}
	if safetext.Line(v.WindowTitle, 300) != strings.TrimSpace(v.WindowTitle) {
		d.t.Fatalf("the title is %q", v.WindowTitle)
	}
	if d.raw == "" {
		return
	}
	inner := strings.TrimSuffix(strings.TrimPrefix(d.raw, "\x1b]777;notify;parley;"), "\x1b\\")
	if bad := uitest.Unsafe(inner); bad != "" || len(inner) == len(d.raw) || len([]rune(inner)) > 450 || strings.ContainsAny(inner, ";\x1b") {
		d.t.Fatalf("the terminal is told %q", d.raw)
	}
}

// visited are the boxes that were on the screen, of all tests.
var visited sync.Map

func (d *driver) seenBoxes(title string) { visited.Store(title, true) }

// hostileWalk are the keys that bring every view to the screen, one group after the
// other; each group ends where it began.
var hostileWalk = [][]string{
	{"ctrl+o"}, {"ctrl+o"}, {"ctrl+o"},
	{"f1", "esc"}, {"f2", "pgup", "esc"}, {"f3", "down", "ctrl+x", "esc"},
	{"f4", "down", "enter", "down", "esc", "esc"}, {"f4", "enter", "enter", "esc", "esc"},
	{"ctrl+t", "down", "esc"}, {"ctrl+t"}, {"ctrl+p", "down", "pgdown", "esc"},
	{"ctrl+s", "down", "down", "ctrl+d", "esc", "esc"}, {"ctrl+s", "Z", "enter", "esc"},
	{"/", "z", "q", "tab", " ", "ctrl+u", "esc"}, {"ctrl+r", "Z", "esc"},
	{"/", "m", "o", "d", "e", "enter", "down", "esc"}, {"/", "m", "o", "d", "e", "l", "enter", "down", "enter", "esc"}, {"/", "t", "r", "u", "s", "t", "enter", "down", "esc"},
	{"/", "t", "u", "r", "n", "s", "enter", "down", "esc"}, {"/", "w", "o", "r", "k", "enter", "esc"}, {"/", "p", "l", "a", "n", "enter", "esc"},
	{"/", "c", "h", "a", "n", "g", "e", "s", "enter", "esc"}, {"/", "t", "h", "e", "m", "e", "enter", "down", "esc"},
	{"tab", "g", "space", "j", "space", "j", "space", "j", "space", "j", "space", "j", "space", "j", "space", "k", "i", "down", "esc", "y", "/", "Z", "enter", "n", "esc", "esc"},
	{"pgup", "pgup", "ctrl+home", "ctrl+end"},
}

func (d *driver) walks() {
	d.t.Helper()
	for _, keys := range hostileWalk {
		for _, k := range keys {
			d.press(k)
			d.clean()
		}
		d.wait(30 * time.Millisecond)
		d.clean()
		for d.m.chat.composer.Value() != "" && d.m.page == chatPage {
			d.press("ctrl+u", "backspace")
		}
	}
}

// Whatever an agent says, in whatever place: no view of it acts on the terminal,
// deceives who reads it, or is wider than the screen.
func TestHostileStringsInEveryView(t *testing.T) {
	var mu sync.Mutex
	seen := map[string]bool{}
	for name, evil := range hostileStrings {
		for _, protocol := range []string{"", "2"} {
			t.Run(strings.TrimSpace(name+" "+protocol), func(t *testing.T) {
				p := &tap{seen: map[string]bool{}}
				drive(t, hostile(protocol, evil, p), func(d *driver) { d.hostileVisit(protocol, evil) })
				mu.Lock()
				defer mu.Unlock()
				for kind := range p.seen {
					seen[kind] = true
				}
			})
		}
	}
	if t.Failed() {
		return
	}
	for _, box := range []string{"keys", "sessions", "Zq", "log", "actions", "history", "going on", "plan", "turns", "options", "fake asks"} {
		if _, ok := visited.Load(box); !ok {
			t.Errorf("no box %q was on the screen", box)
		}
	}
	for _, kind := range eventKinds(t) {
		if !seen[kind] && !slices.Contains(unheard, kind) {
			t.Errorf("no event of the kind %s came", kind)
		}
	}
}

// unheard are the events that no agent can make in this test: of files and
// commands that it uses, of histories, of what the user does besides.
var unheard = []string{"FileWritten", "TerminalStarted", "HistoryBegan", "HistoryEnded", "LogGap", "ElicitationCompleted", "PromptFailed", "ShellStarted", "ShellOutput", "ShellExited", "ModelChanged"}

func (d *driver) hostileVisit(protocol, evil string) {
	d.t.Helper()
	in := func(s string) string { return strings.ReplaceAll(s, "E", quoted(evil)) }
	d.connected()
	d.clean()
	d.send(tea.BlurMsg{})
	d.types("go\n")
	d.wait(200 * time.Millisecond)
	sizes := []tea.WindowSizeMsg{{Width: 40, Height: 12}, {Width: 120, Height: 40}}
	for _, size := range sizes {
		d.send(size)
		d.clean()
		d.walks()
	}
	a := d.agent
	go a.ask("s1", in(hostileTool), in(hostileOptions))
	d.wait(3 * time.Second)
	for _, size := range sizes {
		d.send(size)
		for _, k := range []string{"tab", "d", "pgdown", "d", "f", "down", "pgdown", "f", "r", "down", "esc"} {
			d.press(k)
			d.clean()
		}
		d.rest()
	}
	if d.raw == "" {
		d.t.Error("nobody was told of the question")
	}
	for d.open() > 0 {
		d.press("alt+a")
		d.rest()
		d.press("esc")
		d.rest()
		d.clean()
	}
	for _, form := range hostileForms {
		go a.elicit(in(form))
		d.wait(3 * time.Second)
		for _, size := range sizes {
			d.send(size)
			for _, k := range []string{"tab", "down", "space", "down", "Z", "down", "down", "down", "enter", "up"} {
				d.press(k)
				d.clean()
			}
		}
		for range 4 {
			d.press("esc")
			d.rest()
			d.clean()
		}
	}
	for range 3 {
		d.press("esc")
		d.wait(3 * time.Second)
		d.clean()
	}
	d.send(tea.WindowSizeMsg{Width: 40, Height: 12})
	a.peer.Close(nil)
	d.wait(time.Second)
	d.clean()
}

// eventKinds are the kinds of event that acpclient has.
func eventKinds(t *testing.T) (kinds []string) {
	t.Helper()
	files, err := filepath.Glob("../acpclient/*.go")
	if err != nil {
		t.Fatal(err)
	}
	of := func(n ast.Node) bool {
		spec, ok := n.(*ast.TypeSpec)
		if !ok {
			return true
		}
		if s, ok := spec.Type.(*ast.StructType); ok && spec.Name.IsExported() && len(s.Fields.List) > 0 && len(s.Fields.List[0].Names) == 0 {
			if id, ok := s.Fields.List[0].Type.(*ast.Ident); ok && id.Name == "For" {
				kinds = append(kinds, spec.Name.Name)
			}
		}
		return true
	}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, of)
	}
	if len(kinds) < 25 {
		t.Fatalf("only %d kinds of event: %v", len(kinds), kinds)
	}
	return kinds
}
