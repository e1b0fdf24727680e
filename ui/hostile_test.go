package ui

import (
	"context"
	"fmt"
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

	"parley/acpclient/event"
	"parley/internal/fakeagent"
	"parley/internal/safetext"
	"parley/internal/seeds"
	"parley/internal/tty"
	"parley/internal/workspace"
	"parley/ui/uitest"
)

// tap records the kinds of events, and whether their strings held the hostile word.
type tap struct {
	event.Sink
	mu   sync.Mutex
	seen map[string]bool // by kind
}

// Post implements event.Sink.
func (p *tap) Post(e event.Event) {
	p.mu.Lock()
	p.seen[reflect.TypeOf(e).Name()] = true
	p.mu.Unlock()
	p.Sink.Post(e)
}

// hostile is an agent that puts the string everywhere, and a terminal that can be
// told things.
func hostile(protocol, evil string, p *tap) func(*driver, *Options) {
	in := func(s string) string { return strings.ReplaceAll(s, "E", fakeagent.Quote(evil)) }
	return func(d *driver, o *Options) {
		o.Terminal.Notify, o.Terminal.Progress, d.fake.Protocol = tty.NotifyOSC777, true, protocol
		d.fake.On("initialize", func(*fakeagent.Call) (string, error) {
			if protocol == "2" {
				return in(`{"protocolVersion":2,"info":{"name":E,"title":E,"version":E},"capabilities":{"session":{"prompt":{},"delete":{}}}}`), nil
			}
			return in(`{"protocolVersion":1,"agentInfo":{"name":E,"title":E,"version":E},"agentCapabilities":{"loadSession":true,"sessionCapabilities":{"list":{},"resume":{},"close":{},"delete":{}}},"authMethods":[{"id":"x","name":E,"description":E}]}`), nil
		})
		d.fake.NewSessions(in(`,"modes":{"currentModeId":E,"availableModes":[{"id":E,"name":E,"description":E},{"id":"z","name":E}]},"models":{"currentModelId":E,"availableModels":[{"modelId":E,"name":E,"description":E}]}`))
		d.fake.On("session/list", func(*fakeagent.Call) (string, error) {
			return in(`{"sessions":[{"sessionId":E,"cwd":E,"title":E,"updatedAt":E},{"sessionId":"k","cwd":"/x","title":E}],"nextCursor":null}`), nil
		})
		for _, m := range []string{"session/load", "session/resume", "session/set_mode", "session/set_config_option", "session/set_model", "session/delete", "authenticate"} {
			d.fake.Fail(m, -32603, evil)
		}
		d.fake.Turn(func(t *fakeagent.Turn) string {
			for _, u := range uitest.HostileUpdates[protocol] {
				t.Agent.Update("s1", in(u))
			}
			t.Agent.Notify("_"+evil, in(`{"x":E}`))
			t.Wait(time.Hour)
			return evil
		})
		connect := o.Connect
		o.Connect = func(ctx context.Context, a workspace.Spec, sink event.Sink, log *event.Log) (*workspace.Connection, error) {
			for _, src := range []event.LogSource{event.LogStderr, event.LogProtocol} {
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

// clean checks what the driver does not: that no character of a row is invisible, and the other
// output to the terminal.
func (d *driver) clean() {
	d.t.Helper()
	v := d.m.View()
	for _, box := range boxes.FindAllStringSubmatch(d.screen(), -1) {
		d.seenBoxes(strings.TrimSpace(box[1]))
	}
	for i, row := range strings.Split(visible(v), "\n") {
		if wrong := unclean(row); wrong != "" {
			d.t.Fatalf("row %d %s; the screen:\n%.3000q", i, wrong, d.screen())
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
		d.t.Fatalf("the terminal got %q", d.raw)
	}
}

// unclean returns what is wrong with a row, or "". Output of commands may hold
// joiners, and marks as many as fit a cell.
func unclean(row string) string {
	bare := sgrOf.ReplaceAllString(row, "")
	if many := manyMarks.FindString(bare); many != "" {
		return fmt.Sprintf("holds %d marks in one place", len(many)/2)
	}
	if bare = joiners.ReplaceAllString(bare, ""); safetext.Clean(bare) != bare {
		return fmt.Sprintf("is %q, which is not %q", bare, safetext.Clean(bare))
	}
	return ""
}

// visited are the boxes that were on the screen, of all tests.
var visited sync.Map

func (d *driver) seenBoxes(title string) {
	if strings.HasPrefix(title, "Zq") { // the peer's own, with more of it
		title = "Zq"
	}
	visited.Store(title, true)
}

// hostileWalk are the keys that bring every view to the screen, one group after the
// other; each group ends where it began.
var hostileWalk = [][]string{
	{"ctrl+o"}, {"ctrl+o"}, {"ctrl+o"},
	{"f1", "esc"}, {"f2", "pgup", "esc"}, {"f3", "down", "ctrl+x", "esc"},
	{"f5"}, {"f4", "down", "enter", "down", "esc", "esc"}, {"f4", "enter", "enter", "esc", "esc"},
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
		for d.m.Front.Composer.Value() != "" && d.m.conversing() {
			d.press("ctrl+u", "backspace")
		}
	}
}

// fewStrings are those that are tried every day.
var fewStrings = []string{"sequences", "of our own", "many lines"}

// Whatever an agent says, in whatever place: no view of it acts on the terminal,
// deceives who reads it, or is wider than the screen.
func TestHostileStringsInEveryView(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	seen, tried := map[string]bool{}, 0
	for name, evil := range uitest.HostileStrings {
		if !seeds.All() && !slices.Contains(fewStrings, name) {
			continue
		}
		for _, protocol := range []string{"", "2"} {
			t.Run(strings.TrimSpace(name+" "+protocol), func(t *testing.T) {
				p := &tap{seen: map[string]bool{}}
				drive(t, hostile(protocol, evil, p), func(d *driver) { d.hostileVisit(protocol, evil) })
				mu.Lock()
				defer mu.Unlock()
				tried++
				for kind := range p.seen {
					seen[kind] = true
				}
			})
		}
	}
	if all := 2 * len(uitest.HostileStrings); t.Failed() || tried < all && seeds.All() { // by -run
		return
	}
	for _, box := range []string{"Keys", "Sessions", "Zq", "Log", "Actions", "Prompt history", "Running", "Plan", "Prompts", "Options", "fake asks"} {
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
var unheard = []string{"FileWritten", "ToolExamined", "TerminalStarted", "HistoryBegan", "HistoryEnded", "LogGap", "ElicitationCompleted", "PromptFailed", "PromptSteered", "ShellStarted", "ShellOutput", "ShellExited", "ModelChanged"}

func (d *driver) hostileVisit(protocol, evil string) {
	d.t.Helper()
	in := func(s string) string { return strings.ReplaceAll(s, "E", fakeagent.Quote(evil)) }
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
	a := d.Agent()
	go a.Ask(context.Background(), "s1", in(uitest.HostileTool), in(uitest.HostileOptions))
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
		d.t.Error("no notification of the question")
	}
	for d.open() > 0 {
		d.press("alt+a")
		d.rest()
		d.press("esc")
		d.rest()
		d.clean()
	}
	for _, form := range uitest.HostileForms {
		go a.Elicit(context.Background(), in(form))
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
	a.Close()
	d.wait(time.Second)
	d.clean()
}

// eventKinds are the kinds of event that acpclient has.
func eventKinds(t *testing.T) (kinds []string) {
	t.Helper()
	files, err := filepath.Glob("../acpclient/event/*.go")
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
