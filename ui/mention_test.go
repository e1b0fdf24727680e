package ui

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/internal/finder"
	"parley/internal/workspace"
	"parley/ui/composer"
)

// someFiles are the files of a test.
type someFiles struct {
	mu      sync.Mutex
	texts   map[string]string
	order   []string
	slow    map[string]time.Duration // by query, or by path
	listing int                      // so many are listed, and more to come
	broken  map[string]error         // by path
	reads   []string
}

func filesOf(paths ...string) *someFiles {
	f := &someFiles{texts: map[string]string{}, slow: map[string]time.Duration{}, broken: map[string]error{}, order: paths}
	for _, p := range paths {
		f.texts[p] = "text of " + p
	}
	return f
}

// Find finds the letters of a query in their order. It pays no heed to being
// given up: its late answers have to be dropped.
func (f *someFiles) Find(_ context.Context, dir, query string) (finder.Found, error) {
	f.mu.Lock()
	wait := f.slow[query]
	f.mu.Unlock()
	time.Sleep(wait)
	f.mu.Lock()
	defer f.mu.Unlock()
	found := finder.Found{Listed: len(f.order), Complete: f.listing == 0}
	if f.listing > 0 {
		found.Listed = f.listing
	}
	for _, p := range f.order {
		var marks []int
		rest := []rune(query)
		for i, r := range []rune(p) {
			if len(rest) > 0 && r == rest[0] {
				marks, rest = append(marks, i), rest[1:]
			}
		}
		if len(rest) == 0 {
			found.Matches = append(found.Matches, finder.Match{Path: p, Marks: marks})
		}
	}
	slices.SortStableFunc(found.Matches, func(a, b finder.Match) int { return len(a.Path) - len(b.Path) })
	return found, nil
}

func (f *someFiles) Read(ctx context.Context, roots []string, path string, from, to int) (finder.Mentioned, error) {
	f.mu.Lock()
	wait, text, there := f.slow[path], f.texts[path], slices.Contains(f.order, path)
	err := f.broken[path]
	f.reads = append(f.reads, path)
	f.mu.Unlock()
	select {
	case <-time.After(wait):
	case <-ctx.Done():
		return finder.Mentioned{}, ctx.Err()
	}
	if !there {
		return finder.Mentioned{}, finder.ErrNoFile
	}
	m := finder.Mentioned{URI: "file:///p/" + path, Name: path, Text: &text}
	if from > 0 {
		m.URI += "#L" + string(rune('0'+from)) + "-L" + string(rune('0'+to))
	}
	if err != nil || strings.HasSuffix(path, "/") {
		m.Text, m.NoTextReason = nil, "a directory"
	}
	return m, err
}

func (f *someFiles) set(change func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change()
}

const embeds = `,"agentCapabilities":{"promptCapabilities":{"embeddedContext":true,"image":true}}`

// withFiles gives the user files, and an agent that takes whatever prompts may
// hold.
func withFiles(f *someFiles) func(*driver, *Options) {
	return func(d *driver, o *Options) {
		o.ReadFile, o.FindFiles = f.Read, f.Find
		d.fake.Capabilities(embeds)
	}
}

// sent compares the last prompt, as JSON, and how many there were.
func (d *driver) sent(n int, want string) {
	d.t.Helper()
	if len(d.Agent().Blocks()) != n || n > 0 && d.Agent().Blocks()[n-1] != want {
		d.t.Fatalf("the agent got\n%s\nwant %d, the last\n%s", strings.Join(d.Agent().Blocks(), "\n"), n, want)
	}
}

func TestMention(t *testing.T) {
	drive(t, withFiles(filesOf("README.md", "ui/", "ui/chat.go", "ui/chat/", "ui/chat/view.go")), func(d *driver) {
		d.connected()
		d.types("look at ")
		cursor := d.m.View().Cursor.Y
		d.types("@uview")
		d.sees("ui/chat/view.go", "tab complete")
		d.misses("README.md")
		if y := d.m.View().Cursor.Y; y != cursor {
			t.Errorf("the composer moved from row %d to %d", cursor, y)
		}
		d.press("enter")
		d.draft("look at @ui/chat/view.go ")
		d.misses("tab complete")
		d.types("please")
		d.press("enter")
		d.wait(50 * time.Millisecond)
		d.sees("▌ look at @ui/chat/view.go please")
		d.sent(1, `[{"type":"text","text":"look at @ui/chat/view.go please"},{"type":"resource","resource":{"uri":"file:///p/ui/chat/view.go","text":"text of ui/chat/view.go"}}]`)
	})
}

