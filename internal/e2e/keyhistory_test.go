//go:build unix

package e2e

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/png"
	"os"
	"strings"
)

func walksHistory(d *desk) {
	s := d.start(90, 24, scripted(d)...)
	s.Turn("sent by the run before")
	s.Turn("sent\x1b\rin two lines")
	s.quit()

	s = d.start(90, 24, scripted(d)...)
	s.Type("not sent")
	s.WaitDraft("not sent")
	s.Press("ctrl+c")
	s.WaitDraft("")
	s.Type("half typed")
	s.WaitDraft("half typed")
	s.Press("up")
	s.WaitDraft("not sent")
	s.Press("up")
	s.WaitDraft("sentin two lines")
	s.Press("up", "up") // through the lines of the draft first
	s.WaitDraft("sent by the run before")
	s.Press("down", "end", "down")
	s.WaitDraft("not sent")
	s.Press("down")
	s.WaitDraft("half typed")
	s.Press("ctrl+c")
	s.WaitDraft("")
	s.Press("up", "up", "up", "up", "up")
	s.WaitDraft("sent by the run before")
	s.Press("enter")
	s.WaitFor("heard: sent by the run before")
}

func takesQueued(d *desk) {
	s := d.start(90, 24, scripted(d)...)
	s.Prompt("hold")
	s.WaitFor("holding")
	s.Prompt("one")
	s.Prompt("two")
	s.Prompt("three")
	s.WaitFor(`queued 3  "three"`, "↑ edit", "⌫ drop")
	s.Press("backspace")
	s.WaitGone(`"three"`)
	s.Press("up")
	s.WaitDraft("two")
	s.Type(" and a half")
	s.Press("enter")
	s.WaitFor(`queued 2  "two and a half"`)
	d.got("hold\n")
	open(d, d.dir)
	s.WaitFor("heard: one", "heard: two and a half")
	s.WaitIdle()
	d.got("hold\none\ntwo and a half\n")
}

func movesQueued(d *desk) {
	s := d.start(90, 24, scripted(d)...)
	s.Prompt("hold")
	s.WaitFor("holding")
	for _, text := range []string{"one", "two", "three"} {
		s.Prompt(text)
		s.WaitFor(`"` + text + `"`)
	}
	s.Press("alt+q")
	s.WaitFor("╭ Queue", "› 1  one", "  3  three")
	s.Press("alt+down")
	s.WaitFor("  1  two", "› 2  one")
	s.Press("ctrl+x")
	s.WaitFor("› 2  three")
	s.Press("alt+up")
	s.WaitFor("› 1  three", "  2  two")
	s.Press("esc")
	s.WaitGone("╭ Queue")
	open(d, d.dir)
	s.WaitFor("heard: three", "heard: two")
	s.WaitIdle()
	d.got("hold\nthree\ntwo\n")
}

func searchesHistory(d *desk) {
	s := d.start(90, 24, scripted(d)...)
	for _, prompt := range []string{"count the apples", "count the pears", "sell the apples"} {
		s.Turn(prompt)
	}
	s.quit()

	s = d.start(90, 24, scripted(d)...)
	s.Type("half typed")
	s.Press("ctrl+r")
	rows := s.WaitFor("╭ Prompt history", "count the apples", "count the pears", "sell the apples")
	if rowOf(rows, "sell the apples") > rowOf(rows, "count the apples") {
		d.Errorf("the newest is not the first:\n%s", numbered(rows))
	}
	s.Type("cnt apples")
	s.WaitGone("count the pears")
	s.Press("esc")
	s.WaitGone("╭ Prompt history")
	s.WaitDraft("half typed")
	s.Press("ctrl+r")
	s.WaitFor("╭ Prompt history", "count the pears")
	s.Type("pears")
	s.WaitGone("sell the apples")
	s.Press("enter")
	s.WaitDraft("count the pears")
	s.Press("enter")
	s.WaitFor("heard: count the pears")
}

func opensEditor(d *desk) {
	d.env = []string{"EDITOR=" + d.script("edit", `cat "$1" >"$E2E_ROOT/seen"; echo "the editor has the screen"; while [ ! -e "$E2E_ROOT/go" ]; do sleep 0.01; done
echo "written in the editor" >"$1"; echo "and a second line" >>"$1"`), "VISUAL="}
	s := d.start(90, 24, scripted(d)...)
	s.Type("my draft")
	s.WaitDraft("my draft")
	s.Press("ctrl+g")
	s.WaitFor("the editor has the screen")
	raw, _ := s.Raw(0)
	for _, what := range unrestored(string(raw)) {
		d.Errorf("the editor gets a terminal that is not restored: %s", what)
	}
	write(d, d.path("go"), "")
	s.WaitDraft("written in the editorand a second line")
	if seen := read(d, d.path("seen")); seen != "my draft\n" {
		d.Errorf("the editor was given %q", seen)
	}
	s.Press("enter")
	s.WaitFor("heard: written in the editor")
	s.WaitIdle()
	d.got("written in the editor\nand a second line\n")

	d.script("edit", "exit 3") // an editor that fails changes nothing
	s.Type("safe")
	s.WaitDraft("safe")
	s.Press("ctrl+g")
	s.WaitFor("The editor failed; the draft is unchanged")
	s.WaitDraft("safe")
}

func pastesImage(d *desk) {
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewRGBA(image.Rect(0, 0, 3, 3))); err != nil {
		d.Fatal(err)
	}
	write(d, d.path("image"), picture.String())
	d.script("wl-paste", `case "$*" in *list-types*) echo image/png ;; *) cat "`+d.path("image")+`" ;; esac`)
	d.env = []string{"WAYLAND_DISPLAY=w", "PATH=" + d.path("bin") + string(os.PathListSeparator) + toolbox}
	s := d.keyed(90, 24)
	s.Type("look: ")
	s.Press("ctrl+v")
	s.WaitFor("› look: [image", "B]")
	s.Press("enter")
	s.WaitFor("▌ look:", "heard: look:")
	s.WaitIdle()
	if got := read(d, d.path("heard")); !strings.Contains(got, `"type":"image"`) || !strings.Contains(got, base64.StdEncoding.EncodeToString(picture.Bytes())) {
		d.Errorf("the agent got no image: %s", got)
	}
}
