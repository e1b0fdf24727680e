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
	"parley/internal/record"
	"parley/internal/redact"
	"parley/permissions"
)

// lastAsked is how many questions a new rule is tried on.
const lastAsked = 50

// questions is where the record of questions is; "" where it is not kept.
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

// NewQuestions begins a record of what is asked and answered; nil where none is
// kept. failed hears of it when it cannot be written.
func (s *Setup) NewQuestions(failed func(error)) *permissions.Record {
	dir := s.questions()
	if dir == "" {
		return nil
	}
	return permissions.NewRecord(dir, rand.Text(), redact.Words, failed)
}

// questionsFail says that the record of questions cannot be written.
func (s *Setup) questionsFail(log *event.Log) func(error) {
	return func(err error) { s.warn(log, notKept("questions and answers are not recorded", err)) }
}

// notKept is what there is to say of something that could not be written.
func notKept(what string, err error) string { return what + atomicfile.Room(err) + ": " + err.Error() }

// warn says a line to the user, where somebody listens, else to the log, which may
// be nil.
func (s *Setup) warn(log *event.Log, line string) {
	switch {
	case s.Warn != nil:
		s.Warn(line) // and there it gets into the log
	case log != nil:
		log.Add(event.LogClient, line)
	}
}

// LastAsked are the questions that were put to the user last, to be judged in a
// session. It waits for the disk.
func (c *Connection) LastAsked(session string) []permissions.Facts {
	if c.asked == "" {
		return nil
	}
	all, err := permissions.LastAsked(c.asked, lastAsked)
	if err != nil {
		return nil
	}
	for i := range all {
		c.Host.BindFacts(session, &all[i])
	}
	return all
}

// AddRule writes a rule into the user's file and has it count in all sessions of
// the connection, questions that are open included. It waits for the disk.
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

// addRule puts a rule at the end of a file, which is written whole or not at all.
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
		path = target // of those who keep their configuration elsewhere
	}
	return atomicfile.Write(path, []byte(text))
}
