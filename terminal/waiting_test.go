package terminal

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestWaitsFor(t *testing.T) {
	for _, tc := range []struct {
		output string
		want   WaitFor
	}{
		{"[sudo] password for ada: ", WaitPassword},
		{"hello\nada@host's password:", WaitPassword},
		{"Enter passphrase for key '/x/id_ed25519': ", WaitPassword},
		{"\x1b[1mPassword for ada\x1b[0m: \x1b[0m", WaitPassword},
		{"Do you want to continue? [Y/n] ", WaitYesNo},
		{"Are you sure you want to continue connecting (yes/no/[fingerprint])? ", WaitYesNo},
		{"Overwrite? (y/N): ", WaitYesNo},
		{"a line\n\x1b[7m(END)\x1b[27m\x1b[K", WaitPager},
		{"text\n--More--(12%)", WaitPager},
		{"text\n:", WaitPager},
		{" Manual page ls(1) line 1 (press h for help or q to quit)", WaitPager},
		{"Press ENTER to continue", WaitKey},
		{"Press any key to continue...", WaitKey},
		{"working\rPassword: ", WaitPassword},
		{"Password: \r", WaitPassword},
		{"Password: \r50%", ""},
		{"Password: \n", ""},
		{"password: secret", ""},
		{"compiling: ", ""},
		{"spinning: ", ""}, // it contains pin, but is another word
		{"12% [y/n", ""},
		{"", ""},
		{strings.Repeat("x", 10*lineEndSize) + " password: ", WaitPassword},
	} {
		for _, size := range []int{1, 7, 1 << 20} { // in any chunks
			var e lineEnd
			for chunk := range slices.Chunk([]byte(tc.output), size) {
				e.add(chunk)
			}
			if got := e.waitsFor(); got != tc.want || len(e) > lineEndSize {
				t.Errorf("%.60q in %d: %q of %d bytes, want %q", tc.output, size, got, len(e), tc.want)
			}
		}
	}
}

// Waiting is notified after enough silence, once for each question, and not for an ended command.
func TestWaitingNotified(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		var told []string
		s := New(Options{Notify: func(c Change) {
			what := string(c.Data)
			if c.Waiting != "" {
				what = string(c.Waiting)
			}
			told = append(told, time.Since(began).String()+" "+what)
		}})
		p, r := &Process{service: s}, &run{chunks: make(chan []byte)}
		done, over := make(chan struct{}), make(chan struct{})
		go func() { defer close(over); p.follow(r, done) }()
		r.chunks <- []byte("Pass")
		time.Sleep(quietWait - time.Millisecond)
		r.chunks <- []byte("word: ")
		time.Sleep(time.Minute)
		r.chunks <- []byte("\nthank you\n")
		time.Sleep(time.Minute)
		r.chunks <- []byte("Go on? [y/n]")
		close(done)
		time.Sleep(drainWait / 2)
		close(r.chunks)
		<-over
		want := []string{"0s Pass", "1.999s word: ", "3.999s a password", "1m1.999s \nthank you\n", "2m1.999s Go on? [y/n]"}
		if !slices.Equal(told, want) {
			t.Errorf("reported %q, want %q", told, want)
		}
	})
}

// Waiting is not notified while a front end is attached.
func TestWaitingNotNotifiedWhileAttached(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []WaitFor
		s := New(Options{Notify: func(c Change) {
			if c.Waiting != "" {
				told = append(told, c.Waiting)
			}
		}})
		p, r := &Process{service: s, front: &Attachment{}}, &run{chunks: make(chan []byte)}
		done, over := make(chan struct{}), make(chan struct{})
		go func() { defer close(over); p.follow(r, done) }()
		r.chunks <- []byte("Password: ")
		time.Sleep(time.Minute)
		p.mu.Lock()
		p.front = nil
		p.mu.Unlock()
		r.chunks <- []byte("\n[y/n]")
		time.Sleep(time.Minute)
		close(r.chunks)
		<-over
		if !slices.Equal(told, []WaitFor{WaitYesNo}) {
			t.Errorf("reported %q", told)
		}
	})
}
