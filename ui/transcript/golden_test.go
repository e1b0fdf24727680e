package transcript

import (
	"slices"
	"testing"

	"parley/acpclient/thread"
	"parley/internal/tty"
	"parley/ui/theme"
	"parley/ui/uitest"
)

// colour gives a view the colours that it asks for, as the screen does.
func colour(v *View) {
	for v.Rows(); ; v.Rows() {
		jobs := v.Uncoloured()
		if len(jobs) == 0 {
			return
		}
		for _, j := range jobs {
			j.Run()
			v.Coloured(j)
		}
	}
}

// last returns the last item of a kind.
func last(t *testing.T, th *thread.Thread, k thread.Kind) int {
	for i := len(th.Items) - 1; i >= 0; i-- {
		if th.Items[i].Kind == k {
			return i
		}
	}
	t.Fatalf("no item of kind %v", k)
	return 0
}

// Every kind of item in every way in which it can be seen, at every size and in
// every theme.
func TestGoldenItems(t *testing.T) {
	book := uitest.NewBook("items")
	for _, p := range uitest.Pages() {
		for _, k := range uitest.Kinds() {
			th := k.Thread()
			draw := func(change func(v *View)) []string {
				v := New(th, uitest.Dir, theme.For(p.Theme, tty.Colours{Dark: true}))
				v.SetSize(p.Width, 3000)
				v.Tick(uitest.Now)
				v.Rows()
				change(v)
				v.dirty = true
				colour(v)
				return slices.Clone(v.Rows())
			}
			normal := draw(func(*View) {})
			book.Add(t, p, k.Name, normal)
			if !k.States {
				continue
			}
			i := last(t, th, k.Kind)
			for _, s := range []struct {
				name string
				do   func(v *View)
			}{
				{"opened", func(v *View) { v.layout.choose(i, true) }}, {"closed", func(v *View) { v.layout.choose(i, false) }}, {"selected", func(v *View) { v.SelectItem(i) }},
			} {
				// How an item is marked is seen once a theme.
				if rows := draw(s.do); !slices.Equal(rows, normal) && (s.name != "selected" || p.Height == 24) {
					book.Add(t, p, k.Name+", "+s.name, rows)
				}
			}
		}
	}
	book.Check(t)
}
