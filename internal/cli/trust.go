package cli

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"parley/acpclient/event"
	"parley/internal/atomicfile"
	"parley/internal/filetrust"
	"parley/internal/questions"
	"parley/internal/record"
	"parley/internal/redact"
	"parley/permissions"
)

// lastAsked is how many past questions a new rule is tried on.
const lastAsked = 50

// questions returns the directory of the record of questions, "" if none is kept.
func (s *Setup) questions() string {
	if s.Config.Record != nil && !*s.Config.Record {
		return ""
	}
	dir, err := record.StateDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "questions")
}

// NewQuestions starts a record of questions and answers; nil if none is kept. failed is called when
// it cannot be written.
func (s *Setup) NewQuestions(failed func(error)) *questions.Record {
	dir := s.questions()
	if dir == "" {
		return nil
	}
	return questions.NewRecord(dir, rand.Text(), redact.Words, failed)
}

// questionsFail returns a function that warns that the record of questions cannot be written.
func (s *Setup) questionsFail(log *event.Log) func(error) {
	return func(err error) { s.warn(log, notKept("questions and answers are not recorded", err)) }
}

// notKept returns the message for something that could not be written.
func notKept(what string, err error) string {
	return what + atomicfile.FreeSpaceAdvice(err) + ": " + err.Error()
}

// warn sends a line to the user if Warn is set, else to the log, which may be nil.
func (s *Setup) warn(log *event.Log, line string) {
	switch {
	case s.Warn != nil:
		s.Warn(line) // which also logs it
	case log != nil:
		log.Add(event.LogClient, line)
	}
}

// LastAsked returns the questions most recently put to the user, to be judged in a session. It
// waits for the disk.
func (c *Connection) LastAsked(session string) []permissions.Facts {
	if c.questionDir == "" {
		return nil
	}
	all, err := questions.LastAsked(c.questionDir, lastAsked)
	if err != nil {
		return nil
	}
	for i := range all {
		c.Host.BindFacts(session, &all[i])
	}
	return all
}

// AddRule adds a rule to the user's file and applies it to all sessions of the connection,
// including open questions. It waits for the disk.
func (c *Connection) AddRule(session string, r permissions.Rule) (where string, err error) {
	path, err := RulesPath()
	if err != nil {
		return "", err
	}
	if err := addRule(path, r); err != nil {
		return "", err
	}
	if err := c.Host.ReloadRules(); err != nil {
		return "", fmt.Errorf("the rule was written, but the rule files cannot be read: %w", err)
	}
	c.Host.Broker().Reconsider(session)
	return path, nil
}

// addRule appends a rule to a file, atomically.
func addRule(path string, r permissions.Rule) error {
	f := readRules(path, false)
	if f.err != nil {
		return f.err
	}
	old, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	text := string(old)
	if text != "" {
		text += "\n"
	}
	text += r.Text()
	if _, err := permissions.ParseRules(path, []byte(text), false); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	if err := filetrust.Check(filepath.Dir(path)); err != nil {
		return err
	}
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target // the file may be a symlink into a dotfiles directory
	}
	return atomicfile.Write(path, []byte(text))
}
