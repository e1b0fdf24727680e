//go:build linux

package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/charmbracelet/x/vt"
)

// session is a chat on a screen: parley or the bare program.
type session struct {
	*terminal
	b     *bench
	root  string        // its directories
	first time.Duration // from exec to the first key on the screen
	typed int           // letters already used for keys
	ended int           // letters already used for ends of answers
}

// chat starts parley with our agent. The flags may name a stored session to open.
func (b *bench) chat(flags ...string) (*session, error) {
	argv := append([]string{b.parley}, flags...)
	return b.begin(append(append(argv, "--"), b.agent()...))
}

// bare starts the bare Bubble Tea program with our agent.
func (b *bench) bare() (*session, error) { return b.begin([]string{b.self, "-tea"}) }

// begin starts a program and returns when it has echoed a key.
func (b *bench) begin(argv []string) (*session, error) {
	s, err := b.launch(argv)
	if err != nil {
		return nil, err
	}
	if err := s.ready(); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

func (b *bench) launch(argv []string) (*session, error) {
	dir, env, err := b.place()
	if err != nil {
		return nil, err
	}
	b.reports.forget()
	t, err := open(dir, env, argv)
	if err != nil {
		return nil, err
	}
	return &session{terminal: t, b: b, root: filepath.Dir(dir)}, nil
}

// ready types a letter, from the first output on, until it is on the screen, and then erases
// it.
func (s *session) ready() error {
	letter := s.letter()
	seen, sent := s.on(letter), 0
	again := time.NewTicker(2 * time.Millisecond)
	defer again.Stop()
	for late := time.After(patience); ; {
		select {
		case at := <-seen:
			s.first = at.Sub(s.started)
			s.send(strings.Repeat("\x7f", sent+1))
			return s.quiet(100 * time.Millisecond)
		case <-again.C:
			if total, _ := s.written(); total > 0 {
				s.send(letter)
				sent++
			}
		case <-s.exited:
			return fmt.Errorf("the program ended at its start")
		case <-late:
			return fmt.Errorf("no key is echoed")
		}
	}
}

func (s *session) letter() string {
	s.typed++
	return keys.at(s.typed - 1)
}

func (s *session) send(text string) { s.master.WriteString(text) }

// key types a letter, in place of the one before unless it is the first, and waits until it is
// on the screen.
func (s *session) key(first bool) (time.Duration, error) {
	letter := s.letter()
	seen, at := s.on(letter), time.Now()
	if !first {
		letter = "\x7f" + letter
	}
	s.send(letter)
	echoed, err := s.await("a key", seen)
	return echoed.Sub(at), err
}

// prompt sends a prompt and returns when the agent begins to answer. The channel receives the
// time at which the end of the answer is on the screen.
func (s *session) prompt(text string) (began time.Time, end <-chan time.Time, err error) {
	s.ended++
	end = s.on(ends.at(s.ended))
	s.b.reports.forget()
	s.send(fmt.Sprintf("%s t=%d", text, s.ended))
	time.Sleep(20 * time.Millisecond)
	s.send("\r")
	begin, err := s.b.reports.wait("begin")
	return begin.at, end, err
}

// ask sends a prompt, then waits for the end of the answer and for a quiet screen.
func (s *session) ask(text string) (took time.Duration, err error) {
	began, end, err := s.prompt(text)
	if err != nil {
		return 0, err
	}
	at, err := s.await("the end of an answer", end)
	if err != nil {
		return 0, err
	}
	return at.Sub(began), s.quiet(300 * time.Millisecond)
}

// typing types a letter at intervals until the end of an answer is on the screen, and returns
// how long each took to appear, in milliseconds.
func (s *session) typing(every time.Duration, end <-chan time.Time) (echoes []float64, at time.Time, err error) {
	for {
		select {
		case at = <-end:
			if len(echoes) > 0 {
				s.send("\x7f")
			}
			return echoes, at, nil
		case <-s.exited:
			return nil, at, fmt.Errorf("the program ended in an answer")
		case <-time.After(every):
			echo, err := s.key(len(echoes) == 0)
			if err != nil {
				return nil, at, err
			}
			echoes = append(echoes, millis(echo))
		}
	}
}

// quit presses the quit key and returns how long the program took to exit.
func (s *session) quit() (time.Duration, error) {
	began := time.Now()
	s.send("\x04")
	select {
	case <-s.exited:
		return time.Since(began), nil
	case <-time.After(patience):
		return 0, fmt.Errorf("ctrl+d does not end the program")
	}
}

// close ends the program and removes its files.
func (s *session) close() {
	s.terminal.close()
	os.RemoveAll(s.root)
}

// usage returns what the program has used so far.
func (s *session) usage() usage { return usageOf(s.cmd.Process.Pid) }

// screen forces a full redraw and returns the rows.
func (s *session) screen() (string, error) {
	s.mu.Lock()
	s.keep = &bytes.Buffer{}
	s.mu.Unlock()
	s.send("\x0c")
	time.Sleep(100 * time.Millisecond)
	if err := s.quiet(300 * time.Millisecond); err != nil {
		return "", err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	emu := vt.NewEmulator(cols, rows)
	go func() { // its replies to queries
		buf := make([]byte, 1024)
		for {
			if _, err := emu.Read(buf); err != nil {
				return
			}
		}
	}()
	defer emu.Close()
	emu.Write(s.keep.Bytes())
	s.keep = nil
	return emu.String(), nil
}

// all checks that a flood has arrived: the words at its end are on the screen in order, the
// search finds all waypoints, and the agent still answers.
func (s *session) all(waypoints int) error {
	screen, err := s.screen()
	if err != nil {
		return err
	}
	rest := screen
	for _, word := range lastWords() {
		_, after, ok := strings.Cut(rest, word)
		if !ok {
			fmt.Fprintln(os.Stderr, screen)
			return fmt.Errorf("%s is not on the screen", word)
		}
		rest = after
	}
	if err := s.found(waypoint, waypoints); err != nil {
		return err
	}
	if _, err := s.ask("hello"); err != nil {
		return fmt.Errorf("after a long answer: %w", err)
	}
	return nil
}

// found searches the transcript for a word and checks the number of matches.
func (s *session) found(word string, times int) error {
	if err := s.press("\t", "/", word); err != nil {
		return err
	}
	screen, told := "", fmt.Sprintf(" of %d ", times)
	for deadline := time.Now().Add(patience); !strings.Contains(screen, told); {
		if time.Now().After(deadline) {
			fmt.Fprintln(os.Stderr, screen)
			return fmt.Errorf("%q is not %d times in the transcript", word, times)
		}
		var err error
		if screen, err = s.screen(); err != nil {
			return err
		}
		screen = strings.ReplaceAll(screen, "\n", " \n")
	}
	return s.press("\x1b", "\x1b") // leave the search, then the transcript
}

// press sends keys one by one, each when the screen is quiet.
func (s *session) press(keys ...string) error {
	for _, key := range keys {
		s.send(key)
		time.Sleep(150 * time.Millisecond)
		if err := s.quiet(150 * time.Millisecond); err != nil {
			return err
		}
	}
	return nil
}