func TestMentionKeys(t *testing.T) {
	drive(t, withFiles(filesOf("README.md", "ui/", "ui/chat.go", "ui/chat/", "ui/chat/view.go", "my notes.md", "dir x/", "dir x/y")), func(d *driver) {
		d.connected()
		d.types("@u")
		d.press("enter") // goes into the directory
		d.draft("@ui/")
		d.sees("› ui/chat/", "ui/chat.go", "ui/chat/view.go")
		d.press("down", "tab")
		d.draft("@ui/chat.go ")
		d.press("ctrl+u")
		d.types("@ui")
		d.press("esc") // closed for this word
		d.misses("tab complete")
		d.types("/chat")
		d.misses("tab complete")
		d.types(" @READ")
		d.sees("README.md", "tab complete")
		d.press("up", "up", "tab")
		d.draft("@ui/chat @README.md ")
		d.press("ctrl+u")
		d.types("@notes")
		d.press("tab")
		d.draft(`@"my notes.md" `)
		d.press("ctrl+u")
		d.types("@dir")
		d.press("tab")
		d.draft(`@"dir x/`)
		d.press("enter")
		d.draft(`@"dir x/y" `)
		d.press("ctrl+u")
		d.types("ada@READ `@READ")
		d.misses("tab complete")
		d.press("ctrl+u")
		d.types("@nothing like it")
		d.misses("tab complete")
		d.press("ctrl+u")
		d.types("@README.md") // typed to the end: enter sends
		d.press("enter")
		d.wait(50 * time.Millisecond)
		d.draft("")
		d.prompts("@README.md")
	})
}

// A completion replaces the word that the cursor is in, and keeps lines.
func TestMentionInTheMiddle(t *testing.T) {
	f := filesOf("ui/chat/view.go")
	drive(t, withFiles(f), func(d *driver) {
		d.connected()
		d.types("see @vi:3-5")
		d.press("tab")
		d.draft("see @ui/chat/view.go:3-5 ")
		d.press("ctrl+u")
		d.types("see @vixx:3 now")
		d.press("left", "left", "left", "left", "left", "left", "left", "left", "left", "right") // after @vi
		d.press("tab")
		d.draft("see @ui/chat/view.go:3 now")
		d.press("enter")
		d.wait(50 * time.Millisecond)
		d.sent(1, `[{"type":"text","text":"see @ui/chat/view.go:3 now"},{"type":"resource","resource":{"uri":"file:///p/ui/chat/view.go#L3-L3","text":"text of ui/chat/view.go"}}]`)
	})
}

// The result for an earlier query is dropped; a key that came before the
// answer waits for it.
func TestMentionLate(t *testing.T) {
	f := filesOf("alpha", "beta")
	f.slow["a"], f.slow["b"], f.slow["be"], f.slow["zz"] = 2*time.Second, time.Second, time.Second, time.Second
	drive(t, withFiles(f), func(d *driver) {
		d.connected()
		d.types("@a")
		d.press("backspace")
		d.types("be")
		d.wait(1100 * time.Millisecond)
		d.sees("beta")
		d.wait(2 * time.Second)
		d.sees("beta")
		d.misses("alpha")
		d.press("ctrl+u")
		d.types("@be")
		d.press("enter")
		d.draft("@be")
		d.wait(1100 * time.Millisecond)
		d.draft("@beta ")
		d.prompts("")
		d.press("ctrl+u")
		d.types("@zz")
		d.press("ctrl+u") // the word is gone when the answer comes
		d.wait(2 * time.Second)
		d.misses("tab complete")
		d.draft("")
	})
}

func TestMentionListing(t *testing.T) {
	f := filesOf("alpha", "alabama")
	f.listing = 34112
	drive(t, withFiles(f), func(d *driver) {
		d.connected()
		d.types("@al")
		d.sees("alpha", "Listing… 34,112 files")
		d.press("down")
		f.set(func() { f.listing, f.order = 0, append(f.order, "al") })
		d.wait(200 * time.Millisecond)
		d.sees("› alabama", "tab complete") // what was chosen stays
		d.misses("Listing")
	})
}

