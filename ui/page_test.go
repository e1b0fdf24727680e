package ui

import (
	"errors"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
)

// loginPage is a page whose address is odd in two ways.
const loginPage = `{"sessionId":"s1","mode":"url","message":"Log in to the registry to go on.","elicitationId":"e1","url":"http://login.example.org:8080/device?code=ABCD-1234&state=0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"}`

// Case 137: a page is shown with its whole address and its host, and what is odd
// about it; nothing is opened before the user agrees, and the wait ends when the
// agent says so.
func TestPage(t *testing.T) {
	var opened []string
	var failure error
	drive(t, func(d *driver, o *Options) {
		d.fake.Turn(eliciting(loginPage))
		o.OpenURL = func(url string) error { opened = append(opened, url); return failure }
	}, func(d *driver) {
		d.connected()
		d.types("go\n")
		d.soon()
		d.sees("Log in to the registry to go on.", "http://login.example.org:8080/device?code=ABCD-1234&state=0123456789abcdef", "0123456789abcdef0123456789abcdef0123456789abcdef ",
			"Host: login.example.org:8080", "! not encrypted: the address is not https", "! unusual port 8080")
		d.press("o", "y", "c", "n") // typed ahead
		d.draft("oycn")
		d.press("ctrl+u")
		d.wait(200 * time.Millisecond)
		d.press("o")
		d.press("backspace")
		d.rest()
		if len(opened) > 0 {
			t.Fatalf("opened %q by what was typed ahead", opened)
		}
		d.answered("")
		d.sees("o open · c copy · n decline · esc cancel")
		d.press("x", "enter", "c") // the first two are dropped
		d.sees("Sent the address to the terminal's clipboard")
		if !strings.HasPrefix(d.copied, "http://login.example.org:8080/device?code=") || !strings.HasSuffix(d.copied, "cdef") {
			t.Errorf("copied %q", d.copied)
		}
		d.answered("")
		d.press("o")
		d.soon()
		if len(opened) != 1 || opened[0] != "http://login.example.org:8080/device?code=ABCD-1234&state=0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef" {
			t.Fatalf("opened %q", opened)
		}
		d.answered(`{"action":"accept"}`)
		d.sees("fake is waiting for a page", "Until it reports that login.example.org:8080 is done", "Opened in your browser", "alt+a to open it again")
		d.types("now") // the keys are the composer's again
		d.rest()
		d.draft("now")
		d.press("ctrl+u", "alt+a")
		d.wait(100 * time.Millisecond)
		d.sees("Waiting for the agent to report that the page is done", "o open again · n stops waiting")
		failure = errors.New("no display")
		d.press("o")
		d.soon()
		d.sees("Cannot start a browser: no display")
		d.answered(`{"action":"accept"}`)
		d.Agent().Notify("elicitation/complete", `{"elicitationId":"other"}`)
		d.soon()
		d.sees("fake is waiting for a page")
		d.Agent().Notify("elicitation/complete", `{"elicitationId":"e1"}`)
		d.soon()
		d.misses("fake asks", "fake waits")
		d.sees("Done: login.example.org:8080")
		d.types("draft")
		d.draft("draft")
	})
}

// Case 136: the ways out of a page.
func TestPageWaysOut(t *testing.T) {
	for _, c := range []struct {
		keys []string
		want string
	}{
		{[]string{"n"}, `{"action":"decline"}`}, {[]string{"esc"}, `{"action":"cancel"}`}, {[]string{"ctrl+c"}, `{"action":"cancel"}`},
		{[]string{"y", "alt+a", "n"}, `{"action":"accept"}`}, {[]string{"o", "alt+a", "esc"}, `{"action":"accept"}`},
	} {
		withForm(t, loginPage, func(d *driver) {
			d.rest()
			for _, k := range c.keys {
				d.press(k)
				d.wait(100 * time.Millisecond)
			}
			d.answered(c.want)
			d.misses("fake asks", "fake waits")
			d.Agent().Notify("elicitation/complete", `{"elicitationId":"e1"}`) // late
			d.soon()
			d.misses("Done:")
		})
	}
}

// An address that is not http or https is shown, and never opened.
func TestPageThatIsNotOpened(t *testing.T) {
	for _, address := range []string{"file:///etc/passwd", "javascript:alert(1)", "https://example.org/\\u202egro", "https://example.org/ x"} {
		opened := 0
		drive(t, func(d *driver, o *Options) {
			d.fake.Turn(eliciting(`{"sessionId":"s1","mode":"url","message":"Go on","elicitationId":"e1","url":"` + address + `"}`))
			o.OpenURL = func(string) error { opened++; return nil }
		}, func(d *driver) {
			d.connected()
			d.types("go\n")
			d.rest()
			d.sees("fake asks", "parley cannot open this address")
			d.misses("o open", "Host:")
			d.press("o", "y", "enter", "space")
			d.soon()
			d.sees("Only http and https pages can be opened")
			d.answered("")
			d.press("n")
			d.soon()
			d.answered(`{"action":"decline"}`)
			if opened != 0 {
				t.Errorf("%s was opened", address)
			}
		})
	}
}

// A page has to be read to its end before it is opened, whatever pushes its
// address out of sight.
func TestPageMustBeRead(t *testing.T) {
	opened := 0
	drive(t, func(d *driver, o *Options) {
		d.fake.Turn(eliciting(strings.Replace(loginPage, "Log in", strings.Repeat("Much to say. ", 100), 1)))
		o.OpenURL = func(string) error { opened++; return nil }
	}, func(d *driver) {
		d.connected()
		d.send(tea.WindowSizeMsg{Width: 40, Height: 12})
		d.types("go\n")
		d.rest()
		d.misses("Host:")
		d.sees("more rows ↓", "read on to open: pgdn")
		d.press("o", "y")
		d.soon()
		d.answered("")
		d.sees("Read to the end first")
		d.press("pgdown", "space", "j", "k", "pgup")
		for range 40 {
			d.press("pgdown")
		}
		d.sees("Host: login.example.org:8080", "! unusual port 8080", "o open · c copy")
		d.misses("more rows")
		d.press("o")
		d.soon()
		d.answered(`{"action":"accept"}`)
		if opened != 1 {
			t.Errorf("opened %d times", opened)
		}
		d.sees("fake is waiting for a page")
	})
}

// Without a browser parley says so.
func TestPageByHand(t *testing.T) {
	withForm(t, loginPage, func(d *driver) {
		d.rest()
		d.press("y")
		d.soon()
		d.answered(`{"action":"accept"}`)
		d.sees("fake is waiting for a page", "Open it by hand")
	})
}

func TestGoldenPage(t *testing.T) {
	t.Parallel()
	drive(t, func(d *driver, o *Options) { d.fake.Turn(eliciting(loginPage)); o.Theme = "light" }, func(d *driver) {
		d.connected()
		d.send(tea.WindowSizeMsg{Width: 40, Height: 12})
		d.types("push it\n")
		d.rest()
		d.golden("page")
	})
}
