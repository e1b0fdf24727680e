package ui

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/acpclient/event"
	"parley/internal/intent"
	"parley/internal/text"
	"parley/internal/undo/undotest"
	"parley/internal/workspace"
	"parley/ui/layer"
	"parley/ui/review"
	"parley/ui/uitest"
)

// boundKeys returns the keys that any layer binds, and a letter that none does.
func boundKeys() []string {
	keys := []string{"1", "7", "N", "a", "c", "m", "n", "o", "y", "z"}
	for _, a := range intent.Actions {
		keys = append(keys, a.Keys...)
	}
	slices.SortFunc(keys, func(a, b string) int { // letters first
		return strings.Compare(fmt.Sprintf("%02d%s", len(a), a), fmt.Sprintf("%02d%s", len(b), b))
	})
	return slices.Compact(keys)
}

// takenBy returns the name of the layer that takes a key, and all layers from the top down.
func (d *driver) takenBy(key string) (name string, all []string) {
	msg := keyPress(key)
	if key == "space" {
		msg.Text = " "
	}
	p := layer.Press{KeyPressMsg: msg, Name: msg.String(), Want: d.m.Keys.Of(intent.Chat, msg.String())}
	d.m.restack() // the state may have been set
	for _, l := range d.m.layers() {
		if l == nil {
			continue
		}
		this := fmt.Sprintf("%T", l)
		this = this[strings.LastIndexByte(this, '.')+1:]
		this = cmp.Or(map[string]string{"find.Bar": "finding", "review.Review": "reviewing", "start.Agents": "start", "start.Login": "list", "start.Address": "address"}[strings.TrimPrefix(fmt.Sprintf("%T", l), "*")], strings.ToLower(this[:1])+this[1:])
		all = append(all, this)
		if name != "" {
			continue
		}
		if _, taken := l.Key(p); taken {
			name = this
		}
	}
	return name, all
}

// The golden file lists, for each state of the screen, the layers from the top down with the keys
// that each takes. Every key is pressed on a screen on which no layer has taken a key.
func TestKeysOfLayers(t *testing.T) {
	t.Parallel()
	chat := func(d *driver) { d.connected() }
	talked := func(d *driver) { d.connected(); d.types("go\n"); d.wait(100 * time.Millisecond) }
	then := func(first func(*driver), keys ...string) func(*driver) {
		return func(d *driver) { first(d); d.press(keys...) }
	}
	rested := func(d *driver) { talked(d); d.rest() }
	asks := func(d *driver, _ *Options) { d.fake.Turn(asking(push, usual)) }
	form := func(d *driver, _ *Options) { d.fake.Turn(eliciting(oneField)) }
	guard := func(d *driver, o *Options) { g := &guarded{}; g.waiting(); g.set(d, o) }
	logsIn := func(d *driver) {
		d.rest()
		d.press("enter")
		d.m.Front.Agent.Log.Add(event.LogStderr, "visit https://login.example.org/")
		d.rest()
	}
	starts := func(_ *driver, o *Options) {
		o.Connect = func(ctx context.Context, _ workspace.Spec, _ event.Sink, _ *event.Log) (*workspace.Connection, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}
	}
	vi, err := intent.NewKeymap("vim", nil)
	if err != nil {
		t.Fatal(err)
	}
	states := []struct {
		name   string
		change func(*driver, *Options)
		reach  func(*driver)
	}{
		{"start page", func(_ *driver, o *Options) { o.Start = "" }, func(*driver) {}},
		{"agent starts", starts, func(*driver) {}},
		{"agent starts, log", starts, func(d *driver) { d.press("f2") }},
		{"agent wants a login", guard, (*driver).rest},
		{"login under way", guard, logsIn},
		{"idle", nil, chat},
		{"draft", nil, then(chat, "h", "i")},
		{"command", nil, then(chat, "/")},
		{"turn runs", func(d *driver, _ *Options) { d.fake.Turn(slow) }, talked},
		{"help", nil, then(chat, "f1")},
		{"list", nil, then(chat, "ctrl+p")},
		{"review", nil, func(d *driver) {
			chat(d)
			d.m.Front.Review.Start(&review.Changes{Journal: &undotest.Journal{}})
		}},
		{"transcript", nil, then(talked, "tab")},
		{"note", nil, then(talked, "tab", ".")},
		{"search", nil, then(talked, "tab", "/")},
		{"what to copy", nil, then(talked, "tab", "y")},
		{"selected text", nil, func(d *driver) { talked(d); d.drags("You", "go") }},
		{"question", asks, rested},
		{"question, help over it", asks, then(rested, "f1")},
		{"question, full screen", asks, then(rested, "f")},
		{"question, while typing", asks, then(talked, "h", "i")},
		{"form", form, rested},
		{"form, while typing", form, then(talked, "h", "i")},
		{"form, while typing, vi", func(d *driver, o *Options) { form(d, o); o.Keys = vi }, then(talked, "h", "i")},
		{"form, selected text", form, func(d *driver) { talked(d); d.types("hi"); d.drags("go", "go") }},
	}
	listed := make([][]string, len(states))
	t.Run("state", func(t *testing.T) {
		for i, s := range states {
			t.Run(s.name, func(t *testing.T) {
				t.Parallel()
				takes := map[string][]string{}
				var layers []string
				dir := t.TempDir()
				for keys := boundKeys(); len(keys) > 0; {
					driveIn(t, dir, s.change, func(d *driver) {
						s.reach(d)
						for by := ""; by == "" && len(keys) > 0; keys = keys[1:] {
							by, layers = d.takenBy(keys[0])
							takes[by] = append(takes[by], keys[0])
						}
					})
				}
				listed[i] = listing(layers, takes)
			})
		}
	})
	var rows []string
	for i, s := range states {
		rows = append(append(rows, "-- "+s.name), listed[i]...)
	}
	uitest.Section(t, "layers", uitest.Page{Name: "keys", Theme: "plain"}, "keys", rows)
}

// listing returns a row for each of the layers that takes a key.
func listing(layers []string, takes map[string][]string) []string {
	var rows []string
	left := len(boundKeys())
	for _, name := range append(layers, "") {
		keys := takes[name]
		words := strings.Join(keys, " ")
		if left -= len(keys); left == 0 && len(keys) > 60 {
			words = "every other key"
		}
		if words == "" {
			continue
		}
		for i, r := range text.Wrap(cmp.Or(name, "(nothing)")+": "+words, 110) {
			if i > 0 {
				r = "    " + r
			}
			rows = append(rows, r)
		}
	}
	return rows
}