func TestMentionHostile(t *testing.T) {
	drive(t, withFiles(filesOf("x\x1b[31mred\u202egpj.exe", strings.Repeat("long/", 40)+"end.go")), func(d *driver) {
		d.hidden = "\u202e"
		d.connected()
		d.types("@red")
		d.sees(`x\x1b[31mred\u202egpj.exe`)
		d.press("tab")
		d.draft(`@"x\x1b[31mred\u202egpj.exe" `)
		d.press("enter")
		d.wait(50 * time.Millisecond)
		if got, _, _ := seen(d.Agent()); got != `@"x\x1b[31mred\u202egpj.exe"`+" " {
			t.Errorf("sent %q", got)
		}
		d.types("@end")
		d.sees("long/end.go") // its end can be read
	})
}

// A mention without a file is sent as text. An agent without embedded context gets a link. A
// file that cannot be read is sent as a link, and a notice says so.
func TestMentionedBlocks(t *testing.T) {
	f := filesOf("a", "b", "dir/")
	f.broken["b"] = errors.New("read b: permission denied")
	drive(t, withFiles(f), func(d *driver) {
		d.connected()
		d.types("@a @gone @b, `@a` @dir/ ")
		d.press("enter")
		d.wait(50 * time.Millisecond)
		d.sees("b is sent as a link: read b: permission denied")
		d.sent(1, `[{"type":"text","text":"@a @gone @b, `+"`@a`"+` @dir/ "},{"type":"resource","resource":{"uri":"file:///p/a","text":"text of a"}},`+
			`{"name":"b","type":"resource_link","uri":"file:///p/b"},{"name":"dir/","type":"resource_link","uri":"file:///p/dir/"}]`)
	})
	drive(t, func(d *driver, o *Options) { o.ReadFile, o.FindFiles = f.Read, f.Find }, func(d *driver) {
		d.connected()
		d.types("see @a ")
		d.press("enter")
		d.wait(50 * time.Millisecond)
		d.sent(1, `[{"type":"text","text":"see @a "},{"name":"a","type":"resource_link","uri":"file:///p/a"}]`)
	})
}

// Prompts go out in the order of sending, each once, however long their files
// take.
func TestMentionOrder(t *testing.T) {
	for _, protocol := range []string{"1", "2"} {
		f := filesOf("a", "b")
		f.slow["a"] = time.Second
		drive(t, func(d *driver, o *Options) { o.ReadFile, o.FindFiles, d.fake.Protocol = f.Read, f.Find, protocol }, func(d *driver) {
			d.connected()
			d.types("one @a \ntwo\nthree @b \nfour")
			d.wait(100 * time.Millisecond)
			d.prompts("")
			d.sees("reading files", `"two"`)
			d.wait(3 * time.Second)
			d.prompts("one @a |two|three @b ")
			d.draft("four")
			d.misses("reading files", "queued")
		})
	}
}

// esc before the prompt is sent returns it to the composer.
func TestMentionGivenUp(t *testing.T) {
	f := filesOf("a")
	f.slow["a"] = time.Second
	drive(t, withFiles(f), func(d *driver) {
		d.connected()
		d.types("one @a ")
		d.press("enter")
		d.types("draft")
		d.press("esc")
		d.draft("one @a \ndraft")
		d.wait(3 * time.Second)
		d.prompts("")
	})
}

// A connection that ends meanwhile loses nothing: the prompt goes to the next
// session, once.
func TestMentionLost(t *testing.T) {
	f := filesOf("a")
	f.slow["a"] = time.Second
	drive(t, withFiles(f), func(d *driver) {
		d.connected()
		d.types("one @a ")
		d.press("enter")
		first := d.Agent()
		first.Close()
		d.wait(100 * time.Millisecond)
		d.press("enter") // starts it again
		d.wait(3 * time.Second)
		d.prompts("one @a ")
		if got, _, _ := seen(first); got != "" {
			t.Errorf("the first agent got %q", got)
		}
		d.draft("")
	})
	drive(t, withFiles(f), func(d *driver) {
		d.connected()
		d.types("one @a ")
		d.press("enter")
		d.Agent().Close()
		d.wait(3 * time.Second)
		d.draft("one @a ")
		d.sees("Not sent")
	})
}

