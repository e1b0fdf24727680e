// Package access keeps the tokens by which clients on other machines, and in browsers, join live sessions:
// who each belongs to and which role it has. The file has their hashes, never a token.
package access

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"parley/internal/atomicfile"
	"parley/internal/filelock"
	"parley/internal/filetrust"
	"parley/internal/hello"
	"parley/internal/lazy"
	"parley/internal/smallfile"
)

// Token is one token without its text.
type Token struct {
	Name string     `json:"name"` // unique
	Role hello.Role `json:"role"`
	// Once means that it is valid for one connection, which must begin within a day. Once used, it is valid only
	// for requests of that one.
	Once    bool      `json:"once,omitempty"`
	Created time.Time `json:"created"`
	Used    time.Time `json:"used,omitzero"` // when a connection last began with it
	Hash    string    `json:"sha256"`
}

// Store is the file of the tokens. Its methods may be called on any goroutine; several programs may use
// one file.
type Store struct {
	path string

	mu   sync.Mutex
	seen fs.FileInfo // what was read; nil for no file
	all  []Token
	err  error
}

// Open returns the store of a file, which need not exist. The path must be absolute.
func Open(path string) *Store { return &Store{path: path} }

// All returns the tokens, in the order they were made.
func (s *Store) All() ([]Token, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now, err := os.Stat(s.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		s.seen, s.all, s.err = nil, nil, nil
	case err != nil:
		return nil, err
	case s.seen == nil || !os.SameFile(s.seen, now) || !s.seen.ModTime().Equal(now.ModTime()) || s.seen.Size() != now.Size():
		s.seen = now
		s.all, s.err = read(s.path)
	}
	return s.all, s.err
}

// unusedTime is how long a one-time token waits for its client.
const unusedTime = 24 * time.Hour

func (t Token) lapsed() bool {
	return t.Once && t.Used.IsZero() && time.Since(t.Created) > unusedTime
}

type file struct {
	Tokens []Token `json:"tokens"`
}

// maxFile bounds the file.
const maxFile = 1 << 20

func read(path string) ([]Token, error) {
	if err := filetrust.Check(path); err != nil {
		return nil, err
	}
	data, err := smallfile.Read(path, maxFile)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, smallfile.Cause(err))
	}
	var f file
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return f.Tokens, nil
}

// lockTime is how long to wait for another program that changes the file. Tests shorten it.
var lockTime = 5 * time.Second

// change replaces the tokens. One program at a time does so.
func (s *Store) change(f func([]Token) ([]Token, error)) error { return s.replace(f, false) }

// revoke is change for what takes a token away: that happens even if another program does not let go of the lock,
// for which it is enough to be able to read it.
func (s *Store) revoke(f func([]Token) ([]Token, error)) error { return s.replace(f, true) }

func (s *Store) replace(f func([]Token) ([]Token, error), anyway bool) error {
	if err := os.MkdirAll(filepath.Dir(s.path), 0o700); err != nil {
		return err
	}
	lock, err := os.OpenFile(s.path+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer lock.Close()
	for end := time.Now().Add(lockTime); !filelock.Lock(lock); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			if anyway {
				break
			}
			return fmt.Errorf("%s is locked by another program", s.path)
		}
	}
	all, err := s.All()
	if err != nil {
		return err
	}
	if all, err = f(slices.Clone(all)); err != nil {
		return err
	}
	data, err := json.MarshalIndent(file{all}, "", "\t")
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen = nil // a change within the clock's resolution is no change to All
	return atomicfile.Write(s.path, append(data, '\n'))
}

var nameOf = lazy.Regexp(`^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$`)

// ErrExists means that a token of that name exists, ErrUnknown that none does, ErrName that none can.
var (
	ErrName    = errors.New("invalid name")
	ErrExists  = errors.New("exists")
	ErrUnknown = errors.New("unknown")
)

// Add makes a token and returns its text, which is not kept.
func (s *Store) Add(name string, role hello.Role, once bool) (string, error) {
	if !nameOf().MatchString(name) {
		return "", fmt.Errorf("%w %q: want up to 40 letters, digits, dots, hyphens and underscores", ErrName, name)
	}
	text := rand.Text()
	return text, s.change(func(all []Token) ([]Token, error) {
		all = slices.DeleteFunc(all, Token.lapsed)
		if slices.ContainsFunc(all, func(t Token) bool { return t.Name == name }) {
			return nil, fmt.Errorf("a token %s %w", name, ErrExists)
		}
		return append(all, Token{Name: name, Role: role, Once: once, Created: time.Now().UTC().Truncate(time.Second), Hash: hash(text)}), nil
	})
}

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// Remove revokes a token.
func (s *Store) Remove(name string) error {
	return s.revoke(func(all []Token) ([]Token, error) {
		left := slices.DeleteFunc(all, func(t Token) bool { return t.Name == name })
		if len(left) == len(all) {
			return nil, fmt.Errorf("%w token %q", ErrUnknown, name)
		}
		return left, nil
	})
}

// Forget removes a token by its hash, if it exists: not another one of the same name.
func (s *Store) Forget(hash string) error {
	return s.revoke(func(all []Token) ([]Token, error) {
		return slices.DeleteFunc(all, func(t Token) bool { return t.Hash == hash }), nil
	})
}

// Find returns the token with that text. How long it takes tells nothing about the others.
func (s *Store) Find(text string) (Token, bool) {
	all, err := s.All()
	want, found := []byte(hash(text)), -1
	for i, t := range all {
		if subtle.ConstantTimeCompare([]byte(t.Hash), want) == 1 {
			found = i
		}
	}
	if err != nil || found < 0 || all[found].lapsed() {
		return Token{}, false
	}
	_, err = hello.ParseRole(string(all[found].Role))
	return all[found], err == nil
}

// usedAgain is how much later a use is recorded again.
const usedAgain = time.Minute

// Use records that a connection begins with a token. It returns an error if the token is gone, or was
// valid for one connection and has been used.
func (s *Store) Use(hash string) error {
	all, err := s.All()
	i := slices.IndexFunc(all, func(t Token) bool { return t.Hash == hash })
	if err == nil && i >= 0 && !all[i].Once && time.Since(all[i].Used).Abs() < usedAgain {
		return nil
	}
	err = s.change(func(all []Token) ([]Token, error) {
		i := slices.IndexFunc(all, func(t Token) bool { return t.Hash == hash })
		switch {
		case i < 0:
			return nil, errRevoked
		case all[i].Once && !all[i].Used.IsZero():
			return nil, errUsed
		}
		all[i].Used = time.Now().UTC().Truncate(time.Second)
		return all, nil
	})
	if err != nil && !errors.Is(err, errRevoked) && !errors.Is(err, errUsed) && i >= 0 && !all[i].Once {
		return nil // a full disk keeps nobody out
	}
	return err
}

var (
	errRevoked = errors.New("the token has been revoked")
	errUsed    = errors.New("the one-time token has been used")
)

// watchEvery is how often AwaitRemoval looks at the file.
const watchEvery = time.Second / 2

// AwaitRemoval returns nil when the token with that hash is gone, or the error of ctx.
func (s *Store) AwaitRemoval(ctx context.Context, hash string) error {
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for {
		all, err := s.All()
		if err == nil && !slices.ContainsFunc(all, func(t Token) bool { return t.Hash == hash }) {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}
