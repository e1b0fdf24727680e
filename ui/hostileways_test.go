package ui

import (
	"context"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/internal/fakeagent"
	"parley/internal/seeds"
	"parley/internal/tty"
	"parley/ui/uitest"
)

// wary is a paper that looks at what it gets.
type wary struct {
	paper
	peers int // rows with something of the peer's
}

func (w *wary) looks(rows []string) {
	w.t.Helper()
	for _, row := range rows {
		if wrong := unclean(row); wrong != "" {
			w.t.Fatalf("a row %s", wrong)
		}
		if strings.Contains(row, "Zq") {
			w.peers++
		}
	}
}

func (w *wary) Print(rows ...string) { w.t.Helper(); w.looks(rows); w.paper.Print(rows...) }

func (w *wary) Show(v tea.View, urgent bool) {
	w.t.Helper()
	w.looks(strings.Split(visible(v), "\n"))
	w.paper.Show(v, urgent)
}

// The same for what goes into the terminal's scrollback, and the rows below it.
func TestHostileStringsInline(t *testing.T) {
	t.Parallel()
	for name, evil := range uitest.HostileStrings {
		if !seeds.All() && name != "sequences" {
			continue
		}
		for _, protocol := range []string{"", "2"} {
			t.Run(strings.TrimSpace(name+" "+protocol), func(t *testing.T) {
				w := &wary{paper: paper{t: t}}
				p := &tap{seen: map[string]bool{}}
				drive(t, func(d *driver, o *Options) {
					hostile(protocol, evil, p)(d, o)
					o.Inline = true
				}, func(d *driver) {
					w.d = d
					d.m.inline.SetScreen(w.Print)
					d.m.painter = w
					d.hostileVisit(protocol, evil)
				})
				if w.peers < 5 || len(w.printed) == 0 {
					t.Errorf("%d rows are the peer's, %d were written into the scrollback", w.peers, len(w.printed))
				}
			})
		}
	}
}

// Every text sent to the terminal in a sequence is that one sequence with safe text in it.
func TestHostileNotifications(t *testing.T) {
	for kind, frame := range map[tty.Notification][2]string{
		tty.NotifyOSC9:   {"\x1b]9;", "\a"},
		tty.NotifyOSC777: {"\x1b]777;notify;parley;", "\x1b\\"},
		tty.NotifyOSC99:  {"\x1b]99;i=parley-" + strconv.Itoa(os.Getpid()) + ";", "\x1b\\"},
		tty.NotifyBell:   {"\a", ""},
	} {
		for name, evil := range uitest.HostileStrings {
			if !seeds.All() && name != "sequences" {
				continue
			}
			t.Run(string(kind)+" "+name, func(t *testing.T) {
				drive(t, func(d *driver, o *Options) {
					hostile("", evil, &tap{seen: map[string]bool{}})(d, o)
					o.Terminal.Notify = kind
					d.fake.Turn(func(t *fakeagent.Turn) string {
						for _, u := range uitest.HostileUpdates[""] {
							t.Agent.Update("s1", strings.ReplaceAll(u, "E", fakeagent.Quote(evil)))
						}
						time.Sleep(10 * time.Second)
						return "end_turn"
					})
				}, func(d *driver) {
					d.connected()
					d.send(tea.BlurMsg{})
					d.types("go\n")
					d.wait(200 * time.Millisecond)
					in := func(s string) string { return strings.ReplaceAll(s, "E", fakeagent.Quote(evil)) }
					go d.Agent().Ask(context.Background(), "s1", in(uitest.HostileTool), in(uitest.HostileOptions))
					d.wait(3 * time.Second)
					d.told(frame, "waiting for you", kind != tty.NotifyBell)
					d.press("alt+a")
					d.rest()
					d.press("esc")
					d.send(tea.BlurMsg{})
					d.wait(11 * time.Second)
					d.told(frame, "is done", kind != tty.NotifyBell)
				})
			})
		}
	}
}

// told checks that the terminal was sent something, and forgets it.
func (d *driver) told(frame [2]string, what string, words bool) {
	d.t.Helper()
	inner, begins := strings.CutPrefix(d.raw, frame[0])
	inner, ends := strings.CutSuffix(inner, frame[1])
	switch {
	case !begins || !ends:
		d.t.Fatalf("the terminal got %q", d.raw)
	case !words && inner != "":
		d.t.Fatalf("more than a bell: %q", d.raw)
	case words && (!strings.Contains(inner, what) || !strings.Contains(inner, "Zq")):
		d.t.Errorf("the terminal got %q: nothing of %q, or of the peer's", d.raw, what)
	}
	if bad := uitest.Unsafe(inner); bad != "" || unclean(inner) != "" || len([]rune(inner)) > 450 || slices.ContainsFunc([]rune(inner), func(r rune) bool { return r == ';' || r == '\\' || r < ' ' || r >= 0x7f && r < 0xa0 }) {
		d.t.Errorf("within it is %q", inner)
	}
	d.raw = ""
}