// An agent that runs elsewhere gets no files: mentions are sent as text.
func TestMentionRemote(t *testing.T) {
	f := filesOf("a")
	for _, shared := range []bool{false, true} {
		drive(t, func(d *driver, o *Options) {
			withFiles(f)(d, o)
			o.Agents[0].Remote, o.Agents[0].Shared = true, shared
		}, func(d *driver) {
			d.connected()
			d.types("one @a \n")
			d.wait(50 * time.Millisecond)
			if shared {
				d.misses("@ stays text")
				d.sent(1, `[{"type":"text","text":"one @a "},{"type":"resource","resource":{"uri":"file:///p/a","text":"text of a"}}]`)
				return
			}
			d.sees("gets no files")
			d.sent(1, `[{"type":"text","text":"one @a "}]`)
			d.wait(6 * time.Second)
			d.types("two @a \n")
			d.wait(50 * time.Millisecond)
			d.misses("gets no files") // once is enough
			d.sent(2, `[{"type":"text","text":"two @a "}]`)
		})
	}
}

// Without anything to find files with, an @ is an @.
func TestMentionNothing(t *testing.T) {
	drive(t, nil, func(d *driver) {
		d.connected()
		d.types("one @a\n")
		d.wait(50 * time.Millisecond)
		d.sent(1, `[{"type":"text","text":"one @a"}]`)
	})
}

// BenchmarkMentionKey measures a key press in a mention: the popup with
// its fifty lines and the view, apart from the search.
func BenchmarkMentionKey(b *testing.B) {
	f := filesOf()
	for range 50 {
		f.order = append(f.order, "internal/some/where/"+strings.Repeat("x", len(f.order))+"/view.go")
	}
	m := New(Options{FrontEnd: workspace.FrontEnd{Options: workspace.Options{Cwd: "/p", ReadFile: f.Read, Agents: []workspace.Spec{{Name: "fake"}}}}, Tools: composer.Tools{FindFiles: f.Find}, Theme: "dark"})
	m.Update(tea.WindowSizeMsg{Width: 200, Height: 50})
	m.Choosing = false
	for _, r := range "look at @" {
		m.Update(tea.KeyPressMsg{Code: r, Text: string(r)})
	}
	b.ReportAllocs()
	for b.Loop() {
		_, cmd := m.Update(tea.KeyPressMsg{Code: 'v', Text: "v"})
		m.Update(cmd()) // what was found
		m.View()
		m.Update(keyPress("backspace"))
		m.View()
	}
}

// A long prompt is looked through like any other.
func TestMentionInALongText(t *testing.T) {
	drive(t, withFiles(filesOf("a")), func(d *driver) {
		d.connected()
		long := strings.Repeat("x ", 40_000)
		d.send(tea.PasteMsg{Content: long})
		d.types(" @a \n")
		d.wait(50 * time.Millisecond)
		d.sent(1, `[{"type":"text","text":"`+long+` @a "},{"type":"resource","resource":{"uri":"file:///p/a","text":"text of a"}}]`)
	})
}

// A turn may end before the screen knows that its prompt was sent: the queue after it is still
// sent.
func TestMentionFastTurn(t *testing.T) {
	f := filesOf("a")
	f.slow["a"] = 100 * time.Millisecond
	drive(t, withFiles(f), func(d *driver) {
		d.connected()
		d.types("one @a \ntwo\n")
		var late tea.Msg
		for range 50 {
			time.Sleep(10 * time.Millisecond)
			synctest.Wait()
			for msg, ok := d.nextMessage(); ok; msg, ok = d.nextMessage() {
				if r, ok := msg.(resultMsg); ok && late == nil {
					if _, events := r.Result.(*workspace.Batch); !events {
						late = msg
						continue
					}
				}
				d.update(msg)
			}
		}
		d.prompts("one @a ")
		d.sees("You said: one @a")
		d.send(late)
		d.wait(100 * time.Millisecond)
		d.prompts("one @a |two")
		d.misses("queued")
	})
}
